package noise

import "testing"

func TestH12Unprotect(t *testing.T) {
	for code, want := range map[string]string{
		"":             protection,
		"zz":           protection,
		"00":           protection,
		"0061":         protection, // no @
		"0061400a":     protection, // a line break
		"00614062":     "a@b",
		"01604163":     "a@b",
		"0161" + "4":   protection,
		"ff9ebf9d0000": protection,
	} {
		if have := Unprotect(code); have != want {
			t.Errorf("%q: have %q, want %q", code, have, want)
		}
	}
}

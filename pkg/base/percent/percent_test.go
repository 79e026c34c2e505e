package percent

import "testing"

var plain = SetOf(Unreserved + "/")

func TestForms(t *testing.T) {
	odd := func(c byte) bool { return c == ' ' || c >= 0x80 }
	for _, row := range []struct{ text, canonical, decoded, repaired string }{
		{"", "", "", ""},
		{"a/b", "a/b", "a/b", "a/b"},
		{"%7e%41", "~A", "~A", "%7e%41"},
		{"a%2fb", "a%2Fb", "a/b", "a%2fb"},
		{"100%", "100%25", "100%", "100%25"},
		{"%4", "%254", "%4", "%254"},
		{"%zz%%41", "%25zz%25A", "%zz%A", "%25zz%25%41"},
		{"a b?", "a%20b%3F", "a b?", "a%20b?"},
		{"ä", "%C3%A4", "ä", "%C3%A4"},
	} {
		if have := Canonical(row.text, plain); have != row.canonical {
			t.Errorf("Canonical(%q) = %q, want %q", row.text, have, row.canonical)
		}
		if have := Decode(row.text); have != row.decoded {
			t.Errorf("Decode(%q) = %q, want %q", row.text, have, row.decoded)
		}
		if have := Repair(row.text, odd); have != row.repaired {
			t.Errorf("Repair(%q) = %q, want %q", row.text, have, row.repaired)
		}
	}
}

// FuzzForms checks that each form is stable and encodes the same bytes as the text.
func FuzzForms(f *testing.F) {
	for _, seed := range []string{"", "a%2fb", "%zz%", "%%41", "\xff%c3%A4 "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		canonical := Canonical(s, plain)
		if again := Canonical(canonical, plain); again != canonical {
			t.Errorf("%q becomes %q and then %q", s, canonical, again)
		}
		repaired := Repair(s, func(c byte) bool { return c >= 0x80 })
		if Decode(canonical) != Decode(s) || Decode(repaired) != Decode(s) {
			t.Errorf("%q is not what %q and %q stand for", Decode(s), canonical, repaired)
		}
	})
}

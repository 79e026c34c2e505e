package source

import (
	"strings"
	"testing"
)

// TestA1Route checks that what a fragment names is told apart: a page of an application, of which a warning says that
// it is no part of the address (A1), or a place on the page.
func TestA1Route(t *testing.T) {
	long := "#/" + strings.Repeat("é", maxRoute)
	for address, want := range map[string]string{
		"https://app.example/#/prices":        "#/prices",
		"https://app.example/#!/prices?of=a":  "#!/prices",
		"app.example/x#!prices":               "#!prices",
		"https://app.example/#/a#b":           "#/a#b",
		"https://app.example/#prices":         "",
		"https://app.example/#:~:text=prices": "",
		"https://app.example/a?b=/c":          "",
		"https://app.example/#":               "",
		"":                                    "",
		"https://app.example/" + long:         "",
	} {
		warning := RouteWarning(address)
		if got := Route(address); got != want || strings.Contains(address, long) == (warning == "") && want == "" ||
			!strings.HasPrefix(warning, want) || len(warning) > 300 {
			t.Errorf("Route(%q) is %q, want %q; the warning is %q", address, got, want, warning)
		}
	}
	one, err := DefaultRules().ParseURL("https://app.example/#/a")
	two, err2 := DefaultRules().ParseURL("https://app.example/#!/b")
	if err != nil || err2 != nil || one.ID() != two.ID() {
		t.Errorf("two routes of a page are %v and %v: %v, %v", one, two, err, err2)
	}
}

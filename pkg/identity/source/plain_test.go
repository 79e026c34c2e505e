package source

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// agrees fails unless an address that plain parses has the same parts by the standard. It reports whether plain did.
func agrees(t interface{ Fatalf(string, ...any) }, base, raw string) bool {
	have, ok := plain(base, raw)
	if !ok || len(base) > MaxRaw || len(raw) > MaxRaw {
		return false
	}
	if want, err := parseByStandard(base, raw); err != nil || have != want {
		t.Fatalf("%q on %q is %+v, by the standard %+v, %v", raw, base, have, want, err)
	}
	return true
}

// plainPieces make addresses of which many are plain, and others nearly are.
var plainPieces = []string{
	"a", "b-c", "D~", "7", ".", "..", "./", "../", "/", "/", "//", "?", "=", "&", "#", ":", ":80", ":8080", ":08", "@",
	"%2e", " ", "\t", "\\", "_", "--", "-", "xn--", "0x7f", "127.0.0.1", "127.1", "1.2.3.4.5", "ü", "http:", "https://h",
	"http://a.example/x/y/z", "A.example", "h.", "ftp://",
}

func TestPlainAgreesWithTheStandard(t *testing.T) {
	parsed := 0
	rapid.Check(t, func(t *rapid.T) {
		text := func(begins []string, name string) string {
			return rapid.SampledFrom(begins).Draw(t, name) +
				strings.Join(rapid.SliceOfN(rapid.SampledFrom(plainPieces), 0, 8).Draw(t, name), "")
		}
		base := text([]string{"", "http://h/a/b", "https://a.example/", "http://127.0.0.1:81/x?y=z"}, "base")
		if agrees(t, base, text([]string{"", "", "/", "c.html", "http://", "https://h/"}, "raw")) {
			parsed++
		}
	})
	if parsed < 5 {
		t.Errorf("only %d addresses were plain", parsed)
	}
}

func FuzzPlainAgreesWithTheStandard(f *testing.F) {
	for _, seed := range [][2]string{
		{"", "https://a.example:81/b/./c/..?d=e#f"}, {"http://h/a/b/", "../../../c/."}, {"http://h", "a//../b"},
		{"http://h/a?b", "/c?d"}, {"", "http://127.0.0.1"}, {"", "http://1.2.3"}, {"", "http://a..b/"},
		{"http://h/a", "..#b"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, base, raw string) { agrees(t, base, raw) })
}

// BenchmarkParseURL parses an address as most links have it.
func BenchmarkParseURL(b *testing.B) {
	for b.Loop() {
		if _, err := DefaultRules().ParseURL("https://docs.example.org/3.11/library/functions.html"); err != nil {
			b.Fatal(err)
		}
	}
}

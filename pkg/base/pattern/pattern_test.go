package pattern_test

import (
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/pattern"
)

// TestX16Compile checks that expressions are refused by the size of their programs, not by the length of their texts
// (X16).
func TestX16Compile(t *testing.T) {
	const most = 2000
	for text, want := range map[string]fault.Kind{
		`€ ?[0-9]+`:                            "",
		strings.Repeat("x", 1000):              "",
		strings.Repeat("ab|cd|", 160) + "e":    "",
		`(?i)\b(price|cost|[\pL-]+ fee)\b`:     "",
		`a{900}`:                               "",
		`(a{30}){30}`:                          "",
		`(?:){1000}`:                           "",
		`(`:                                    fault.Invalid,
		`a**`:                                  fault.Invalid,
		`a{1001}`:                              fault.Invalid,
		`(a{100}){100}`:                        fault.Invalid, // RE2 refuses it by itself
		strings.Repeat(`(.?){999}`, 110):       fault.TooLarge,
		strings.Repeat(`(.?){999}`, 2):         fault.TooLarge,
		strings.Repeat(`(a{10}|b{10}){20}`, 9): fault.TooLarge,
		`(abc){1000}`:                          fault.TooLarge,
		`(?:a?){0,1000}b{1000}`:                fault.TooLarge,
		`(\pL{30}){30}` + `(\pL{30}){30}`:      fault.TooLarge, // the ranges of characters count
	} {
		p, err := pattern.Compile(text, most)
		if fault.KindOf(err) != want {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
		if err == nil && (p.Size <= 0 || p.Size > most || p.Regexp.String() != text) {
			t.Errorf("%.40q: size %d", text, p.Size)
		}
	}
}

// TestX16RefusedCheaply checks that an expression that is refused takes little memory (X16).
func TestX16RefusedCheaply(t *testing.T) {
	text := strings.Repeat(`(.?){999}`, 110)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := pattern.Compile(text, 2000); !fault.Is(err, fault.TooLarge) {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 2<<20 {
		t.Errorf("%d bytes to refuse it", n)
	}
}

// FuzzCompile checks that what is compiled is what package regexp compiles, and is within the bound.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{`a+`, `(.?){999}`, `(?i)[^a-z]{3,}|x*?`, `\pL{20}`, `^$`, `((a{9}){9}){9}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		p, err := pattern.Compile(text, 500)
		_, plain := regexp.Compile(text)
		switch {
		case err == nil && (plain != nil || p.Size > 500):
			t.Errorf("%q: size %d, %v", text, p.Size, plain)
		case fault.Is(err, fault.Invalid) && plain == nil:
			t.Errorf("%q: %v", text, err)
		}
	})
}

// TestWildcards checks that the first wildcard that fits counts, and that everything else stands for itself.
func TestWildcards(t *testing.T) {
	all := []pattern.Wildcard{{Text: "**", Expression: ".*"}, {Text: "*", Expression: "[^/]*"}}
	for text, want := range map[string]string{
		"": "", "a.b": `a\.b`, "*": "[^/]*", "a/**/b*": "a/.*/b[^/]*", "***": ".*[^/]*", "é+\xff": "é\\+\xff",
	} {
		if have := pattern.Wildcards(text, all...); have != want {
			t.Errorf("%q: %q, want %q", text, have, want)
		}
	}
}

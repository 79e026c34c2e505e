package search

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestT4Spellings checks the other spellings of terms (T4).
func TestT4Spellings(t *testing.T) {
	for query, want := range map[string]string{
		"utf8":                   "utf 8",
		"UTF-8":                  "UTF8",
		"utf 8":                  "utf8; utf8",
		"ISO-8859-1":             "ISO8859-1, ISO88591",
		"H.264":                  "H264",
		"10GB":                   "10 GB",
		"10 GB":                  "10GB; 10GB, G.B.",
		"mp3player":              "mp 3 player, mp 3player, mp3 player",
		"a1b2c3d4e5":             "",
		"v1.24.3":                "1.24.3, v 1.24.3",
		"1.24.3":                 "v1.24.3",
		"Go 1.22":                "Go1.22; Go1.22, v1.22",
		"1234567":                "1 234 567, 12 34 567",
		"1,234,567":              "1234567",
		"1.234.567":              "1234567, v1.234.567",
		"12,34,567":              "1234567",
		"1'000.50":               "1000.50",
		"1 234 567":              "1234567; 1234567; 1234567",
		"1000.50":                "1 000.50, v1000.50",
		"10-20":                  "",
		"555-0199":               "5550199",
		"978-3-16-148410-0":      "9783161484100",
		"DE89370400440532013000": "DE 89370400440532013000, DE89 3704 0044 0532 0130 00",
		"USA":                    "U.S.A.",
		"U.S.A.":                 "USA",
		"is it":                  "; ",
		"e-mail":                 "email",
		"서버에서 날씨가":               "서버; 날씨",
		"이":                      "",
		`"utf8" utf8*`:           "; ",
	} {
		var have []string
		for _, s := range Spellings(Terms(query)) {
			have = append(have, strings.Join(s, ", "))
		}
		if got := strings.Join(have, "; "); got != want {
			t.Errorf("%s: have %q, want %q", query, got, want)
		}
	}
}

// TestT4SpellingsKeepTheLetters draws terms: a spelling adds or removes only signs, a v and a particle, and there are
// never many.
func TestT4SpellingsKeepTheLetters(t *testing.T) {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if isSign(r) {
				return -1
			}
			return r
		}, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		query := strings.Join(rapid.SliceOfN(rapid.StringMatching(`[vA-Ca-c0-9.,'-]{1,20}|서버에서`), 1, 5).Draw(t, "query"), " ")
		whole := ""
		for _, term := range Terms(query) { // without repeats
			whole += bare(term.Text)
		}
		for i, all := range Spellings(Terms(query)) {
			if len(all) > 24 {
				t.Fatalf("%q: %d spellings of term %d", query, len(all), i)
			}
			for _, s := range all {
				if s := bare(s); !strings.Contains(whole, s) && !strings.Contains(whole, strings.TrimPrefix(s, "v")) {
					t.Fatalf("%q: %q", query, s)
				}
			}
			if slices.Contains(all, "") {
				t.Fatalf("%q: empty", query)
			}
		}
	})
}

package tokens

import "testing"

func TestWord(t *testing.T) {
	for _, tc := range []struct{ word, language, want string }{
		{"tides", "en", "tide"}, {"häuser", "de", "haus"}, {"horloges", "fr", "horlog"}, {"tides", "xx", "tides"},
		{"", "en", ""},
	} {
		if have := Stem(tc.word, tc.language); have != tc.want {
			t.Errorf("%s in %s: have %q, want %q", tc.word, tc.language, have, tc.want)
		}
	}
	if !HasStems("nn") || HasStems("") || HasStems("xx") {
		t.Error("other languages are known")
	}
}

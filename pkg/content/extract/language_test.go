package extract

import (
	"strings"
	"testing"
)

func TestPrimaryLanguage(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "en", "EN-us": "en", " zh_Hant ": "zh", "de, en": "de", "gsw": "gsw", "und": "", "": "", "e": "", "e1": "",
		"english language": "en", "deu": "de", "iw": "he", "gsw-CH": "gsw",
	} {
		if have := PrimaryLanguage(tag); have != want {
			t.Errorf("%q: have %q, want %q", tag, have, want)
		}
	}
}

func TestSampleIsBounded(t *testing.T) {
	long := strings.Repeat("ä", mostSample)
	for _, blocks := range [][]Block{{{Text: long}}, {{Text: "a"}, {Text: long}},
		{{Text: long[:mostSample-1]}, {Text: "ä"}}} {
		if n := len(sample(blocks)); n > mostSample {
			t.Errorf("%d bytes", n)
		}
	}
}

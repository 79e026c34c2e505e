package office

import (
	"encoding/xml"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// maxTongues is the largest number of languages that are counted. A document in more languages has no main language.
const maxTongues = 64

// tongue is the set of languages of a run. The script of the text determines which of them applies (part 1
// §17.3.2.20).
type tongue struct{ latin, eastAsia, complex string }

func readTongue(e xml.StartElement) tongue {
	return tongue{attr(e, "val"), attr(e, "eastAsia"), attr(e, "bidi")}
}

// of returns the language in t that applies to a text, or "".
func (t tongue) of(text []byte) string {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case !unicode.IsLetter(r):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			return t.eastAsia
		case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Thai, unicode.Devanagari):
			return t.complex
		default:
			return t.latin
		}
	}
	return ""
}

// tongues counts the amount of text in each language.
type tongues struct {
	bytes    map[string]int
	fallback tongue // languages of text for which the file gives no language
}

func newTongues() *tongues { return &tongues{bytes: map[string]int{}} }

// count adds the length of a text to that of its language.
func (ts *tongues) count(t tongue, text []byte) {
	tag := t.of(text)
	if tag == "" {
		tag = ts.fallback.of(text)
	}
	language := extract.PrimaryLanguage(tag)
	if _, known := ts.bytes[language]; language != "" && (known || len(ts.bytes) < maxTongues) {
		ts.bytes[language] += len(text)
	}
}

// most returns the language with the most text, or "". If several languages have the same amount, it returns the
// first in alphabetical order.
func (ts *tongues) most() string {
	best := ""
	for language, n := range ts.bytes {
		if best == "" || n > ts.bytes[best] || n == ts.bytes[best] && language < best {
			best = language
		}
	}
	return best
}

package extract

import (
	"strings"
	"unicode"

	"github.com/abadojack/whatlanggo"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Bounds on the size of the sample from which the language is detected, in bytes. With a shorter sample, detection is
// not reliable. A longer sample does not improve it.
const (
	leastSample = 100
	mostSample  = 2 << 10
)

// languages are the languages that can be detected. Each additional language makes it less certain which of several
// similar languages a text is in.
var languages = whatlanggo.Options{Whitelist: map[whatlanggo.Lang]bool{
	whatlanggo.Arb: true, whatlanggo.Ben: true, whatlanggo.Bul: true, whatlanggo.Ces: true, whatlanggo.Cmn: true,
	whatlanggo.Dan: true, whatlanggo.Deu: true, whatlanggo.Ell: true, whatlanggo.Eng: true, whatlanggo.Fin: true,
	whatlanggo.Fra: true, whatlanggo.Heb: true, whatlanggo.Hin: true, whatlanggo.Hun: true, whatlanggo.Ind: true,
	whatlanggo.Ita: true, whatlanggo.Jpn: true, whatlanggo.Kor: true, whatlanggo.Nld: true, whatlanggo.Nob: true,
	whatlanggo.Pes: true, whatlanggo.Pol: true, whatlanggo.Por: true, whatlanggo.Ron: true, whatlanggo.Rus: true,
	whatlanggo.Spa: true, whatlanggo.Swe: true, whatlanggo.Tha: true, whatlanggo.Tur: true, whatlanggo.Ukr: true,
	whatlanggo.Urd: true, whatlanggo.Vie: true,
}}

// DetectLanguage sets the language of a document that declares none. It detects the language from the text.
func (d *Document) DetectLanguage() {
	if d.Language == "" {
		d.Language = detectLanguage(MainBlocks(d.Blocks))
		d.LanguageDetected = d.Language != ""
	}
}

// detectLanguage returns the ISO 639-1 code of the language of the prose at the beginning of a document, or "" when
// detection is not reliable. A wrong language is worse than none: searches would miss the page.
func detectLanguage(blocks []Block) string {
	text := sample(blocks)
	if len(text) < leastSample {
		return ""
	}
	info := whatlanggo.DetectWithOptions(text, languages)
	if !info.IsReliable() {
		return ""
	}
	if info.Lang == whatlanggo.Cmn && strings.ContainsFunc(text, isKana) {
		return "" // Japanese with more Chinese characters than usual, or a text about Japan in another language
	}
	return info.Lang.Iso6391()
}

func isKana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }

// sample returns the beginning of the text. It omits code, which is not written in a human language.
func sample(blocks []Block) string {
	var text strings.Builder
	for _, b := range blocks {
		if b.Kind == Code {
			continue
		}
		if left := mostSample - text.Len(); len(b.Text) >= left {
			text.WriteString(dom.Clip(b.Text, left))
			break
		}
		text.WriteString(b.Text + "\n")
	}
	return text.String()
}

// PrimaryLanguage returns the primary subtag of a BCP 47 tag, or of the first tag of a Content-Language list, in
// lower case: "pt" for "pt-BR, en". It returns "" unless the subtag has 2 to 8 letters. If a document declares no
// language, its caller may pass the Content-Language header: the header is more reliable than detection
// ([Document.LanguageDetected]).
func PrimaryLanguage(tag string) string {
	tag, _, _ = strings.Cut(strings.TrimSpace(tag), ",")
	end := strings.IndexAny(tag, "-_ ;")
	if end < 0 {
		end = len(tag)
	}
	tag = strings.ToLower(tag[:end])
	if len(tag) < 2 || len(tag) > 8 || tag == "und" {
		return ""
	}
	for _, c := range []byte(tag) {
		if c < 'a' || c > 'z' {
			return ""
		}
	}
	return tag
}

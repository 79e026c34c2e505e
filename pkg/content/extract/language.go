package extract

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"
	"golang.org/x/text/language"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Bounds on the size of the sample from which the language is detected, in bytes. With a shorter sample, detection is
// not reliable. A longer sample does not improve it.
const (
	leastSample = 100
	mostSample  = 2 << 10
	// agreeingSample is enough to find that a declared language is right. Detection takes time in proportion to the
	// sample: of 2 KiB as much as all the rest of reading a page of 6 KB.
	agreeingSample = 512
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

// DetectLanguage sets the language of a document that declares none, detected from its text. A declared language is
// replaced, too, if the text is clearly in another one: many sites declare the default of their program.
func (d *Document) DetectLanguage() {
	if d.Language != "" && !detectable()[d.Language] {
		return
	}
	text := sample(MainBlocks(d.Blocks))
	if d.Language != "" && agrees(dom.Clip(text, agreeingSample), d.Language) {
		return
	}
	found := detectLanguage(text)
	if found != "" && found != d.Language && (d.Language == "" || contradicts(text, found, d.Language)) {
		d.Language, d.LanguageDetected = found, true
	}
}

// agrees reports whether the beginning of a text is in the declared language.
func agrees(text, declared string) bool {
	return usesWordsOf(text, declared) || detectLanguage(text) == declared
}

// commonWords are frequent words of the languages in which most pages are written. None of them is as frequent in
// another of these languages, so a text that uses them is in their language. To look for them takes a twentieth of the
// time of detection.
var commonWords = map[string]map[string]bool{
	"en": dom.WordSet("the and of to is that with this from are which will been you when your it be can not or if has"),
	"de": dom.WordSet("der die das und ist nicht mit ein eine den dem des auf für von zu werden wird oder sich auch bei"),
	"fr": dom.WordSet("le les des est et dans pour une que qui pas sur avec vous du au sont ce cette par plus ou nous"),
	"es": dom.WordSet("el los las del una por con para se como más su al lo esta pero este y es son ha sus"),
	"it": dom.WordSet("il di che della per non una sono del le gli è nel alla anche con più questo delle dei come"),
	"nl": dom.WordSet("het een van voor niet met zijn dat op aan wordt ook door naar bij uit deze maar"),
}

// usesWordsOf reports whether at least one in six words of a text is among the common words of a language, and several
// of these words occur.
func usesWordsOf(text, language string) bool {
	const least, oneIn, several = 20, 6, 3
	common := commonWords[language]
	if common == nil {
		return false
	}
	all, known, seen := 0, 0, map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		if word = strings.ToLower(word); common[word] {
			known, seen[word] = known+1, true
		}
		all++
	}
	return all >= least && known*oneIn >= all && len(seen) >= several
}

// contradicts reports whether a text is so clearly in the language found that a declaration of another is wrong: it is
// long enough, the two are not akin, and each half of it is rather in the one than in the other.
func contradicts(text, found, declared string) bool {
	const least = 160
	if len(text) < least || isAkin(found, declared) {
		return false
	}
	two := whatlanggo.Options{Whitelist: map[whatlanggo.Lang]bool{}}
	for lang := range languages.Whitelist {
		if code := lang.Iso6391(); code == found || code == declared {
			two.Whitelist[lang] = true
		}
	}
	middle := len(text) / 2
	for middle < len(text) && text[middle] != ' ' && text[middle] < utf8.RuneSelf {
		middle++
	}
	for _, half := range []string{text[:middle], text[middle:]} {
		if info := whatlanggo.DetectWithOptions(half, two); info.Lang.Iso6391() != found || !info.IsReliable() {
			return false
		}
	}
	return true
}

// detectable returns the codes of the languages that can be detected.
var detectable = sync.OnceValue(func() map[string]bool {
	codes := map[string]bool{"no": true, "nn": true}
	for lang := range languages.Whitelist {
		codes[lang.Iso6391()] = true
	}
	return codes
})

// isAkin reports whether two languages are so similar that detection may take one for the other.
func isAkin(a, b string) bool {
	for _, group := range []string{"da nb nn no sv", "cs pl", "ru uk bg", "es pt it ro", "ar fa ur", "ja zh"} {
		if strings.Contains(group, a) && b != "" && strings.Contains(group, b) {
			return true
		}
	}
	return false
}

// detectLanguage returns the ISO 639-1 code of the language of a text, or "" when detection is not reliable. A wrong
// language is worse than none: searches would miss the page.
func detectLanguage(text string) string {
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

// codeOf maps what pages write in place of a code of ISO 639-1: codes of three letters, names, and former codes.
var codeOf = sync.OnceValue(func() map[string]string {
	codes := map[string]string{"iw": "he", "in": "id", "ji": "yi", "cmn": "zh", "yue": "zh", "zsm": "ms", "prs": "fa",
		"arb": "ar", "ger": "de", "fre": "fr", "dut": "nl", "cze": "cs", "slo": "sk", "rum": "ro", "gre": "el", "chi": "zh",
		"per": "fa", "ice": "is", "wel": "cy", "baq": "eu", "alb": "sq", "arm": "hy", "geo": "ka", "mac": "mk", "may": "ms",
		"bur": "my", "ekk": "et", "lvs": "lv", "swh": "sw", "nob": "nb", "nno": "nn", "nor": "no", "mol": "ro", "mo": "ro",
		"deutsch": "de", "english": "en", "français": "fr", "francais": "fr", "español": "es", "espanol": "es",
		"italiano": "it", "português": "pt", "nederlands": "nl", "polski": "pl", "русский": "ru"}
	for name := range strings.FieldsSeq(`arabic=ar bulgarian=bg chinese=zh czech=cs danish=da dutch=nl finnish=fi french=fr
		german=de greek=el hebrew=he hindi=hi hungarian=hu indonesian=id italian=it japanese=ja korean=ko norwegian=no
		persian=fa polish=pl portuguese=pt romanian=ro russian=ru spanish=es swedish=sv thai=th turkish=tr ukrainian=uk
		vietnamese=vi`) {
		name, code, _ := strings.Cut(name, "=")
		codes[name] = code
	}
	for _, base := range language.Supported.BaseLanguages() {
		if two, three := base.String(), base.ISO3(); len(two) == 2 && codes[three] == "" {
			codes[three] = two
		}
	}
	return codes
})

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
	if two := codeOf()[tag]; two != "" {
		return two
	}
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

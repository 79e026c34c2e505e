package azureaisearch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/search"
)

// words is the name of the analyzer for the fields with unstemmed words
// (https://learn.microsoft.com/azure/search/index-add-custom-analyzers). The name also distinguishes this program's
// indexes from those of other programs. A change to the analyzer needs a new name, because the analyzer of an
// existing index cannot change. In its patterns, characters are not escaped, because escapes differ between the
// dialects of regular expressions.
const words = "tidemark_words_2"

func wordAnalyzer() object {
	return object{
		"@odata.type": "#Microsoft.Azure.Search.CustomAnalyzer", "name": words,
		"charFilters": []string{"tidemark_letters", "tidemark_marks", "tidemark_plus", "tidemark_sharp", "tidemark_breaks",
			"tidemark_spaceless"},
		"tokenizer":    "whitespace",
		"tokenFilters": []string{"lowercase", "asciifolding", "tidemark_length"},
	}
}

func charFilters() []object {
	replace := func(name, pattern, replacement string) object {
		return object{"@odata.type": "#Microsoft.Azure.Search.PatternReplaceCharFilter", "name": name, "pattern": pattern,
			"replacement": replacement}
	}
	return []object{
		{"@odata.type": "#Microsoft.Azure.Search.MappingCharFilter", "name": "tidemark_letters", "mappings": mappings()},
		replace("tidemark_marks", "["+leftOutClass()+"]", ""),
		replace("tidemark_plus", outside+"([CcGg])[+＋][+＋]", "$1$2"+plus),
		replace("tidemark_sharp", outside+"([A-Za-z])[#＃♯]", "$1$2"+sharp+" "),
		replace("tidemark_breaks", `[^\p{L}\p{N}\p{M}\p{Co}]+`, " "),
		replace("tidemark_spaceless", "(["+spaceless()+"])", " $1 "),
	}
}

// tokenFilter limits terms to the 300 characters that the service can index. The limit is needed because folding may
// make a term four times as long.
func tokenFilter() object {
	return object{"@odata.type": "#Microsoft.Azure.Search.TruncateTokenFilter", "name": "tidemark_length",
		"length": maxWord}
}

const maxWord = 255

// The names of C++ and C# stay words of their own: a private character replaces the signs.
const (
	outside = `(^|[^\p{L}\p{N}\p{M}\p{Co}])`
	plus    = "\ue02b"
	sharp   = "\ue023"
)

// The first and last of the combining diacritical marks of European scripts.
const firstDiacritic, lastDiacritic = '\u0300', '\u036f'

// leftOut are the ranges of marks that people leave out when they type: diacritics, the points of Hebrew and Arabic,
// and the sign that lengthens an Arabic word.
var leftOut = [][2]rune{{firstDiacritic, lastDiacritic}, {0x0591, 0x05bd}, {0x05bf, 0x05bf}, {0x05c1, 0x05c2},
	{0x05c4, 0x05c5}, {0x05c7, 0x05c7}, {0x0610, 0x061a}, {0x0640, 0x0640}, {0x064b, 0x065f}, {0x0670, 0x0670}}

func leftOutClass() string { return classOf(leftOut) }

func isMark(r rune) bool { return isIn(leftOut, r) }

// mappings returns the mappings that the service's ASCII folding lacks: from Greek and Cyrillic letters with
// diacritics, from the final sigma, from other forms of Arabic letters and digits, and from narrow Japanese characters
// to the usual ones.
func mappings() []string {
	all := []string{"ς=>σ"}
	for _, r := range "ΆΈΉΊΌΎΏΪΫάέήίόύώϊϋΐΰЁЙЇёйї" {
		all = append(all, string(r)+"=>"+withoutDiacritics(r))
	}
	for _, from := range slices.Sorted(maps.Keys(arabic)) {
		all = append(all, string(from)+"=>"+arabic[from])
	}
	for r := 'ｦ'; r <= 'ﾝ'; r++ {
		for _, voicing := range []string{"ﾞ", "ﾟ", ""} {
			wide := norm.NFKC.String(string(r) + voicing)
			if utf8.RuneCountInString(wide) == 1 {
				all = append(all, string(r)+voicing+"=>"+wide)
			}
		}
	}
	return all
}

// arabic holds the usual forms of letters and digits in Arabic script.
var arabic = func() map[rune]string {
	all := map[rune]string{'أ': "ا", 'إ': "ا", 'آ': "ا", 'ٱ': "ا", 'ؤ': "و", 'ئ': "ي", 'ى': "ي", 'ی': "ي", 'ک': "ك",
		'ہ': "ه"}
	for i := range rune(10) {
		all['٠'+i], all['۰'+i] = string('0'+i), string('0'+i)
	}
	return all
}()

// ranges are the character ranges of the scripts without spaces between words: Thai, Lao, Myanmar, Khmer, and those
// of East Asia. Korean has spaces, but not before particles.
var ranges = [][2]rune{
	{0x0e00, 0x0eff}, {0x1000, 0x109f}, {0x1780, 0x17ff}, {0x2e80, 0x2fdf}, {0x3005, 0x3007}, {0x3021, 0x312f},
	{0x31a0, 0x31ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xa000, 0xa4cf}, {0xac00, 0xd7a3}, {0xf900, 0xfaff},
}

func spaceless() string { return classOf(ranges) }

func isSpaceless(r rune) bool { return isIn(ranges, r) }

// classOf returns ranges in the form of a class of a regular expression.
func classOf(ranges [][2]rune) string {
	var class strings.Builder
	for _, r := range ranges {
		fmt.Fprintf(&class, "%c-%c", r[0], r[1])
	}
	return class.String()
}

func isIn(ranges [][2]rune, r rune) bool {
	return slices.ContainsFunc(ranges, func(s [2]rune) bool { return r >= s[0] && r <= s[1] })
}

// split splits a text into words as the analyzer does.
func split(text string) (words []string) {
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return !search.IsWordRune(r) }) {
		from := 0
		for i, r := range run {
			if isSpaceless(r) {
				if from < i {
					words = append(words, run[from:i])
				}
				words = append(words, string(r))
				from = i + utf8.RuneLen(r)
			}
		}
		if from < len(run) {
			words = append(words, run[from:])
		}
	}
	return words
}

// fold returns a word in the form in which the analyzer indexes it. Only prefixes need to be folded here, because
// they are the only part of a query that the service does not analyze
// (https://learn.microsoft.com/azure/search/query-lucene-syntax#effect-of-an-analyzer-on-wildcard-queries).
func fold(word string) string {
	var out strings.Builder
	for _, r := range word {
		r = unicode.ToLower(r)
		switch {
		case r < utf8.RuneSelf:
			out.WriteRune(r)
		case isMark(r):
		case arabic[r] != "":
			out.WriteString(arabic[r])
		case special[r] != "":
			out.WriteString(special[r])
		default:
			out.WriteString(withoutDiacritics(r))
		}
	}
	folded := []rune(out.String())
	return string(folded[:min(len(folded), maxWord)])
}

// special holds the replacements of letters that Unicode does not decompose, although ASCII folding or the mapping of
// [letters] replaces them.
var special = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'ħ': "h", 'ı': "i", 'þ': "th",
	'ŋ': "n", 'ς': "σ",
}

// withoutDiacritics returns a character in lower case without European diacritics, and in ASCII if it has an ASCII
// equivalent.
func withoutDiacritics(r rune) string {
	strip := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= firstDiacritic && r <= lastDiacritic {
				return -1
			}
			return unicode.ToLower(r)
		}, s)
	}
	if s := strip(norm.NFKD.String(string(r))); strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return s
	}
	return norm.NFC.String(strip(norm.NFD.String(string(r))))
}

// plain returns a text as valid UTF-8 without NUL, so that it can be sent.
func plain(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "")
}

// stems lists the languages whose analyzers remove the endings of words
// (https://learn.microsoft.com/azure/search/index-add-language-analyzers), by primary subtag. The names of the
// analyzers are spelled as in the specification of the API; some pages of its documentation use another case.
var stems = []struct{ languages, analyzer string }{
	{"ar", "ar.lucene"}, {"da", "da.lucene"}, {"de", "de.lucene"}, {"en", "en.lucene"}, {"es", "es.lucene"},
	{"fi", "fi.lucene"},
	{"fr", "fr.lucene"}, {"hu", "hu.lucene"}, {"it", "it.lucene"}, {"nl", "nl.lucene"}, {"no nb nn", "no.lucene"},
	{"pt", "pt-PT.lucene"}, {"ro", "ro.lucene"}, {"ru", "ru.lucene"}, {"sv", "sv.lucene"}, {"tr", "tr.lucene"},
}

// stemField is a field for the stemmed words of one language.
type stemField struct{ name, analyzer string }

func stemFields() (all []stemField) {
	for _, s := range stems {
		all = append(all, stemField{"stems_" + s.languages[:2], s.analyzer})
	}
	return all
}

// stemFieldOf returns the name of a language's field, or "" if the language has no field.
func stemFieldOf(language string) string {
	for _, s := range stems {
		if slices.Contains(strings.Fields(s.languages), language) {
			return "stems_" + s.languages[:2]
		}
	}
	return ""
}

package web

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/tree"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// decode returns the body as valid UTF-8, and the name of its encoding. The order of evidence is that of the HTML
// standard §13.2.3: byte order mark, Content-Type, meta element, and then the bytes themselves. A declaration of
// UTF-8 is ignored if the bytes are not UTF-8, because many servers declare UTF-8 for everything. A meta element
// counts only in markup: in other texts it is part of the text.
func decode(body []byte, contentType string, markup bool) (text []byte, name string) {
	enc, name, certain := charset.DetermineEncoding(body, contentType)
	if !certain || name == "utf-8" && !readsAsUTF8(body) {
		enc, name = guess(body, markup)
	}
	if name == "utf-8" {
		return bytes.ToValidUTF8(bytes.TrimPrefix(body, utf8BOM), replacement), name
	}
	decoded, err := enc.NewDecoder().Bytes(body)
	if err != nil { // Unreachable: the decoders of this package replace invalid bytes.
		decoded = body
	}
	// A byte order mark is not content, not even in UTF-16.
	return bytes.ToValidUTF8(bytes.TrimPrefix(decoded, utf8BOM), replacement), name
}

var (
	utf8BOM     = []byte("\xef\xbb\xbf")
	replacement = []byte("\ufffd")
)

// guess finds the encoding from the body alone. It examines, in this order, the zero bytes of UTF-16, a meta element,
// the byte sequences of UTF-8, and the byte frequencies of other encodings.
func guess(body []byte, markup bool) (encoding.Encoding, string) {
	switch utf16Name(body[:min(len(body), 1024)]) {
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le"
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be"
	}
	asUTF8 := readsAsUTF8(body)
	if markup {
		enc, name := metaCharset(body)
		// Some editors save pages as UTF-8 but keep the windows-1252 declaration of the template.
		if enc != nil && name != "utf-8" && (name != "windows-1252" || !asUTF8) {
			return enc, name
		}
	}
	if asUTF8 {
		return encoding.Nop, "utf-8"
	}
	enc, name := byFrequency(body, charmap.Windows1252, "windows-1252")
	if markup {
		if usual := usualEncodings(body); usual != nil && !slices.Contains(usual, name) {
			return charset.Lookup(usual[0])
		}
	}
	if name != "windows-874" && isThai(body[:min(len(body), 64<<10)]) {
		return charset.Lookup("windows-874")
	}
	if name == "windows-1252" && isLatin9(body) {
		return charmap.ISO8859_15, "iso-8859-15"
	}
	return enc, name
}

// The detection by byte frequencies is used only with at least this many bytes beyond ASCII, and at least this
// confidence, out of 100.
const (
	fewestBytes    = 8
	leastConfident = 10
)

// byFrequency runs the detector, which knows the usual encodings of the usual languages and reads 8 KiB of text. If
// the detector is not sure, byFrequency returns enc and name. If several encodings are equally likely, byFrequency
// returns the first in alphabetical order. The detector tries encodings concurrently, and returns equally likely ones
// in any order.
func byFrequency(body []byte, enc encoding.Encoding, name string) (encoding.Encoding, string) {
	const most = 64 << 10
	body = body[:min(len(body), most)]
	if countHigh(body) < fewestBytes {
		return enc, name
	}
	found, err := chardet.NewHtmlDetector().DetectAll(body)
	if err != nil {
		return enc, name
	}
	slices.SortFunc(found, func(a, b chardet.Result) int {
		return cmp.Or(b.Confidence-a.Confidence, strings.Compare(a.Charset, b.Charset))
	})
	for _, f := range found {
		label := strings.Replace(f.Charset, "GB-18030", "gb18030", 1)
		if e, n := charset.Lookup(label); e != nil && f.Confidence >= leastConfident {
			return e, n
		}
	}
	return enc, name
}

// declaredLang matches the language of a page.
var declaredLang = regexp.MustCompile(`(?i)<html\b[^>]*?\slang\s*=\s*["']?([a-z]+)`)

// usualEncodings returns the encodings that pages in the declared language have, other than those of Unicode; nil if
// the page declares none, or one that is written in windows-1252.
func usualEncodings(body []byte) []string {
	m := declaredLang.FindSubmatch(body[:min(len(body), 4<<10)])
	if m == nil {
		return nil
	}
	switch extract.PrimaryLanguage(string(m[1])) {
	case "th":
		return []string{"windows-874"}
	case "cs", "sk", "pl", "hu", "sl", "hr", "bs", "ro", "sq":
		return []string{"windows-1250", "iso-8859-2", "iso-8859-16"}
	case "ru", "uk", "bg", "be", "sr", "mk":
		return []string{"windows-1251", "koi8-r", "koi8-u", "iso-8859-5", "ibm866", "x-mac-cyrillic"}
	case "el":
		return []string{"windows-1253", "iso-8859-7"}
	case "tr", "az":
		return []string{"windows-1254", "iso-8859-9"}
	case "he", "yi":
		return []string{"windows-1255", "iso-8859-8", "iso-8859-8-i"}
	case "ar", "fa", "ur":
		return []string{"windows-1256", "iso-8859-6"}
	case "lt", "lv", "et":
		return []string{"windows-1257", "iso-8859-13", "iso-8859-4"}
	case "vi":
		return []string{"windows-1258"}
	case "ja":
		return []string{"shift_jis", "euc-jp", "iso-2022-jp"}
	case "ko":
		return []string{"euc-kr"}
	case "zh":
		return []string{"gb18030", "gbk", "big5"}
	}
	return nil
}

// isThai reports whether a text that the detector takes for Chinese, Japanese or Korean is Thai: signs above and below
// letters follow a consonant or another sign, and vowels that are written first precede a consonant. In the other
// languages, words have an even number of bytes.
func isThai(body []byte) bool {
	letters, signs, wrong := 0, 0, 0
	run, odd := 0, 0 // bytes of the present word, and words with an odd number of bytes
	consonant := func(i int) bool { return i >= 0 && i < len(body) && body[i] >= 0xa1 && body[i] <= 0xce }
	isSign := func(i int) bool {
		return i >= 0 && (body[i] == 0xd1 || body[i] >= 0xd4 && body[i] <= 0xda || body[i] >= 0xe7 && body[i] <= 0xee)
	}
	for i, c := range body {
		if c < 0x80 {
			odd, run = odd+run%2, 0
			continue
		}
		letters, run = letters+1, run+1
		switch {
		case isSign(i):
			if signs++; !consonant(i-1) && !isSign(i-1) {
				wrong++
			}
		case c >= 0xe0 && c <= 0xe4 && !consonant(i+1), c >= 0xdb && c <= 0xde, c >= 0xfc, c < 0xa0:
			wrong++
		}
	}
	return odd+run%2 > 0 && letters >= fewestBytes && 50*wrong < letters && 20*signs > letters
}

// isLatin9 reports whether a text that the detector takes for windows-1252 is in iso-8859-15. The detector does not
// distinguish the two. In windows-1252, some of the bytes 80 to 9F are quotation marks; in iso-8859-15, none are.
// Where windows-1252 has signs and fractions, iso-8859-15 has letters and the euro.
func isLatin9(body []byte) bool {
	letters, signs := 0, 0
	for i, c := range body {
		switch {
		case c >= 0x80 && c < 0xa0:
			return false
		case c == 0xa4: // in windows-1252, 0xa4 is a sign that is hardly ever written
			letters++
		case !strings.Contains("\xa6\xa8\xb4\xb8\xbc\xbd\xbe", string([]byte{c})):
		case i+1 < len(body) && isLatin(body[i+1]):
			letters++
		default:
			signs++
		}
	}
	return letters > signs
}

func isLatin(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0xc0 }

// metaCharset returns the encoding that the first meta element with an encoding declares (standard §13.2.3.2), or nil
// if there is none. Browsers accept such an element anywhere in a page. metaCharset searches the page up to a bound.
func metaCharset(body []byte) (encoding.Encoding, string) {
	const most = 512 << 10
	z := html.NewTokenizer(bytes.NewReader(body[:min(len(body), most)]))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return nil, ""
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, more := z.TagName(); string(name) != "meta" || !more {
				continue
			}
			if enc, name := charset.Lookup(metaLabel(z)); enc != nil {
				if strings.HasPrefix(name, "utf-16") { // if the body were UTF-16, the element could not be read here
					return encoding.Nop, "utf-8"
				}
				return enc, name
			}
		}
	}
}

// contentCharset matches the label in the content of a meta element (standard §2.6.6).
var contentCharset = regexp.MustCompile(`(?i)charset[\t\n\f\r ]*=[\t\n\f\r ]*["']?([^"';\t\n\f\r ]+)`)

// metaLabel returns the encoding label in the meta element at the position of z, or "".
func metaLabel(z *html.Tokenizer) string {
	label, pragma, content := "", false, ""
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "charset":
			label = cmp.Or(label, string(value))
		case "http-equiv":
			pragma = pragma || strings.EqualFold(string(value), "content-type")
		case "content":
			content = cmp.Or(content, string(value))
		}
	}
	if m := contentCharset.FindStringSubmatch(content); m != nil && pragma {
		return cmp.Or(label, m[1])
	}
	return label
}

// countHigh returns the number of bytes beyond ASCII.
func countHigh(body []byte) int {
	n := 0
	for _, c := range body {
		n += int(c >> 7)
	}
	return n
}

// utf16Name recognizes UTF-16 and its byte order by the positions of the zero bytes of ASCII characters. It returns
// "" for other text.
func utf16Name(head []byte) string {
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch {
	case zeros[0]+zeros[1] <= len(head)/3:
		return ""
	case zeros[1] > 4*zeros[0]:
		return "utf-16le"
	case zeros[0] > 4*zeros[1]:
		return "utf-16be"
	}
	return ""
}

// readsAsUTF8 reports whether most sequences of bytes beyond ASCII are characters of UTF-8. It tolerates a few broken
// sequences, and an incomplete sequence at the end of a body that was cut.
func readsAsUTF8(body []byte) bool {
	if utf8.Valid(body) || bytes.HasPrefix(body, utf8BOM) {
		return true
	}
	characters, broken := 0, 0
	for len(body) > 0 {
		c, size := utf8.DecodeRune(body)
		switch {
		case size > 1:
			characters++
		case c == utf8.RuneError && utf8.FullRune(body):
			broken++
		}
		body = body[size:]
	}
	return characters >= broken
}

// Tree returns the tree of an HTML page. It is the tree that [Extract] reads, for callers that search it for
// something else. Tree returns nil if the page is too large or too tangled to parse.
func Tree(body []byte, contentType string) (root *html.Node) {
	defer func() { // recovers for the same reason as [structured]
		if recover() != nil {
			root = nil
		}
	}()
	text, _ := decode(body, contentType, true)
	return tree.Parse(text, extract.Limits{}.WithDefaults().MaxTags)
}

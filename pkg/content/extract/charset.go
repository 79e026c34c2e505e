package extract

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// decode gives the body as valid UTF-8 and the name of the encoding it was in. The order is that
// of the HTML standard §13.2.3: byte order mark, Content-Type, meta element; then what the bytes
// look like.
func decode(body []byte, contentType string) (text []byte, name string) {
	enc, name, certain := charset.DetermineEncoding(body, contentType)
	if !certain {
		enc, name = guess(body, enc, name)
	}
	if name == "utf-8" {
		return bytes.ToValidUTF8(bytes.TrimPrefix(body, utf8BOM), replacement), name
	}
	decoded, err := enc.NewDecoder().Bytes(body)
	if err != nil { // Unreachable: decoders of this package replace what they cannot read.
		decoded = body
	}
	// A byte order mark is not content, in UTF-16 either.
	return bytes.ToValidUTF8(bytes.TrimPrefix(decoded, utf8BOM), replacement), name
}

var (
	utf8BOM     = []byte("\xef\xbb\xbf")
	replacement = []byte("\ufffd")
)

// guess improves on the library's fallback, which looks at 1,024 bytes and knows UTF-8 and
// windows-1252 only: UTF-16 without a mark is told by its zeros, UTF-8 by the whole body, and
// other encodings by the frequencies of their bytes.
func guess(body []byte, enc encoding.Encoding, name string) (encoding.Encoding, string) {
	head := body[:min(len(body), 1024)]
	switch utf16Name(head) {
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le"
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be"
	}
	if name != "windows-1252" { // a meta element, or UTF-8 from the first
		return enc, name
	}
	if validUTF8(body) {
		return encoding.Nop, "utf-8"
	}
	if bytes.Contains(bytes.ToLower(head), []byte("charset")) { // windows-1252 by name
		return enc, name
	}
	return byFrequency(body, enc, name)
}

// Frequencies of bytes are believed from so many bytes beyond ASCII and so much confidence, of 100.
const (
	fewestBytes    = 8
	leastConfident = 10
)

// byFrequency asks the detector, which knows the usual encodings of the usual languages and looks
// at 8 KiB of text. Where several are equally likely, the first by name is taken: the detector
// tries them side by side and reports equals in any order. What it is not sure of stays enc.
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

// countHigh is the number of bytes beyond ASCII.
func countHigh(body []byte) int {
	n := 0
	for _, c := range body {
		n += int(c >> 7)
	}
	return n
}

// utf16Name tells UTF-16 and its byte order by where the zeros of ASCII characters stand; "" for
// other text.
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

// validUTF8 forgives a character that the byte bound cut in two.
func validUTF8(body []byte) bool {
	for i := len(body) - 1; i >= 0 && i > len(body)-utf8.UTFMax; i-- {
		if utf8.RuneStart(body[i]) {
			if !utf8.FullRune(body[i:]) {
				body = body[:i]
			}
			break
		}
	}
	return utf8.Valid(body)
}

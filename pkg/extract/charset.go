package extract

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// decode gives the body as valid UTF-8 and the name of the encoding it was in. The order is that
// of the HTML standard §13.2.3: byte order mark, Content-Type, meta element; then a guess.
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
	return bytes.ToValidUTF8(decoded, replacement), name
}

var (
	utf8BOM     = []byte("\xef\xbb\xbf")
	replacement = []byte("\ufffd")
)

// guess improves on the library's fallback, which looks at 1,024 bytes and knows UTF-8 and
// windows-1252 only: the whole body is looked at, and UTF-16 without a mark is told by its zeros.
func guess(body []byte, enc encoding.Encoding, name string) (encoding.Encoding, string) {
	switch utf16Name(body[:min(len(body), 1024)]) {
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le"
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be"
	}
	if name == "windows-1252" && validUTF8(body) {
		return encoding.Nop, "utf-8"
	}
	return enc, name
}

// utf16Name tells UTF-16 and its byte order by where the zeros of ASCII characters stand; "" for
// what is none.
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

package listimport

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// declared matches the declaration of an encoding in XML or HTML.
var declared = regexp.MustCompile(`(?i)(?:encoding|charset)\s*=\s*["']?([a-z0-9._-]+)`)

// unicodeOf returns a list in UTF-8. A list that is UTF-8 stays as it is, whatever it declares: a client may have
// decoded it. Any other list is in UTF-16, in the encoding that it declares, or in windows-1252.
func unicodeOf(text []byte) []byte {
	var enc encoding.Encoding
	switch zeros := bytes.Count(text[:min(len(text), 1000)], []byte{0}); {
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		enc = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
	case zeros > 0 && 3*zeros > min(len(text), 1000) && text[0] == 0:
		enc = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case zeros > 0 && 3*zeros > min(len(text), 1000):
		enc = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case utf8.Valid(text):
		return text
	default:
		enc = charmap.Windows1252
		if m := declared.FindSubmatch(text[:min(len(text), 1000)]); m != nil {
			if e, name := charset.Lookup(string(m[1])); e != nil && name != "utf-8" && name != "replacement" {
				enc = e
			}
		}
	}
	out, err := enc.NewDecoder().Bytes(text)
	if err != nil {
		return text
	}
	return out
}

package listimport

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strings"
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

// Parts splits a list that is too long for one import into lists of JSON Lines. Each has at most [MaxAddresses]
// addresses, and about the given number of bytes. Parts also returns the addresses and the lines that are refused. Its
// errors are those of parse.
func Parts(text []byte, format Format, most int) (parts []string, refused []Address, err error) {
	l := &list{seen: map[string]bool{}, most: math.MaxInt}
	if err := l.parse(text, format); err != nil {
		return nil, nil, err
	}
	var b strings.Builder
	n := 0
	for _, a := range l.all {
		if a.Why != "" {
			refused = append(refused, a)
			continue
		}
		if b.Len() > most || n == MaxAddresses/2 {
			parts, n = append(parts, b.String()), 0
			b.Reset()
		}
		line, err := json.Marshal(map[string]any{"url": a.URL, "tags": a.Tags})
		if err != nil {
			return nil, nil, err // Unreachable: texts can be encoded.
		}
		b.Write(line)
		b.WriteByte('\n')
		n++
	}
	if n > 0 {
		parts = append(parts, b.String())
	}
	return parts, refused, nil
}

// Unicode returns a list in UTF-8, whatever its encoding.
func Unicode(text []byte) string { return string(unicodeOf(text)) }

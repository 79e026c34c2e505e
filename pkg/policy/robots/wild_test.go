package robots

import (
	"testing"

	"golang.org/x/text/encoding/unicode"
)

// TestX10Charsets checks that a robots.txt in UTF-16, with several byte order marks or with no-break spaces is read
// (X10).
func TestX10Charsets(t *testing.T) {
	const rules = "User-agent: *\r\nDisallow: /private\r\n"
	encode := func(order unicode.Endianness, mark unicode.BOMPolicy) string {
		s, err := unicode.UTF16(order, mark).NewEncoder().String(rules)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, body := range map[string]string{
		"little endian with a mark": encode(unicode.LittleEndian, unicode.UseBOM),
		"big endian with a mark":    encode(unicode.BigEndian, unicode.UseBOM),
		"little endian":             encode(unicode.LittleEndian, unicode.IgnoreBOM),
		"big endian":                encode(unicode.BigEndian, unicode.IgnoreBOM),
		"two marks":                 "\ufeff\ufeff" + rules,
		"no width":                  "\u200b\ufeff" + rules,
		"no-break spaces":           "User-agent:\u00a0*\nDisallow:\u00a0/private\n",
	} {
		r := Parse([]byte(body))
		if r.Allowed("tidemark", "/private/x") || !r.Allowed("tidemark", "/x") {
			t.Errorf("%s: the rules are not those of the text", name)
		}
	}
}

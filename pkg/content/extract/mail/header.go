package mail

import (
	"strings"
	"unicode/utf8"

	"github.com/jhillyerd/enmime/v2"
	"github.com/tidemark/tidemark/pkg/base/wallclock"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// field returns the value of a header field of a mail, on one line.
func field(root *enmime.Part, name string) string {
	value := words.Clip(root.Header.Get(name), maxRaw)
	if !utf8.ValidString(value) {
		value = legacy(value, root)
	}
	return decode(value)
}

// legacy decodes bytes outside ASCII that are not in an encoded word, in the charset of the first part that declares
// one. Many programs sent such bytes before RFC 6532. Without legacy, the letters would be lost. Two different
// subjects could become equal, and their threads would be joined.
func legacy(value string, root *enmime.Part) string {
	var enc encoding.Encoding = charmap.Windows1252
	declared := root.DepthMatchFirst(func(p *enmime.Part) bool { return p.Charset != "" })
	if declared != nil {
		if e, name := charset.Lookup(declared.Charset); e != nil && !strings.HasPrefix(name, "utf-") &&
			name != "replacement" {
			enc = e
		}
	}
	if decoded, err := enc.NewDecoder().String(value); err == nil {
		return decoded
	}
	return value
}

// decode decodes encoded words, up to a bound on the length of the value.
func decode(value string) string {
	value = strings.ToValidUTF8(decodeWords(words.Clip(value, maxRaw)), "\ufffd")
	return words.Clip(dom.Fold(value), maxField)
}

// envelope returns one line for each field that gives the sender, the recipients or the date.
func (r *reader) envelope(root *enmime.Part) string {
	var lines []string
	for _, name := range []string{"From", "To", "Cc", "Date"} {
		if raw := root.Header.Get(name); len(raw) > maxField {
			r.out.SkipBytes(extract.OnlyBytes(maxField)+" of a field such as "+name, []byte(raw[maxField:]))
		}
		value := field(root, name)
		if name == "Date" {
			value = date(value)
		}
		if value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	return strings.Join(lines, "\n")
}

// date returns a date in a form that can be sorted. If the value is not a date (RFC 5322 §3.3), date returns it
// unchanged.
func date(value string) string {
	t, zone, ok := wallclock.ParseDate(value)
	switch {
	case !ok:
		return value
	case !zone:
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("2006-01-02 15:04 -0700")
}

// fileName returns the name of an attachment, or "".
func fileName(p *enmime.Part) string {
	name := p.FileName
	if !utf8.ValidString(name) {
		name = legacy(name, p)
	}
	return words.Clip(decode(name), maxName)
}

package mail

import (
	"mime"
	"net/mail"
	"strings"
	"unicode/utf8"

	"github.com/jhillyerd/enmime/v2"
	"github.com/tidemark/tidemark/pkg/extract"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// words decodes RFC 2047 with the charsets of the Encoding standard.
var words = mime.WordDecoder{CharsetReader: charset.NewReaderLabel}

// field is what a header field of a mail says, on one line.
func field(root *enmime.Part, name string) string {
	value := bounded(root.Header.Get(name))
	if !utf8.ValidString(value) {
		value = legacy(value, root)
	}
	return decode(value)
}

// legacy reads bytes that no encoded word tells the charset of, as many programs sent them before there
// was RFC 6532, in the charset of the mail's first part that has one. Letters that were lost would make
// two subjects the same, and so two threads one.
func legacy(value string, root *enmime.Part) string {
	var enc encoding.Encoding = charmap.Windows1252
	declared := root.DepthMatchFirst(func(p *enmime.Part) bool { return p.Charset != "" })
	if declared != nil {
		if e, name := charset.Lookup(declared.Charset); e != nil && !strings.HasPrefix(name, "utf-") && name != "replacement" {
			enc = e
		}
	}
	if decoded, err := enc.NewDecoder().String(value); err == nil {
		return decoded
	}
	return value
}

// bounded keeps words without an end from being searched for it again and again.
func bounded(value string) string {
	if len(value) <= maxField {
		return value
	}
	n := maxField
	for n > maxField-utf8.UTFMax && !utf8.RuneStart(value[n]) {
		n--
	}
	return value[:n]
}

// decode reads encoded words.
func decode(value string) string {
	value = bounded(value)
	if decoded, err := words.DecodeHeader(value); err == nil {
		value = decoded
	}
	return extract.Fold(strings.ToValidUTF8(value, "\ufffd"))
}

// envelope is one line for each field that says who wrote to whom and when.
func envelope(root *enmime.Part) string {
	var lines []string
	for _, name := range []string{"From", "To", "Cc", "Date"} {
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

// date is a date in the order that sorts, or as written if it is none (RFC 5322 §3.3).
func date(value string) string {
	t, err := mail.ParseDate(value)
	if err != nil {
		return value
	}
	return t.Format("2006-01-02 15:04 -0700")
}

// fileName is the name of an attachment, or "".
func fileName(p *enmime.Part) string {
	name := decode(p.FileName)
	return strings.ToValidUTF8(name[:min(len(name), maxName)], "")
}

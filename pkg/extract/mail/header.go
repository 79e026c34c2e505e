package mail

import (
	"mime"
	"net/mail"
	"strings"

	"github.com/jhillyerd/enmime/v2"
	"github.com/tidemark/tidemark/pkg/extract"
	"golang.org/x/net/html/charset"
)

// words decodes RFC 2047 with the charsets of the Encoding standard.
var words = mime.WordDecoder{CharsetReader: charset.NewReaderLabel}

// field is what a header field says, on one line.
func field(p *enmime.Part, name string) string { return decode(p.Header.Get(name)) }

// decode reads encoded words. The bound keeps words without an end from being searched for it
// again and again.
func decode(value string) string {
	value = value[:min(len(value), maxField)]
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

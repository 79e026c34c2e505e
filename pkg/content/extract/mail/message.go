package mail

import (
	"mime"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jhillyerd/enmime/v2"
	"golang.org/x/net/html/charset"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Message is a mail as people read it: its text without the header and the attachments. [Message.Header] returns
// single header fields.
type Message struct {
	// Document holds the texts of the mail itself. Its title is the subject. If there is no subject, its title is the
	// first heading.
	Document extract.Document
	// Missing is the reason why the text of the mail cannot be read; "" if it can be, or if the mail has none.
	Missing string
	root    *enmime.Part
}

// Read reads a mail as [Extract] does, within the same bounds, but keeps only the text of the mail itself. Errors:
// Invalid.
func Read(body []byte, baseURL string, lim extract.Limits) (Message, error) {
	r, body, err := newReader(body, baseURL, lim)
	if err != nil {
		return Message{}, err
	}
	root, err := r.parse(body)
	if err != nil {
		return Message{}, err
	}
	r.language = extract.PrimaryLanguage(field(root, "Content-Language"))
	var attached []*enmime.Part
	if err := r.part(root, true, &attached); err != nil {
		return Message{}, err
	}
	m := Message{Document: r.document(field(root, "Subject")), root: root}
	if strings.TrimSpace(m.Document.Text) == "" {
		m.Missing = r.missing(root)
	}
	return m, nil
}

// missing returns the reason why a mail has no text.
func (r *reader) missing(root *enmime.Part) (why string) {
	root.DepthMatchFirst(func(p *enmime.Part) bool {
		switch kind := p.ContentType; {
		case strings.HasSuffix(kind, "pkcs7-mime"), kind == "multipart/encrypted", kind == "application/pgp-encrypted":
			why = "its text is encrypted, or signed so that only a program with its keys reads it (" + kind + ")"
		case isText(p, r.body) && isPlain(p) && strings.ContainsFunc(string(p.Content), isLetter):
			why = "its text is not readable as text"
		}
		return why != ""
	})
	return why
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Header returns the value of the first field with that name, decoded (RFC 2047) and on one line, or "" if there is
// none.
func (m Message) Header(name string) string { return field(m.root, name) }

// FormerHeader returns a field as it was decoded before words of one charset in a row were decoded together. Entries
// of that time are known by such subjects.
func (m Message) FormerHeader(name string) string {
	value := words.Clip(m.root.Header.Get(name), maxField)
	if !utf8.ValidString(value) {
		value = legacy(value, m.root)
	}
	former := mime.WordDecoder{CharsetReader: charset.NewReaderLabel}
	if decoded, err := former.DecodeHeader(words.Clip(value, maxField)); err == nil {
		value = decoded
	}
	return dom.Fold(strings.ToValidUTF8(value, "\ufffd"))
}

// DecodeField decodes the encoded words of a header field.
func DecodeField(value string) string { return decode(value) }

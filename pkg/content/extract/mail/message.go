package mail

import (
	"strings"
	"unicode"

	"github.com/jhillyerd/enmime/v2"
	"github.com/tidemark/tidemark/pkg/content/extract"
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

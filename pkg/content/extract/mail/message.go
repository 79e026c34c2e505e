package mail

import (
	"github.com/jhillyerd/enmime/v2"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// Message is a mail as people read it: its text without the header and the attachments. [Message.Header] returns
// single header fields.
type Message struct {
	// Document holds the texts of the mail itself. Its title is the subject. If there is no subject, its title is the
	// first heading.
	Document extract.Document
	root     *enmime.Part
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
	return Message{Document: r.document(field(root, "Subject")), root: root}, nil
}

// Header returns the value of the first field with that name, decoded (RFC 2047) and on one line, or "" if there is
// none.
func (m Message) Header(name string) string { return field(m.root, name) }

package mail

import (
	"github.com/jhillyerd/enmime/v2"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// Message is a mail as people read it: its text without header and attachments. The header can be asked
// for by field.
type Message struct {
	// Document has the texts of the mail itself. Its title is the subject, or the first heading of a
	// mail without one.
	Document extract.Document
	root     *enmime.Part
}

// Read reads a mail as [Extract] does, within the same bounds, but leaves out what its writer did not write as
// its text. The error is Invalid.
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

// Header is what the first field of a name says, decoded (RFC 2047) and on one line; "" for none.
func (m Message) Header(name string) string { return field(m.root, name) }

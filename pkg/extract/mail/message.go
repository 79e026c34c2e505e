package mail

import (
	"github.com/jhillyerd/enmime/v2"
	"github.com/tidemark/tidemark/pkg/extract"
)

// Message is a mail as it is read by people: its text without header and attachments, and its
// header for who asks.
type Message struct {
	// Document has the texts of the mail itself. Its title is the subject, or the first heading of a
	// mail without one.
	Document extract.Document
	root     *enmime.Part
}

// Read reads a mail as [Extract] does, within the same bounds, but leaves out what is no text of its
// writer. The error is Invalid.
func Read(body []byte, baseURL string, lim extract.Limits) (Message, error) {
	r, body, err := newReader(body, baseURL, lim)
	if err != nil {
		return Message{}, err
	}
	root, p, err := parse(body, r.header)
	r.cut = r.cut || p.cut
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

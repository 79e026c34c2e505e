// Package mail turns mails (RFC 5322, MIME) into the blocks of an [extract.Document]. The blocks hold the sender, the
// recipients and the date, the text of the mail, the names of the attachments, and the text of attached mails and
// text files. The subject is the title.
//
// If a mail has the same text as plain text and as HTML, the package reads the plain text and only the links of the
// HTML. Package web reads the texts, so the same bytes always give the same document in every charset.
//
// # Alternatives considered
//
// mime/multipart and net/mail reject much of what mail programs send. enmime accepts these mails, but its own
// conversion to text guesses charsets with concurrent detectors, whose order is random, and turns every layout into a
// table. Only its parser is used here.
package mail

import (
	"cmp"
	"net/url"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// MediaType is the type of the documents that [Extract] reads.
const MediaType = "message/rfc822"

// Bounds on a mail.
const (
	maxBody   = 5 << 20   // bytes to read, unless [extract.Limits] has another bound
	maxParts  = 200       // texts and attachments, including those of attached mails
	maxNested = 10        // multiparts of one mail; each of them makes reading slower
	maxMails  = 3         // levels of mails: a mail attached to a mail that is attached to a mail
	maxHeader = 256 << 10 // bytes to read of all headers, including those of parts and attached mails
	maxRaw    = 16 << 10  // bytes to read of a header field as it was sent
	maxField  = 2000      // bytes of a header field without its encoding
	maxName   = 200       // bytes of the name of an attachment
)

// Extract reads a mail. It resolves addresses against baseURL. The field MaxBytes of lim bounds the body as well as
// the text. A mail that exceeds a bound is cut, and its document says so in Cut. Errors: Invalid when the mail cannot
// be parsed or baseURL is not a URL.
func Extract(body []byte, baseURL string, lim extract.Limits) (extract.Document, error) {
	r, body, err := newReader(body, baseURL, lim)
	if err != nil {
		return extract.Document{}, err
	}
	subject, err := r.mail(body, 1)
	if err != nil {
		return extract.Document{}, err
	}
	return r.document(subject), nil
}

// newReader returns a reader, and the part of the mail that is within the limits.
func newReader(body []byte, baseURL string, lim extract.Limits) (*reader, []byte, error) {
	base, err := url.Parse(baseURL)
	if err != nil {
		return nil, nil, fault.Field("baseURL", "base URL must be absolute http or https")
	}
	lim.MaxBytes = cmp.Or(lim.MaxBytes, maxBody)
	r := &reader{out: extract.NewComposer(MediaType, lim), base: base, limits: lim, parts: maxParts, header: maxHeader}
	if len(body) > lim.MaxBytes {
		r.out.SkipBytes(extract.OnlyBytes(lim.MaxBytes), body[lim.MaxBytes:])
		body = body[:lim.MaxBytes]
	}
	return r, body, nil
}

// document returns the document of everything read so far.
func (r *reader) document(subject string) extract.Document {
	doc := r.out.Document(r.language, subject)
	doc.Charset, doc.LanguageDetected = r.charset, doc.LanguageDetected || r.detected
	return doc
}

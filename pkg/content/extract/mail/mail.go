// Package mail turns mails (RFC 5322, MIME) into the blocks of an [extract.Document]: who wrote to
// whom and when, the text of the mail, the names of what is attached, and the attached mails and
// texts themselves. The subject is the title.
//
// Of alternatives the plain text is taken, else the HTML; links come from HTML either way. Texts
// are read by package extract, so the same bytes always give the same document, whatever charset
// they are in.
//
// # Alternatives considered
//
// mime/multipart and net/mail give up on much of what mail programs send. enmime reads on, but its
// own way to text guesses charsets by detectors that race each other, and makes a table of every
// layout; only its parser is used here.
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
	maxBody   = 5 << 20   // bytes that are read, unless [extract.Limits] says otherwise
	maxParts  = 200       // texts and attachments, those of attached mails included
	maxNested = 10        // multiparts of one mail; the time to read it grows by each
	maxMails  = 3         // a mail attached to a mail attached to a mail
	maxHeader = 256 << 10 // bytes of all headers that are read, those of parts and attached mails included
	maxField  = 2000      // bytes of a header field that are read
	maxName   = 200       // bytes of the name of an attachment
)

// Extract reads a mail. Addresses are resolved against baseURL. Of lim, MaxBytes bounds the body as
// well as the text. A mail that reaches a bound is cut and marked Truncated. The error is Invalid:
// the mail cannot be parsed, or baseURL is not a URL.
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

// newReader also gives as much of the mail as is read.
func newReader(body []byte, baseURL string, lim extract.Limits) (*reader, []byte, error) {
	base, err := url.Parse(baseURL)
	if err != nil {
		return nil, nil, fault.Field("baseURL", "base URL must be absolute http or https")
	}
	lim.MaxBytes = cmp.Or(lim.MaxBytes, maxBody)
	r := &reader{out: extract.NewComposer(MediaType, lim), base: base, limits: lim, parts: maxParts, header: maxHeader}
	if len(body) > lim.MaxBytes {
		body, r.cut = body[:lim.MaxBytes], true
	}
	return r, body, nil
}

// document is what was read.
func (r *reader) document(subject string) extract.Document {
	doc := r.out.Document(r.language, subject)
	doc.Charset, doc.LanguageDetected = r.charset, doc.LanguageDetected || r.detected
	doc.Truncated = doc.Truncated || r.cut
	return doc
}

package mail

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/jhillyerd/enmime/v2"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// reader is the state of reading a mail and the mails attached to it.
type reader struct {
	out    *extract.Composer
	base   *url.URL
	limits extract.Limits

	parts    int    // number of parts that may still be read
	header   int    // number of bytes of headers that may still be read
	language string // language of the first text that has one
	detected bool
	charset  string    // charset of the first text
	body     bodyTexts // which texts of the present mail are its body
}

// mail adds a mail and returns its subject. At depth 1, the mail is the document itself; at depth 2, it is attached
// to this mail.
func (r *reader) mail(body []byte, depth int) (subject string, err error) {
	root, err := r.parse(body)
	if err != nil {
		return "", err
	}
	subject = field(root, "Subject")
	if depth > 1 {
		r.out.Add(extract.Block{Kind: extract.Heading, Level: 2, Text: subject})
	} else {
		r.language = extract.PrimaryLanguage(field(root, "Content-Language"))
	}
	r.out.Add(extract.Block{Kind: extract.Paragraph, Text: r.envelope(root)})
	var attached []*enmime.Part
	if err := r.part(root, true, &attached); err != nil {
		return "", err
	}
	r.out.Add(extract.Block{Kind: extract.List, Text: names(attached)})
	for _, p := range attached {
		r.attachment(p, depth)
	}
	return subject, nil
}

// parse splits a mail into its parts, within the bounds that remain.
func (r *reader) parse(body []byte) (*enmime.Part, error) {
	body, cut := mend(body)
	root, p, err := parse(body, r.header)
	r.header = p.header
	for _, l := range append(cut, p.left...) {
		r.out.SkipBytes(l.why, l.text)
	}
	if err == nil {
		r.body = bodyOf(root)
	}
	return root, err
}

// part adds the texts of a part and collects its attachments. If p belongs to an alternative that was not chosen,
// part only adds the links of p.
func (r *reader) part(p *enmime.Part, chosen bool, attached *[]*enmime.Part) error {
	if isMultipart(p) {
		if p.FirstChild == nil && len(p.Content) > 0 {
			r.out.SkipBytes(extract.Only(maxNested, "multipart"), p.Content)
		}
		choice := r.choose(p)
		for c := p.FirstChild; c != nil; c = c.NextSibling {
			if err := r.part(c, chosen && (choice == nil || c == choice), attached); err != nil {
				return err
			}
		}
		return nil
	}
	if r.parts--; r.parts < 0 {
		r.out.SkipBytes(onlyParts, p.Content)
		return nil
	}
	if !isText(p, r.body) {
		if !isDecoration(p) {
			*attached = append(*attached, p)
		}
		return nil
	}
	return r.text(p, chosen)
}

// choose returns the alternative to read: the first plain text, or else the first part that may hold a text. It
// returns nil unless p is multipart/alternative.
func (r *reader) choose(p *enmime.Part) *enmime.Part {
	if p.ContentType != "multipart/alternative" {
		return nil
	}
	var other, last *enmime.Part
	for c := p.FirstChild; c != nil; c = c.NextSibling {
		text := isText(c, r.body) && len(bytes.TrimSpace(c.Content)) > 0
		switch {
		case text && isPlain(c):
			return c
		case other == nil && (text && isHTML(c) && !isBeside(c) || isMultipart(c)):
			other = c
		case last == nil && text:
			last = c
		}
	}
	return cmp.Or(other, last, p.FirstChild)
}

// text adds a text of the mail itself.
func (r *reader) text(p *enmime.Part, chosen bool) error {
	if !chosen && !isHTML(p) {
		return nil
	}
	base := *r.base
	if !isHTML(p) {
		base.Path = "/" // the name of the mail's file says nothing about the type of this text
	}
	content, contentType := readAs(p)
	doc, err := web.Letter(content, contentType, base.String(), r.limits)
	if err != nil {
		return err
	}
	if chosen {
		r.add(doc)
	} else {
		r.links(doc)
	}
	return nil
}

func (r *reader) add(doc extract.Document) {
	if r.language == "" {
		r.language, r.detected = doc.Language, doc.LanguageDetected
	}
	r.charset = cmp.Or(r.charset, doc.Charset)
	for _, b := range doc.Blocks {
		r.out.Add(b)
	}
	r.out.Include(doc)
	r.links(doc)
}

func (r *reader) links(doc extract.Document) {
	for _, l := range doc.Links {
		r.out.Link(l.URL, l.Text)
	}
}

// attachment adds the text of an attachment that is a mail, or a text that package web reads. A broken attachment
// adds nothing; its name is already in the list of names.
func (r *reader) attachment(p *enmime.Part, depth int) {
	if p.ContentType == MediaType {
		if depth == maxMails {
			r.out.SkipBytes(fmt.Sprintf("mails that are attached %d deep are not read", maxMails), p.Content)
			return
		}
		_, _ = r.mail(p.Content, depth+1)
		return
	}
	name := fileName(p)
	address := url.URL{Scheme: r.base.Scheme, Host: r.base.Host, Path: "/" + name}
	content, contentType := p.Content, p.ContentType
	if isWritten(p) {
		content, contentType = readAs(p)
	}
	doc, err := web.Extract(content, contentType, address.String(), r.limits)
	if err != nil || doc.Unsupported || doc.Text == "" {
		return
	}
	r.out.Add(extract.Block{Kind: extract.Heading, Level: 2, Text: name})
	r.add(doc)
}

// names returns the list of the attachments' names. Attachments without a name are left out.
func names(attached []*enmime.Part) string {
	var lines []string
	for _, p := range attached {
		if name := fileName(p); name != "" {
			lines = append(lines, "- "+name)
		}
	}
	return strings.Join(lines, "\n")
}

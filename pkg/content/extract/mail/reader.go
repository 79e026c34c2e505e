package mail

import (
	"fmt"
	"net/url"
	"slices"
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
	charset  string // charset of the first text
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
	root, p, err := parse(body, r.header)
	r.header = p.header
	for _, l := range p.left {
		r.out.SkipBytes(l.why, l.text)
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
		choice := choose(p)
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
	if !isText(p) {
		if !isDecoration(p) {
			*attached = append(*attached, p)
		}
		return nil
	}
	return r.text(p, chosen)
}

// choose returns the alternative to read: the first plain text, or else the first part that may hold a text. It
// returns nil unless p is multipart/alternative.
func choose(p *enmime.Part) *enmime.Part {
	if p.ContentType != "multipart/alternative" {
		return nil
	}
	var other *enmime.Part
	for c := p.FirstChild; c != nil; c = c.NextSibling {
		if isText(c) && !isHTML(c) && len(strings.TrimSpace(string(c.Content))) > 0 {
			return c
		}
		if other == nil && (isHTML(c) || isMultipart(c)) {
			other = c
		}
	}
	if other == nil {
		return p.FirstChild
	}
	return other
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
	doc, err := web.Extract(sound(p), contentType(p), base.String(), r.limits)
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

// sound returns the content of a text without control bytes. Damaged mailboxes are full of control bytes, and a
// single one would make the text look like binary data. In UTF-16 and UTF-32, sound keeps these bytes, because they
// are parts of letters.
func sound(p *enmime.Part) []byte {
	if wide := strings.ToLower(p.Charset); strings.Contains(wide, "16") || strings.Contains(wide, "32") ||
		strings.Contains(wide, "ucs") {
		return p.Content
	}
	return slices.DeleteFunc(p.Content,
		func(b byte) bool { return b < ' ' && !strings.ContainsRune("\t\n\f\r\x1b", rune(b)) })
}

func (r *reader) add(doc extract.Document) {
	if r.language == "" {
		r.language, r.detected = doc.Language, doc.LanguageDetected
	}
	if r.charset == "" {
		r.charset = doc.Charset
	}
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
	doc, err := web.Extract(p.Content, contentType(p), address.String(), r.limits)
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

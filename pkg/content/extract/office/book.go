package office

import (
	"cmp"
	"encoding/xml"
	"net/url"
	"path"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/head"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// Electronic books (EPUB 2 and 3) are read chapter by chapter in reading order, each like a web page on which
// everything is content.

// EPUBType is the type of the documents that [EPUB] reads.
const EPUBType = "application/epub+zip"

// book is the package document of a book.
type book struct {
	title, language, author, date string
	files                         map[string]string // addresses of the chapters, by id
	spine                         []string          // ids of the chapters, in order
}

// EPUB reads a book. The field MaxBytes of lim bounds the text. Errors: Blocked for a book that is encrypted,
// TooLarge, Invalid for a broken file.
func EPUB(body []byte, lim extract.Limits) (extract.Document, error) {
	a, err := openArchive(body)
	if err != nil {
		return extract.Document{}, err
	}
	main := ""
	err = a.Required("META-INF/container.xml", func(p *xmlPart, _ xml.StartElement) {
		p.children(func(xml.StartElement) {
			p.children(func(e xml.StartElement) {
				main = cmp.Or(main, attr(e, "full-path"))
			})
		})
	})
	if err != nil {
		return extract.Document{}, err
	}
	b := book{files: map[string]string{}}
	if err := a.Required(main, b.read); err != nil {
		return extract.Document{}, err
	}
	out := extract.NewComposer(EPUBType, lim)
	read, encrypted, err := b.chapters(a, path.Dir(main), out, lim)
	switch {
	case err != nil:
		return extract.Document{}, err
	case read == 0 && encrypted:
		return extract.Document{}, fault.New(fault.Blocked, "the book is encrypted")
	case read == 0:
		return extract.Document{}, fault.New(fault.Invalid, "broken book: it has no chapter that can be read")
	}
	doc := out.Document(extract.PrimaryLanguage(b.language), b.title)
	doc.Metadata = extract.Metadata{Published: head.Date(b.date), Author: head.Names(b.author)}
	return doc, nil
}

// read reads the package document (EPUB 3.3 §5).
func (b *book) read(p *xmlPart, _ xml.StartElement) {
	p.children(func(e xml.StartElement) {
		switch e.Name.Local {
		case "metadata":
			p.children(func(e xml.StartElement) {
				to := map[string]*string{"title": &b.title, "language": &b.language, "creator": &b.author, "date": &b.date}
				if s := to[e.Name.Local]; s != nil && *s == "" {
					p.short(s)
				}
			})
		case "manifest":
			p.children(func(e xml.StartElement) {
				if kind := attr(e, "media-type"); strings.Contains(kind, "html") {
					b.files[attr(e, "id")] = attr(e, "href")
				}
			})
		case "spine":
			p.children(func(e xml.StartElement) { b.spine = append(b.spine, attr(e, "idref")) })
		}
	})
}

// chapters adds the chapters in reading order, and returns the number of those that were read.
func (b *book) chapters(a *zipArchive, dir string, out *extract.Composer, lim extract.Limits) (
	read int, encrypted bool, err error) {
	for _, id := range b.spine {
		href, err := url.PathUnescape(b.files[id])
		name := path.Join(dir, href)
		if err != nil || b.files[id] == "" || !a.Has(name) {
			continue
		}
		body, err := a.Bytes(name)
		if fault.Is(err, fault.TooLarge) {
			return 0, false, err
		}
		if err != nil {
			continue
		}
		if web.IsBinary(body) {
			encrypted = true
			continue
		}
		read++
		doc := web.Everything(body, "https://book.invalid/"+id, lim)
		for _, l := range doc.Links {
			if !strings.HasPrefix(l.URL, "https://book.invalid/") {
				out.Link(l.URL, l.Text)
			}
		}
		for _, block := range doc.Blocks {
			if block.Anchor = ""; !out.Add(block) {
				return read, encrypted, nil
			}
		}
	}
	return read, encrypted, nil
}

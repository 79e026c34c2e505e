package part

import (
	"fmt"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/field"
	"golang.org/x/net/html"
)

// This file reads the fields of a body while its text is extracted, so that the body is parsed once. It never
// fails: fields that cannot be read say why.

// FieldReader reads the fields of one body: those that somebody asked for, and those that a page declares.
type FieldReader struct {
	asked   []field.Spec
	address string
	results []field.Result
	unread  jsonld.Unread
	why     string // why the fields were not read
	done    bool
}

// NewFieldReader returns a reader for the fields of a body with this address.
func NewFieldReader(asked []field.Spec, address string) *FieldReader {
	return &FieldReader{asked: asked, address: address}
}

// Tree reads the tree of a web page, after another reader of the tree, which may be nil. It is for [extract.Limits].
func (r *FieldReader) Tree(before func(*html.Node)) func(*html.Node, jsonld.Data) {
	return func(root *html.Node, data jsonld.Data) {
		if before != nil {
			before(root)
		}
		r.read(func() *field.Page { return field.NewPage(root, data, r.address) })
	}
}

// read reads the fields of a page. A panic must not end the extraction of the text.
func (r *FieldReader) read(open func() *field.Page) {
	r.done = true
	defer func() {
		if p := recover(); p != nil {
			r.results, r.why = nil, fmt.Sprintf("the fields could not be read: %.100v", p)
		}
	}()
	page := open()
	r.unread = page.Unread
	for _, spec := range r.asked {
		r.results = append(r.results, page.Read(spec))
	}
	names := map[string]bool{}
	for _, res := range r.results {
		names[res.Name] = true
	}
	for _, res := range append(page.Product(), page.Article()...) {
		if !names[res.Name] {
			r.results = append(r.results, res)
		}
	}
}

// Unread says what of the data that the page declares could not be read.
func (r *FieldReader) Unread() jsonld.Unread { return r.unread }

// Results returns the fields, once the text of the body has been extracted. If no field could be read, why says why.
func (r *FieldReader) Results(doc extract.Document, body []byte, contentType string) (results []field.Result,
	why string) {
	if !r.done && len(r.asked) > 0 {
		if root, ok := web.Values(body, contentType, r.address); ok {
			r.read(func() *field.Page { return field.NewJSON(root, r.address) })
		} else if written, _ := web.WrittenOf(doc); written.Root != nil {
			r.read(func() *field.Page { return field.NewPage(written.Root, jsonld.Data{}, r.address) })
		}
	}
	switch {
	case r.done:
		return r.results, r.why
	case doc.Cut != "":
		return nil, "the page was not read to its end: " + doc.Cut
	}
	return nil, fmt.Sprintf("fields are read from web pages, JSON and documents with text, and this is %.60s",
		doc.MimeType)
}

// Package pdf reads the content of a PDF: its text in reading order as headings, paragraphs and lists, the values of
// its form fields, its links, title and language.
//
// PDFium, compiled to WebAssembly, does the work. It has no access to files or network, and its memory is bounded. A
// running PDFium cannot be stopped, so package document calls [Engine.Extract] in a process of its own. The same
// bytes always give the same document.
//
// # From glyphs to blocks
//
//	page  → lines, with size and position of their first and last glyph (page.go), cleaned (text.go)
//	lines → running heads and page numbers recognized (running.go)
//	      → headings by the outline, else by size (outline.go, heading.go)
//	      → paragraphs joined over lines, columns and pages (layout.go)
//
// Running heads are only in VisibleText. It is an error if all pages of a document are images, because such a
// document needs text recognition. A picture between pages of text is no error. Pages that cannot be read are left
// out, and the document is then [extract.Document.Truncated]. So is a document that exceeds a bound.
package pdf

import (
	"cmp"
	"errors"
	"net/url"
	"strings"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// MediaType is the type of the documents that [Engine.Extract] reads.
const MediaType = "application/pdf"

// Options control how a document is read. The zero value is usable.
type Options struct {
	// BaseURL is the address of the document, against which relative links are resolved. Without it, relative links
	// are left out.
	BaseURL  string
	MaxPages int // pages to read; default 2,000
	// Limits bounds the document as it does in [extract.NewComposer]: MaxBytes limits the text.
	Limits extract.Limits
}

// maxText limits the text, in bytes, when [Options] has no bound.
const maxText = 5 << 20

func (o Options) withDefaults() Options {
	o.MaxPages = cmp.Or(o.MaxPages, 2_000)
	o.Limits.MaxBytes = cmp.Or(o.Limits.MaxBytes, maxText)
	return o
}

// Extract reads a PDF. Errors: Blocked for a file with a password; Invalid for a broken file, or one that contains
// only images of its pages; Internal when PDFium does not start.
func (e *Engine) Extract(body []byte, o Options) (extract.Document, error) {
	o = o.withDefaults()
	p, err := e.instance()
	if err != nil {
		return extract.Document{}, err
	}
	defer p.Close()
	opened, err := p.OpenDocument(&requests.OpenDocument{File: &body})
	cut := ""
	if repaired := withTrailer(body, err); repaired != nil {
		if again, retryErr := p.OpenDocument(&requests.OpenDocument{File: &repaired}); retryErr == nil {
			opened, err, cut = again, nil, "the end of the file is missing, and with it perhaps some of its pages"
		}
	}
	if err != nil {
		return extract.Document{}, openError(err)
	}
	r := &reader{pdfium: p, doc: opened.Document, o: o, out: extract.NewComposer(MediaType, o.Limits), cut: cut}
	r.base, _ = url.Parse(o.BaseURL)
	return r.read()
}

func openError(err error) error {
	switch {
	case errors.Is(err, pdferrors.ErrPassword):
		return fault.New(fault.Blocked, "the PDF is protected by a password")
	case errors.Is(err, pdferrors.ErrSecurity):
		return fault.New(fault.Invalid, "the PDF is encrypted in an unknown way")
	default:
		return broken(err)
	}
}

func broken(err error) error { return fault.New(fault.Invalid, "the PDF is broken: %.100v", err) }

// reader is the state of reading one document.
type reader struct {
	pdfium pdfium.Pdfium
	doc    references.FPDF_DOCUMENT
	o      Options
	base   *url.URL

	out    *extract.Composer
	lines  []line
	text   int    // bytes of text that were read so far
	images bool   // some page without text shows an image
	cut    string // the part of the document that is read; empty if all is read
}

func (r *reader) read() (extract.Document, error) {
	if err := r.pages(); err != nil {
		return extract.Document{}, err
	}
	if len(r.lines) == 0 && r.images {
		return extract.Document{}, fault.New(fault.Invalid,
			"the PDF holds only images of its pages and needs text recognition (OCR)")
	}
	findRunningLines(r.lines)
	if !r.findOutlineHeadings() {
		findSizeHeadings(r.lines)
	}
	blocks := assemble(r.lines)
	for _, b := range blocks {
		r.out.Add(b)
	}
	doc := r.out.Document(r.language(), r.declaredTitle(), firstHeading(blocks))
	doc.VisibleText = visible(r.lines)
	doc.Truncated, doc.Cut = doc.Truncated || r.cut != "", cmp.Or(r.cut, doc.Cut)
	return doc, nil
}

// visible returns all text, including running heads.
func visible(lines []line) string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.text
	}
	return strings.Join(texts, "\n")
}

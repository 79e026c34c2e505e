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
	"bytes"
	"cmp"
	"errors"
	"net/url"
	"regexp"
	"slices"
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
	doc := r.out.Document(r.language(), r.declaredTitle(), cmp.Or(firstHeading(blocks), firstLine(r.lines, blocks)))
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

var (
	object  = regexp.MustCompile(`(?:^|[\r\n])(\d{1,9} \d{1,5}) obj\b`)
	catalog = regexp.MustCompile(`/Type\s*/Catalog\b`)
)

// withTrailer returns a file that could not be opened, because it has lost its end, with a trailer that names the
// catalog. Then PDFium rebuilds the table of objects. It returns nil if no catalog is found, and for an encrypted file.
func withTrailer(body []byte, err error) []byte {
	if err == nil || errors.Is(err, pdferrors.ErrPassword) || errors.Is(err, pdferrors.ErrSecurity) ||
		bytes.Contains(body, []byte("/Encrypt")) {
		return nil
	}
	at := catalog.FindIndex(body)
	if at == nil {
		return nil
	}
	before := object.FindAllSubmatch(body[max(0, at[0]-longestCatalog):at[0]], -1)
	if before == nil {
		return nil
	}
	root := before[len(before)-1][1]
	return slices.Concat(bytes.TrimRight(body, "\x00"), []byte("\ntrailer\n<< /Root "), root,
		[]byte(" R >>\nstartxref\n0\n%%EOF\n"))
}

// longestCatalog is the number of bytes before the type of a catalog in which its object begins.
const longestCatalog = 4 << 10

// PDFium puts the characters of text that runs from right to left into the order of reading, one by one. So the
// characters of a glyph that stands for several, such as lam with alef, come in the reverse order. They are the ones
// with the same position.

// isReversedPair reports whether a reversed ligature may begin with two letters: alef and lam, or heh and lam of the
// word God.
func isReversedPair(a, b rune) bool { return b == 'ل' && strings.ContainsRune("اأإآٱه", a) }

// orderLigatures restores the order of the characters of ligatures.
func (r *reader) orderLigatures(page references.FPDF_TEXTPAGE, units []rune) {
	for i := 0; i+1 < len(units); i++ {
		if !isReversedPair(units[i], units[i+1]) || !r.isSameGlyph(page, i, i+1) {
			continue
		}
		end := i + 2
		for end < len(units) && units[end] == 'ل' && r.isSameGlyph(page, i, end) {
			end++
		}
		slices.Reverse(units[i:end])
		i = end - 1
	}
}

// isSameGlyph reports whether two characters come from one glyph.
func (r *reader) isSameGlyph(page references.FPDF_TEXTPAGE, a, b int) bool {
	one, err := r.pdfium.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: page, Index: a})
	if err != nil {
		return false
	}
	other, err := r.pdfium.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: page, Index: b})
	return err == nil && one.X == other.X && one.Y == other.Y
}

// Bounds on links: the number of annotations that are examined on a page, and the length of an address in bytes.
const (
	maxPageLinks = 2_000
	maxAddress   = 4096
)

// readLinks adds the links of a page.
func (r *reader) readLinks(page requests.Page, text references.FPDF_TEXTPAGE) {
	for at, n := 0, 0; n < maxPageLinks; n++ {
		found, err := r.pdfium.FPDFLink_Enumerate(&requests.FPDFLink_Enumerate{Page: page, StartPos: at})
		if err != nil || found.Link == nil || found.NextStartPos == nil || *found.NextStartPos <= at {
			return
		}
		at = *found.NextStartPos
		if address := r.resolve(r.target(*found.Link)); address != "" {
			r.out.Link(address, r.textUnder(*found.Link, text))
		}
	}
}

// target returns the address to which a link leads, or "" if the link leads to a position in the document.
func (r *reader) target(link references.FPDF_LINK) string {
	action, err := r.pdfium.FPDFLink_GetAction(&requests.FPDFLink_GetAction{Link: link})
	if err != nil || action.Action == nil {
		return ""
	}
	uri, err := r.pdfium.FPDFAction_GetURIPath(&requests.FPDFAction_GetURIPath{Document: r.doc, Action: *action.Action})
	if err != nil || uri.URIPath == nil {
		return ""
	}
	return *uri.URIPath
}

// resolve makes a link absolute if the address of the document is known. It returns "" if the result is not a valid
// address.
func (r *reader) resolve(ref string) string {
	if ref = strings.TrimSpace(ref); ref == "" || len(ref) > maxAddress {
		return ""
	}
	u, err := url.Parse(ref)
	if err != nil {
		return ""
	}
	if r.base != nil {
		u = r.base.ResolveReference(u)
	}
	return u.String()
}

// textUnder returns the text in the rectangle of a link.
func (r *reader) textUnder(link references.FPDF_LINK, text references.FPDF_TEXTPAGE) string {
	at, err := r.pdfium.FPDFLink_GetAnnotRect(&requests.FPDFLink_GetAnnotRect{Link: link})
	if err != nil || at.Rect == nil {
		return ""
	}
	under, err := r.pdfium.FPDFText_GetBoundedText(&requests.FPDFText_GetBoundedText{
		TextPage: text,
		Left:     float64(at.Rect.Left), Top: float64(at.Rect.Top), Right: float64(at.Rect.Right),
		Bottom: float64(at.Rect.Bottom),
	})
	if err != nil {
		return ""
	}
	return clean(under.Text)
}

package pdf

import (
	"net/url"
	"strings"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

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

package web

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// Letter reads a text of a mail. It is like [Extract], but everything that an HTML text shows is content: a mail has
// no menus, so an element with the name of one holds words of the sender.
func Letter(body []byte, contentType, baseURL string, lim extract.Limits) (extract.Document, error) {
	base, err := pageBase(baseURL)
	if err != nil {
		return extract.Document{}, err
	}
	if !IsHTML(mediaType(contentType, body, base.Path)) || len(body) > lim.WithDefaults().MaxBytes {
		return Extract(body, contentType, baseURL, lim)
	}
	p := page{body: body, contentType: contentType, base: base, limits: lim.WithDefaults(), letter: true}
	doc := p.html(everything)
	doc.MimeType = "text/html"
	doc.DetectLanguage()
	return doc, nil
}

// showControls makes ordinary elements of dialogs and text areas: programs that show mails know neither, and show the
// text of both.
func showControls(root *html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.DataAtom == atom.Dialog || n.DataAtom == atom.Textarea) {
			n.DataAtom, n.Data = atom.Div, "div"
		}
	}
}

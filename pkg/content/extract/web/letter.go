package web

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/tree"
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
	p := page{body: body, contentType: contentType, base: base, limits: lim.WithDefaults()}
	text, charset := decode(p.body, p.contentType, true)
	doc, ok := letter(p, text)
	if !ok {
		doc = flat(p, text)
	}
	doc.Charset, doc.MimeType = charset, "text/html"
	doc.DetectLanguage()
	return doc, nil
}

// letter reads an HTML mail by its tree. It recovers from a panic for the same reason as [structured].
func letter(p page, text []byte) (doc extract.Document, ok bool) {
	defer func() {
		if recover() != nil {
			doc, ok = extract.Document{}, false
		}
	}()
	root := tree.Parse(text, p.limits.MaxTags)
	if root == nil || !tree.ShowStreamed(root) {
		return extract.Document{}, false
	}
	for n := range root.Descendants() {
		// Programs that show mails know neither dialogs nor forms, and show the text of both.
		if n.Type == html.ElementNode && (n.DataAtom == atom.Dialog || n.DataAtom == atom.Textarea) {
			n.DataAtom, n.Data = atom.Div, "div"
		}
	}
	return assemble(p, root, everything), true
}

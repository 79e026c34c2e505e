package web

import (
	"cmp"
	"fmt"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/maincontent"
	"github.com/tidemark/tidemark/pkg/content/extract/tree"
)

// Selector finds the watched part of a page.
type Selector interface {
	// Select removes unwanted elements from the tree. It returns the wanted elements in page order.
	Select(root *html.Node) ([]*html.Node, error)
	// Narrow reports whether only the elements that Select returns are wanted. If it returns false, everything that
	// remains in the tree is wanted.
	Narrow() bool
}

// Part reads the part of an HTML page that a selector finds. Everything visible in the selected elements is content.
// Part also returns the number of these elements. It returns read = false, and no part, if the document is not an
// HTML page or cannot be parsed. Its errors are those of the selector and of [Extract].
func Part(body []byte, contentType, baseURL string, lim extract.Limits, sel Selector) (doc extract.Document,
	found int, read bool, err error) {
	base, err := pageBase(baseURL)
	if err != nil {
		return doc, 0, false, err
	}
	p := page{body: body, contentType: contentType, base: base, limits: lim.WithDefaults()}
	mimeType := mediaType(contentType, body, base.Path)
	if !IsHTML(mimeType) {
		return doc, 0, false, nil
	}
	truncated := len(p.body) > p.limits.MaxBytes
	if truncated {
		p.body = p.body[:p.limits.MaxBytes]
	}
	text, charset := decode(p.body, p.contentType, true)
	doc, found, read, err = partOf(p, text, sel)
	doc.Charset, doc.MimeType = charset, mimeType
	if truncated {
		doc.Truncated, doc.Cut = true, cmp.Or(doc.Cut, extract.OnlyBytes(p.limits.MaxBytes))
	}
	doc.DetectLanguage()
	return doc, found, read, err
}

// partOf reads the part of a page. Otherwise it is like [structured].
func partOf(p page, text []byte, sel Selector) (doc extract.Document, found int, read bool, err error) {
	defer func() {
		if recover() != nil {
			doc, found, read, err = extract.Document{}, 0, false, nil
		}
	}()
	root := tree.Parse(text, p.limits.MaxTags)
	if root == nil || !tree.ShowStreamed(root) {
		return doc, 0, false, nil
	}
	roots, err := sel.Select(root)
	if err != nil {
		return doc, 0, false, err
	}
	if name := tree.Unread(roots); sel.Narrow() && name != "" {
		return doc, 0, false, fmt.Errorf("the selectors find only <%s>, of which no text is read", name)
	}
	if sel.Narrow() {
		tree.ShowControls(roots)
	}
	choose, empty := chooser((*maincontent.Survey).Zones), false
	if sel.Narrow() {
		choose = func(s *maincontent.Survey) maincontent.Content {
			c := s.Elements(roots)
			empty = len(c.Blocks) == 0
			return c
		}
	}
	doc = assemble(p, root, choose)
	if doc.Failure, doc.Door, doc.Thin = "", "", ""; sel.Narrow() && empty {
		doc.Blocks, doc.Text = nil, "" // for empty content, [assemble] returned all visible text
	}
	return doc, len(roots), true, nil
}

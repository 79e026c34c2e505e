package web

import (
	"cmp"
	"fmt"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/base/jsonpath"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/data"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/extract/maincontent"
	"github.com/tidemark/tidemark/pkg/content/extract/tree"
)

// Selector finds the watched part of a page. If it is a [data.ValueSelector], it finds the watched part of JSON, too.
type Selector interface {
	// Select removes unwanted elements from the tree of a page. It returns the wanted elements in page order.
	Select(root *html.Node) ([]*html.Node, error)
	// Narrow reports whether only the elements that Select returns are wanted. If it returns false, everything that
	// remains in the tree is wanted.
	Narrow() bool
}

// Part reads the part of an HTML page, or of JSON, that a selector finds. Everything visible in the selected elements
// is content. Part also returns the number of these elements or values. It returns read = false, and no part, if the
// document is neither, or cannot be parsed. Its errors are those of the selector and of [Extract].
func Part(body []byte, contentType, baseURL string, lim extract.Limits, sel Selector) (doc extract.Document,
	found int, read bool, err error) {
	p, mimeType, truncated, err := pageOf(body, contentType, baseURL, lim)
	values, _ := sel.(data.ValueSelector)
	isHTML := IsHTML(mimeType)
	if err != nil || !isHTML && (values == nil || !isJSON(mimeType)) {
		return doc, 0, false, err
	}
	text, charset := decode(p.body, p.contentType, isHTML)
	if isHTML {
		doc, found, read, err = partOf(p, text, sel)
	} else {
		p.cut = truncated
		doc, found, read, err = data.JSONPart(jsonText(text), isJSONLines(mimeType), p.options(), values)
	}
	doc.Charset, doc.MimeType = charset, mimeType
	if truncated {
		doc.Truncated, doc.Cut = true, cmp.Or(doc.Cut, extract.OnlyBytes(p.limits.MaxBytes))
	}
	doc.DetectLanguage()
	return doc, found, read, err
}

// SelectorTree returns the tree of an HTML page in which a [Selector] searches, and what of the page is not in it. It
// returns nil if the document is not an HTML page or cannot be parsed. Errors: as those of [Extract].
func SelectorTree(body []byte, contentType, baseURL string, lim extract.Limits) (root *html.Node, cut string,
	err error) {
	p, mimeType, truncated, err := pageOf(body, contentType, baseURL, lim)
	if err != nil || !IsHTML(mimeType) {
		return nil, "", err
	}
	if truncated {
		cut = extract.OnlyBytes(p.limits.MaxBytes)
	}
	text, _ := decode(p.body, p.contentType, true)
	defer func() {
		if recover() != nil {
			root = nil
		}
	}()
	return treeOf(p, text), cut, nil
}

// pageOf returns a document of which at most the allowed number of bytes is read, and its media type.
func pageOf(body []byte, contentType, baseURL string, lim extract.Limits) (p page, mimeType string, truncated bool,
	err error) {
	base, err := pageBase(baseURL)
	if err != nil {
		return p, "", false, err
	}
	p = page{body: body, contentType: contentType, base: base, limits: lim.WithDefaults()}
	if truncated = len(p.body) > p.limits.MaxBytes; truncated {
		p.body = p.body[:p.limits.MaxBytes]
	}
	return p, mediaType(contentType, body, base.Path), truncated, nil
}

// treeOf returns the tree in which selectors search; nil if the page cannot be parsed.
func treeOf(p page, text []byte) *html.Node {
	root := tree.Parse(text, p.limits.MaxTags)
	if root == nil || !tree.ShowStreamed(root) {
		return nil
	}
	return root
}

// partOf reads the part of a page. Otherwise it is like [structured].
func partOf(p page, text []byte, sel Selector) (doc extract.Document, found int, read bool, err error) {
	defer func() {
		if recover() != nil {
			doc, found, read, err = extract.Document{}, 0, false, nil
		}
	}()
	root := treeOf(p, text)
	if root == nil {
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
		roots = tree.ShowSelected(roots)
	}
	choose, empty := chooser((*maincontent.Survey).Zones), false
	if sel.Narrow() {
		choose = func(s *maincontent.Survey) maincontent.Content {
			c := s.Elements(roots)
			empty = len(c.Blocks) == 0
			return c
		}
	}
	doc = assemble(p, root, jsonld.Of(root).Objects, choose)
	if doc.Failure, doc.Door, doc.Thin = "", "", ""; sel.Narrow() && empty {
		doc.Blocks, doc.Text = nil, "" // for empty content, [assemble] returned all visible text
	}
	return doc, len(roots), true, nil
}

// Values returns the values of a JSON document. It is not ok if the document is not JSON that can be read whole.
func Values(body []byte, contentType, baseURL string) (root *jsonpath.Node, ok bool) {
	p, mimeType, truncated, err := pageOf(body, contentType, baseURL, extract.Limits{})
	if err != nil || truncated || !isJSON(mimeType) {
		return nil, false
	}
	text, _ := decode(p.body, p.contentType, false)
	return data.Tree(jsonText(text), isJSONLines(mimeType))
}

package extract

import "golang.org/x/net/html"

// Selector finds the part of a page that somebody watches.
type Selector interface {
	// Select takes what is not wanted out of the tree, and gives the elements that are, in the order of the page.
	Select(root *html.Node) ([]*html.Node, error)
	// Narrow reports whether only those elements are wanted; else all is that is left in the tree.
	Narrow() bool
}

// Part is the part of an HTML page that a selector finds: a document of it, in which all that is visible of the
// elements that were found is content. found is how many there are. Read is false for what is no HTML page, or for one
// that is too tangled to be parsed; then there is no part. The error is of the selector, or of [Extract].
func Part(body []byte, contentType, baseURL string, lim Limits, sel Selector) (doc Document, found int, read bool,
	err error) {
	base, err := pageBase(baseURL)
	if err != nil {
		return doc, 0, false, err
	}
	p := page{body: body, contentType: contentType, base: base, limits: lim.withDefaults()}
	mimeType := mediaType(contentType, body, base.Path)
	if mimeType != "text/html" && mimeType != "application/xhtml+xml" {
		return doc, 0, false, nil
	}
	truncated := len(p.body) > p.limits.MaxBytes
	if truncated {
		p.body = p.body[:p.limits.MaxBytes]
	}
	text, charset := decode(p.body, p.contentType, true)
	doc, found, read, err = partOf(p, text, sel)
	doc.Charset, doc.MimeType, doc.Truncated = charset, mimeType, doc.Truncated || truncated
	doc.detectLanguage()
	return doc, found, read, err
}

// partOf is [structured] for a part.
func partOf(p page, text []byte, sel Selector) (doc Document, found int, read bool, err error) {
	defer func() {
		if recover() != nil {
			doc, found, read, err = Document{}, 0, false, nil
		}
	}()
	root := parse(text, p.limits.MaxTags)
	if root == nil {
		return doc, 0, false, nil
	}
	if settle(root); isTooDeep(root, 2*maxDepth) {
		return doc, 0, false, nil
	}
	roots, err := sel.Select(root)
	if err != nil {
		return doc, 0, false, err
	}
	choose, empty := chooser(mainContent), false
	if sel.Narrow() {
		choose = func(s *surveyed, limits Limits) content {
			c := allOf(s, roots, limits)
			empty = len(c.blocks) == 0
			return c
		}
	}
	doc = assemble(p, root, choose)
	if doc.Failure, doc.Thin = "", ""; sel.Narrow() && empty {
		doc.Blocks, doc.Text = nil, "" // [assemble] has all that is visible instead of nothing
	}
	return doc, len(roots), true, nil
}

// allOf is all that is visible of some elements.
func allOf(s *surveyed, roots []*html.Node, limits Limits) content {
	a := attempt{roots, chrome + 1}
	b := builder{cut: a.cut(s), limits: limits}
	for _, root := range roots {
		b.visit(root)
		b.flush()
	}
	return content{roots, b.cut, b.blocks, b.heading, b.size, b.truncated}
}

package web

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/failure"
	"github.com/tidemark/tidemark/pkg/content/extract/head"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/content/extract/maincontent"
	"github.com/tidemark/tidemark/pkg/content/extract/noise"
	"github.com/tidemark/tidemark/pkg/content/extract/tree"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readHTML reads an HTML page.
func readHTML(p page) extract.Document {
	if !p.cut {
		p.tree = p.limits.Tree
	}
	return p.html((*maincontent.Survey).Zones)
}

// html reads HTML, by its tree if there is one, and finds the content with the function choose.
func (p page) html(choose chooser) extract.Document {
	text, charset := decode(p.body, p.contentType, true)
	doc, ok := structured(p, text, choose)
	if !ok {
		doc = flat(p, text)
	}
	doc.Charset = charset
	return doc
}

// chooser is a function that finds the content of a page.
type chooser func(*maincontent.Survey) maincontent.Content

// structured reads a page by its tree, and finds the content with the function choose. It returns ok = false if there
// is no tree. Neither the parser nor the walk is known to panic. structured recovers anyway, so that the other pages
// can still be read.
func structured(p page, text []byte, choose chooser) (doc extract.Document, ok bool) {
	defer func() {
		if recover() != nil {
			doc, ok = extract.Document{}, false
		}
	}()
	root := tree.Parse(text, p.limits.MaxTags)
	if root == nil {
		return extract.Document{}, false
	}
	data := jsonld.Of(root)
	if p.tree != nil {
		p.tree(root, data)
	}
	if !tree.ShowStreamed(root) {
		return extract.Document{}, false
	}
	if p.letter {
		showControls(root)
	}
	return assemble(p, root, data.Objects, choose), true
}

// littleSeen is the size in bytes below which the visible text of a page is so small that its noscript elements are
// read, too.
const littleSeen = 500

// assemble makes the document from the tree of a page and the objects of its JSON-LD.
func assemble(p page, root *html.Node, objects []jsonld.Object, choose chooser) extract.Document {
	h := head.Read(root, p.base)
	s := maincontent.SurveyPage(root, h.Base, p.limits)
	if s.Text.Size()-s.Noscript < littleSeen && tree.ShowNoscript(s.Body) {
		s = maincontent.SurveyPage(root, h.Base, p.limits)
	}
	c := choose(s)
	images, more := collectImages(c, previewOf(h), h.Base, p.limits.MaxImages)
	doc := extract.Document{
		Truncated:   s.Truncated || c.Truncated || c.Beside.Truncated || more,
		Title:       titleOf(c.Heading, h.OGTitle, h.Title, s.Heading),
		Language:    h.Language,
		Canonical:   h.Canonical,
		MetaRobots:  append(h.Robots, head.Robots(s.Metas)...),
		Blocks:      append(c.Blocks, c.Beside.Blocks...),
		VisibleText: s.Text.Peek(),
		Links:       s.Links,
		Images:      images,
		Protected:   protected(c),
		Unread:      unread(root),
		Metadata:    head.ReadMetadata(root, objects, p.base),
	}
	if len(doc.Blocks) == 0 && doc.VisibleText != "" {
		doc.Blocks = []extract.Block{{Kind: extract.Paragraph, Text: doc.VisibleText}}
	}
	doc.Text = extract.Join(doc.Blocks)
	if doc.Beyond = c.Text.Beyond.And(c.Beside.Beyond); c.Truncated || c.Beside.Truncated {
		doc.Cut = extract.Only(p.limits.MaxBlocks, "block")
	}
	if s.Truncated {
		doc.KeptLinks = p.limits.MaxLinks
	}
	if more {
		doc.KeptImages = p.limits.MaxImages
	}
	doc.Thin = failure.Thin(root, doc.VisibleText, s.Size())
	doc.Failure, doc.Door = failure.Of(root, &doc, h.Title), failure.Door(root, &doc, h.Title)
	return doc
}

// maxProtected limits the number of hidden addresses.
const maxProtected = 1000

// protected returns the mail addresses that the page hides from programs, in the order of the text. In place of each
// address, the text has "[email protected]". The hashes cover the addresses themselves, so that a page has the same
// hash whether it hides an address or shows it.
func protected(c maincontent.Content) (addresses []string) {
	c.Walk(func(n *html.Node) bool {
		code := dom.Attr(n, "data-cfemail")
		if code != "" && len(addresses) < maxProtected {
			addresses = append(addresses, noise.Unprotect(code))
		}
		return code == ""
	})
	return addresses
}

// unread counts the elements of a page whose text is read only if somebody selects them. Elements without text do not
// count: most drawings are icons, and most fields are empty.
func unread(root *html.Node) (u extract.Unread) {
	for n := range root.Descendants() {
		switch n.DataAtom {
		case atom.Select:
			if strings.TrimSpace(dom.RawText(n)) != "" {
				u.Selects++
			}
		case atom.Input:
			switch strings.ToLower(dom.Attr(n, "type")) {
			case "", "text", "number", "email", "tel", "url", "date", "time", "range":
				if dom.Attr(n, "value") != "" {
					u.Inputs++
				}
			}
		case atom.Textarea:
			if strings.TrimSpace(dom.RawText(n)) != "" {
				u.Textareas++
			}
		case atom.Svg:
			if holdsText(n) {
				u.Drawings++
			}
		}
	}
	return u
}

// holdsText reports whether a drawing shows text. It examines the beginning of the drawing.
func holdsText(svg *html.Node) bool {
	const most = 1000 // nodes
	nodes := 0
	for n := range svg.Descendants() {
		if n.Data == "text" && n.Type == html.ElementNode {
			return true
		}
		if nodes++; nodes > most {
			break
		}
	}
	return false
}

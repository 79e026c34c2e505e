package tree

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Bounds on the pages in the srcdoc attributes of a page.
const (
	maxInline     = 50
	maxInlineSize = 256 << 10 // total size in bytes
)

// showFrames shows the pages that srcdoc attributes embed in the frames of this page. For a frameset, it shows the
// text for browsers without frames, or else a link to each frame.
func showFrames(inline, sets []*html.Node, maxTags int) {
	left := maxInlineSize
	for _, n := range inline[:min(len(inline), maxInline)] {
		text := dom.Attr(n, "srcdoc")
		if left -= len(text); left >= 0 {
			become(n, fragment(text, maxTags))
		}
	}
	for _, set := range sets {
		if set.Parent != nil && set.Parent.DataAtom == atom.Html {
			showFrameset(set, maxTags)
		}
	}
}

// showFrameset replaces the children of a frameset. The frames stay, without text, where they are not shown as links.
func showFrameset(set *html.Node, maxTags int) {
	var shown, frames []*html.Node
	for n := range set.Parent.Descendants() {
		if n.DataAtom == atom.Noframes && isIn(n, set.Parent) {
			shown = append(shown, fragment(dom.RawText(n), maxTags)...)
		}
	}
	for n := range set.Descendants() {
		switch {
		case n.DataAtom != atom.Frame || !dom.HasAttr(n, "src"):
		case len(shown) > 0:
			frames = append(frames, &html.Node{Type: html.ElementNode, Data: n.Data, DataAtom: n.DataAtom, Attr: n.Attr})
		default:
			frames = append(frames, frameLink(n))
		}
	}
	become(set, append(shown, frames...))
}

// isIn reports whether n is below the html element, and not below its head.
func isIn(n, top *html.Node) bool {
	for n != nil && n != top {
		if n = n.Parent; n != nil && n.DataAtom == atom.Head {
			return false
		}
	}
	return n == top
}

// frameLink returns a paragraph with a link to a frame.
func frameLink(frame *html.Node) *html.Node {
	src := dom.Attr(frame, "src")
	p := &html.Node{Type: html.ElementNode, Data: "p", DataAtom: atom.P}
	a := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A, Attr: []html.Attribute{{Key: "href", Val: src}}}
	text := cmp.Or(strings.TrimSpace(dom.Attr(frame, "title")), strings.TrimSpace(dom.Attr(frame, "name")), src)
	a.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	p.AppendChild(a)
	return p
}

// fragment parses markup that a page holds as text. It returns nil if the markup is not safe to parse.
func fragment(text string, maxTags int) []*html.Node {
	const mostNodes = 20 // nodes for each tag, in markup that is safe
	body := endRepeated([]byte(text))
	if tags, nodes := cost(body, maxTags); tags > maxTags || nodes > mostNodes*(tags+100) {
		body = dropFormatting(body)
		if tags, nodes = cost(body, maxTags); tags > maxTags || nodes > mostNodes*(tags+100) {
			return nil
		}
	}
	nodes, err := html.ParseFragment(strings.NewReader(string(body)), &html.Node{
		Type: html.ElementNode, Data: "div", DataAtom: atom.Div,
	})
	if err != nil {
		return nil // nested too deeply
	}
	return nodes
}

// become turns an element into a div with other children. It does nothing if there are no other children.
func become(n *html.Node, children []*html.Node) {
	if len(children) == 0 {
		return
	}
	n.Data, n.DataAtom = "div", atom.Div
	replaceChildren(n, children)
}

func replaceChildren(n *html.Node, children []*html.Node) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
	for _, c := range children {
		n.AppendChild(c)
	}
}

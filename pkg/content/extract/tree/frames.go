package tree

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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

// showShadows puts the content of declarative shadow roots (HTML standard §4.12.3) where readers see it. A host shows
// its shadow root in place of its children. A slot of the shadow root shows the children that name the slot. Children
// that name no slot of the root are not shown, unless the root has a slot without a name. The roots are in page
// order; inner ones are shown before outer ones. If a host has several roots, only the first one counts, so each node
// moves once for each host around it.
func showShadows(roots []*html.Node) {
	first := map[*html.Node]*html.Node{} // the first shadow root of each host
	for _, root := range slices.Backward(roots) {
		first[root.Parent] = root
	}
	for _, root := range slices.Backward(roots) {
		if host := root.Parent; host != nil && first[host] == root {
			showShadow(host, root)
		}
	}
}

// showShadow replaces the children of a host with the content of its shadow root.
func showShadow(host, root *html.Node) {
	host.RemoveChild(root)
	light := map[string][]*html.Node{}
	for c := host.FirstChild; c != nil; c = host.FirstChild {
		host.RemoveChild(c)
		name := ""
		if c.Type == html.ElementNode {
			name = dom.Attr(c, "slot")
		}
		light[name] = append(light[name], c)
	}
	for c := root.FirstChild; c != nil; c = root.FirstChild {
		root.RemoveChild(c)
		host.AppendChild(c)
	}
	var slots []*html.Node
	for n := range host.Descendants() {
		if n.DataAtom == atom.Slot {
			slots = append(slots, n)
		}
	}
	for _, slot := range slots {
		fill(slot, light)
	}
}

// fill puts the children that name a slot into the slot. They replace the slot's own content.
func fill(slot *html.Node, light map[string][]*html.Node) {
	name := dom.Attr(slot, "name")
	nodes := light[name]
	delete(light, name)
	if len(nodes) > 0 {
		replaceChildren(slot, nodes)
	}
}

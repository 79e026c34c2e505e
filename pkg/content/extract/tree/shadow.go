package tree

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

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

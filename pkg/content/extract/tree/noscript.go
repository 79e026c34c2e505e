package tree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// leastNoscript is the smallest amount of markup, in bytes, that the noscript elements of a page must have to be
// read.
const leastNoscript = 1000

// ShowNoscript parses the content of the noscript elements below body into elements; the parser leaves that content
// as text. It does nothing when the content is short, and reports whether it changed the tree. It is meant for
// applications whose noscript elements hold all that they show to readers without scripts.
func ShowNoscript(body *html.Node) bool {
	var found []*html.Node
	size := 0
	for n := range body.Descendants() {
		if n.DataAtom == atom.Noscript && n.FirstChild != nil && n.FirstChild.Type == html.TextNode {
			found = append(found, n)
			size += len(n.FirstChild.Data)
		}
	}
	if size < leastNoscript {
		return false
	}
	for _, n := range found {
		context := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
		nodes, err := html.ParseFragment(strings.NewReader(n.FirstChild.Data), context)
		if err == nil { // otherwise the content is nested too deeply
			become(n, nodes)
		}
	}
	return true
}

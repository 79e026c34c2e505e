package tree

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// ShowSelected makes text of the elements that a user selected, also of those that readers of the page do not see. It
// returns the elements to read in their place. It does not show passwords.
func ShowSelected(elements []*html.Node) (out []*html.Node) {
	for _, n := range elements {
		out = append(out, selected(n))
	}
	showControls(out)
	return out
}

// selected returns an element with the text of n. The element is not in the page if n is one of those that describe
// the page.
func selected(n *html.Node) *html.Node {
	switch n.DataAtom {
	case atom.Meta, atom.Title:
		return elementOf("p", atom.P, cmp.Or(dom.RawText(n), dom.Attr(n, "content")))
	case atom.Link, atom.Base:
		return elementOf("p", atom.P, dom.Attr(n, "href"))
	case atom.Script, atom.Style:
		return elementOf("pre", atom.Pre, dom.RawText(n))
	case atom.Template, atom.Dialog, atom.Rp, atom.Annotation:
		n.Data, n.DataAtom, n.Namespace = "div", atom.Div, ""
	case atom.Input:
		if strings.EqualFold(dom.Attr(n, "type"), "hidden") {
			return elementOf("p", atom.P, dom.Attr(n, "value"))
		}
	}
	if dom.Hides(n) {
		n.Attr = slices.DeleteFunc(slices.Clone(n.Attr), func(a html.Attribute) bool {
			return a.Key == "hidden" || a.Key == "style"
		})
	}
	if text := attributeText(n); text != "" && strings.TrimSpace(dom.RawText(n)) == "" {
		n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	}
	return n
}

// attributeText returns what an element without text says in its attributes. A block has no such text but its value,
// because its label is that of a box, which may be empty.
func attributeText(n *html.Node) string {
	if n.DataAtom == atom.Input || n.DataAtom == atom.Select || n.DataAtom == atom.Textarea || n.DataAtom == atom.Svg {
		return "" // see [showControls]
	}
	keys := []string{"content", "value", "datetime", "aria-valuetext", "aria-valuenow", "aria-label", "title"}
	if dom.IsBlock(n.DataAtom) && dom.Attr(n, "role") != "img" {
		keys = keys[:5]
	}
	for _, key := range keys {
		if text := dom.Attr(n, key); text != "" {
			return text
		}
	}
	return ""
}

func elementOf(data string, is atom.Atom, text string) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: data, DataAtom: is}
	n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	return n
}

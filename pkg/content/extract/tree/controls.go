package tree

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// showControls turns the controls in elements into text that is read: the options of a selection, the value of a
// field, and the text in a drawing.
func showControls(elements []*html.Node) {
	var all []*html.Node
	for _, n := range elements {
		all = append(all, n)
		for c := range n.Descendants() {
			switch c.DataAtom {
			case atom.Select, atom.Datalist, atom.Input, atom.Textarea, atom.Svg:
				all = append(all, c)
			}
		}
	}
	for _, n := range all {
		switch n.DataAtom {
		case atom.Select, atom.Datalist:
			showTexts(n, "ul", atom.Ul, "li", atom.Li, isOption)
		case atom.Svg:
			showTexts(n, "div", atom.Div, "p", atom.P, isDrawnText)
		case atom.Textarea:
			n.Data, n.DataAtom = "div", atom.Div
		case atom.Input:
			n.Data, n.DataAtom = "span", atom.Span
			n.AppendChild(&html.Node{Type: html.TextNode, Data: valueOf(n)})
		}
	}
}

// showTexts turns n into an element of another type. The children of the new element are the texts that readers see
// in n.
func showTexts(n *html.Node, data string, is atom.Atom, child string, childIs atom.Atom, seen func(*html.Node) bool) {
	var texts []string
	for c := range n.Descendants() {
		if seen(c) {
			texts = append(texts, cmp.Or(strings.TrimSpace(dom.RawText(c)), dom.Attr(c, "label"), dom.Attr(c, "value")))
		}
	}
	n.Data, n.DataAtom, n.Namespace = data, is, ""
	var shown []*html.Node
	for _, text := range texts {
		shown = append(shown, elementOf(child, childIs, text))
	}
	replaceChildren(n, shown)
}

func isOption(n *html.Node) bool { return n.DataAtom == atom.Option }

// isDrawnText reports whether n is an element of a drawing that may hold only text.
func isDrawnText(n *html.Node) bool {
	switch n.Data {
	case "text", "title", "desc":
		return n.Type == html.ElementNode
	}
	return false
}

// valueOf returns the text that readers see in an input.
func valueOf(n *html.Node) string {
	switch strings.ToLower(dom.Attr(n, "type")) {
	case "password", "hidden", "file", "image":
		return ""
	case "checkbox", "radio":
		if dom.HasAttr(n, "checked") {
			return "[x]"
		}
		return "[ ]"
	}
	return dom.Attr(n, "value")
}

// Unread returns the type of the elements if their text is never read because they show pictures or other pages, or
// are for other browsers. It returns "" if the text of one of them may be read.
func Unread(elements []*html.Node) (name string) {
	for _, n := range elements {
		switch n.DataAtom {
		case atom.Canvas, atom.Img, atom.Video, atom.Audio, atom.Object, atom.Embed, atom.Iframe, atom.Frame, atom.Hr,
			atom.Noscript, atom.Noembed, atom.Noframes, atom.Head:
			name = n.Data
		default:
			return ""
		}
	}
	return name
}

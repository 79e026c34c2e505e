package web

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

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

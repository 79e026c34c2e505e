package tree

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// findCaptions finds the buttons and labels that people read as text: those that open a panel or are the whole of a
// heading, and labels that say more than the name of a field.
func (f *found) findCaptions() {
	for _, n := range f.buttons {
		if isQuestion(n) {
			dom.SetCaption(n)
		}
	}
	for _, n := range f.labels {
		if f.isStatement(n) {
			dom.SetCaption(n)
		}
	}
}

const longestCaption = 300 // in bytes

// isQuestion reports whether a button is the head of a panel with text, or the whole of a heading.
func isQuestion(n *html.Node) bool {
	if dom.HasAttr(n, "aria-haspopup") || hasWord(noPanelWords, dom.Attr(n, "class")) {
		return false
	}
	text := textOf(n, longestCaption)
	if text == "" {
		return false
	}
	if whole := headingAround(n); whole != nil {
		return textOf(whole, longestCaption) == text
	}
	if panel := behind(n); panel != nil && mayBePanel(panel) && textOf(panel, longestCaption) != "" {
		return isHead(n) && opensPanel(n)
	}
	return false
}

// opensPanel reports whether a button declares that it opens the element after the button.
func opensPanel(n *html.Node) bool {
	return dom.HasAttr(n, "aria-expanded") || dom.HasAttr(n, "aria-controls") ||
		hasWord(headWords, dom.Attr(n, "class")) ||
		strings.Contains(dom.Attr(n, "data-bs-toggle")+dom.Attr(n, "data-toggle"), "collapse")
}

// headingAround returns the heading, term or summary that contains n, or nil.
func headingAround(n *html.Node) *html.Node {
	const near = 3 // levels
	for i := 0; i < near && n.Parent != nil; i++ {
		n = n.Parent
		if dom.IsHeading(n.DataAtom) || n.DataAtom == atom.Dt || n.DataAtom == atom.Summary ||
			dom.Attr(n, "role") == "heading" {
			return n
		}
	}
	return nil
}

// behind returns the next element after n. If n is all that its parent contains, it returns the next element after
// the parent.
func behind(n *html.Node) *html.Node {
	const near = 3 // levels
	for range near {
		next := n.NextSibling
		for i := 0; next != nil && i < maxBetween; i, next = i+1, next.NextSibling {
			if next.Type == html.ElementNode && next.DataAtom != atom.Br {
				return next
			}
			if next.Type == html.TextNode && strings.TrimSpace(next.Data) != "" {
				return nil
			}
		}
		if n = n.Parent; n == nil || onlyElement(n) == nil {
			return nil
		}
	}
	return nil
}

// isStatement reports whether a label says more than the name of a field: it belongs to no field, opens a panel, or
// contains a number. A number of hits after a filter, as in "Red (12)", does not count.
func (f *found) isStatement(n *html.Node) bool {
	text := textOf(n, longestCaption)
	if text == "" {
		return false
	}
	control := f.controlOf(n)
	if control == nil && !isInside(n, atom.Form) {
		return true
	}
	if control != nil && isChoice(control) {
		if next := behind(n); next != nil && dom.IsBlock(next.DataAtom) && next.DataAtom != atom.Br && mayBePanel(next) &&
			isAlone(n) && textOf(next, longestCaption) != "" && !holdsControl(next) {
			return true
		}
		if dom.HasAttr(control, "disabled") { // the label names a task, done or not
			return true
		}
	}
	text = strings.TrimRightFunc(text, func(r rune) bool { return r == ')' || unicode.IsDigit(r) })
	return strings.ContainsFunc(text, unicode.IsDigit)
}

// isInside reports whether n is inside an element of type a.
func isInside(n *html.Node, a atom.Atom) bool {
	const near = 6 // levels to examine; some pages consist of one form
	for i := 0; i < near && n != nil; i, n = i+1, n.Parent {
		if n.DataAtom == a {
			return true
		}
	}
	return false
}

// isChoice reports whether a field is a checkbox or a radio button.
func isChoice(control *html.Node) bool {
	kind := strings.ToLower(dom.Attr(control, "type"))
	return control.DataAtom == atom.Input && (kind == "checkbox" || kind == "radio")
}

// isAlone reports whether there is no text directly before a label.
func isAlone(label *html.Node) bool {
	prev := label.PrevSibling
	for prev != nil && prev.Type == html.TextNode && strings.TrimSpace(prev.Data) == "" {
		prev = prev.PrevSibling
	}
	return prev == nil || prev.Type == html.ElementNode
}

// holdsControl reports whether n contains a field, such as the next choice of a list.
func holdsControl(n *html.Node) bool {
	const most = 60 // nodes
	nodes := 0
	for c := range n.Descendants() {
		if isField(c) {
			return true
		}
		if nodes++; nodes > most {
			break
		}
	}
	return false
}

// controlOf returns the field to which a label belongs, or nil. It is the field that the label names, the field
// inside the label, or the first field after the label in the element around both.
func (f *found) controlOf(label *html.Node) *html.Node {
	if control := f.controls[dom.Attr(label, "for")]; control != nil {
		return control
	}
	const near = 60 // nodes
	nodes := 0
	for n := label; n != nil && nodes < near; n, nodes = n.NextSibling, nodes+1 {
		if isField(n) {
			return n
		}
		for c := range n.Descendants() {
			if isField(c) {
				return c
			}
			if nodes++; nodes >= near {
				return nil
			}
		}
	}
	return nil
}

// isField reports whether n is a field of a form that is not hidden.
func isField(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Select, atom.Textarea:
		return true
	case atom.Input:
		return !strings.EqualFold(dom.Attr(n, "type"), "hidden")
	}
	return false
}

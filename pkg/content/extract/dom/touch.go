package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// IsLink reports whether an element leads anywhere. An a without an address is only an anchor, which pages written as
// XML do not close: the HTML parser opens it again in each element that follows.
func IsLink(n *html.Node) bool { return n.DataAtom == atom.A && HasAttr(n, "href") }

// Touches reports whether n is a link directly behind a link to another address, with no text or blank between the two.
// Such links are the entries of a menu that a style keeps apart. In a sentence they are parts of it, so links beside
// other text do not count.
func Touches(n *html.Node) bool {
	const near = 4 // levels between a link and the element that holds both
	if !IsLink(n) {
		return false
	}
	at := n
	for range near {
		if before := nodeBefore(at); before != nil {
			last := lastLink(before)
			return last != nil && Attr(last, "href") != Attr(n, "href") && !besideText(at)
		}
		if at = at.Parent; at == nil || at.Type != html.ElementNode || hasBorder(at.DataAtom) {
			return false
		}
	}
	return false
}

// hasBorder reports whether elements of type a are apart from the text around them without a style.
func hasBorder(a atom.Atom) bool {
	return IsBlock(a) || a == atom.Td || a == atom.Th || a == atom.Button
}

// nodeBefore returns the nearest node before n with the same parent that is no comment and is not hidden.
func nodeBefore(n *html.Node) *html.Node {
	for n = n.PrevSibling; n != nil; n = n.PrevSibling {
		if n.Type == html.TextNode && n.Data != "" || n.Type == html.ElementNode && !Unseen(n) {
			return n
		}
	}
	return nil
}

// lastLink returns the link at the very end of n, or nil.
func lastLink(n *html.Node) *html.Node {
	const deep = 4 // levels
	for range deep {
		switch {
		case n == nil || n.Type != html.ElementNode || hasBorder(n.DataAtom):
			return nil
		case IsLink(n):
			return n
		}
		n = n.LastChild
	}
	return nil
}

// besideText reports whether a text that is no blank stands near n, in the same element.
func besideText(n *html.Node) bool {
	const near = 20 // nodes to examine on each side
	isText := func(n *html.Node) bool { return n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" }
	before, after := n, n
	for range near {
		if before != nil {
			before = before.PrevSibling
		}
		if after != nil {
			after = after.NextSibling
		}
		if before != nil && isText(before) || after != nil && isText(after) {
			return true
		}
	}
	return false
}

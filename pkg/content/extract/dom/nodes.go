// Package dom answers questions about one element of an HTML tree: which attributes and names the element has,
// whether readers see it, and how a browser lays out its text. The package makes no decision about a page as a whole.
package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// Attr returns the value of an attribute, or "".
func Attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val
		}
	}
	return ""
}

// HasAttr reports whether an element has an attribute, empty or not.
func HasAttr(n *html.Node, key string) bool {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return true
		}
	}
	return false
}

// Holds reports whether a condition holds for a node below n.
func Holds(n *html.Node, is func(*html.Node) bool) bool {
	for c := range n.Descendants() {
		if is(c) {
			return true
		}
	}
	return false
}

// Child returns the first child element with that name, or nil.
func Child(n *html.Node, name atom.Atom) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.DataAtom == name {
			return c
		}
	}
	return nil
}

// RawText returns all text in an element, such as the markup in a noscript.
func RawText(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// Clip cuts s as [words.Clip] does, and removes blanks at the end.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.TrimRight(words.Clip(s, n), " ")
}

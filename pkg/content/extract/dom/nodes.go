// Package dom answers questions about one element of an HTML tree: which attributes and names the element has,
// whether readers see it, and how a browser lays out its text. The package makes no decision about a page as a whole.
package dom

import (
	"net/url"
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

// Resolve makes an address absolute. It returns nil when the result is not a web address.
func Resolve(base *url.URL, ref string) *url.URL {
	const longest = 4096
	ref = strings.Trim(ref, " \t\n\f\r")
	if ref == "" || len(ref) > longest {
		return nil
	}
	u, err := base.Parse(ref)
	if err != nil || !IsWeb(u) {
		return nil
	}
	return u
}

// IsWeb reports whether an address is absolute and its scheme is http or https.
func IsWeb(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// Clip cuts s as [words.Clip] does, and removes blanks at the end.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.TrimRight(words.Clip(s, n), " ")
}

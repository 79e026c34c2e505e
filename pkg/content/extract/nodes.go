package extract

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// attr is the value of an attribute, or "".
func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, key string) bool {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return true
		}
	}
	return false
}

// child is the first child element of that name, or nil.
func child(n *html.Node, name atom.Atom) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.DataAtom == name {
			return c
		}
	}
	return nil
}

// rawText is the text directly in an element, such as the markup in a noscript.
func rawText(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// resolve makes an address absolute; nil when it is not one of the web.
func resolve(base *url.URL, ref string) *url.URL {
	const longest = 4096
	ref = strings.Trim(ref, " \t\n\f\r")
	if ref == "" || len(ref) > longest {
		return nil
	}
	u, err := base.Parse(ref)
	if err != nil || !isWeb(u) {
		return nil
	}
	return u
}

func isWeb(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// clip is [words.Clip], without the blanks that a cut may leave at the end.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.TrimRight(words.Clip(s, n), " ")
}

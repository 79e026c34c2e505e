package main

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func childElements(n *html.Node) (all []*html.Node) {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode {
			all = append(all, c)
		}
	}
	return all
}

// filledChildren returns the children that show something.
func filledChildren(n *html.Node) (all []*html.Node) {
	for c := range n.ChildNodes() {
		if shown(c) != "" {
			all = append(all, c)
		}
	}
	return all
}

// shown returns the text that an element shows, if styles hide nothing, with single spaces.
func shown(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data + " ")
		case n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.DataAtom == atom.Noscript ||
			n.DataAtom == atom.Template:
		default:
			for c := range n.ChildNodes() {
				walk(c)
			}
		}
	}
	walk(n)
	return strings.Join(strings.Fields(b.String()), " ")
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

func letters(s string) (n int) {
	for _, r := range s {
		n += count(unicode.IsLetter(r))
	}
	return n
}

func hasLetterOrDigit(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

func isA(a atom.Atom) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.DataAtom == a }
}

func holdsA(n *html.Node, a atom.Atom) bool {
	for c := range n.Descendants() {
		if c.DataAtom == a {
			return true
		}
	}
	return false
}

// isLeaf reports whether an element has text of its own and no element that shows text.
func isLeaf(n *html.Node) bool {
	own := false
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode && shown(c) != "" {
			return false
		}
		own = own || c.Type == html.TextNode && strings.TrimSpace(c.Data) != ""
	}
	return own
}

// leaves counts the texts below n.
func leaves(n *html.Node) (all int) {
	for c := range n.Descendants() {
		all += count(c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" && c.Parent.DataAtom != atom.Script)
	}
	return all
}

// within reports whether n or what is around it, up to and without the limit, is something; without a condition,
// whether the limit is around n.
func within(n, limit *html.Node, is func(*html.Node) bool) bool {
	for ; n != nil; n = n.Parent {
		if n == limit {
			return is == nil
		}
		if is != nil && is(n) {
			return true
		}
	}
	return false
}

func holds(n, inner *html.Node) bool { return inner != nil && within(inner, n, nil) }

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func setAttribute(n *html.Node, key, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
}

// pageWords returns words of a page, for texts that are made.
func pageWords(root *html.Node) (all []string) {
	const most = 3000
	for n := range root.Descendants() {
		if n.Type != html.TextNode || n.Parent.DataAtom == atom.Script || n.Parent.DataAtom == atom.Style {
			continue
		}
		for _, w := range anyWord.FindAllString(n.Data, -1) {
			if len(w) >= 4 && len(w) <= 30 && len(all) < most {
				all = append(all, w)
			}
		}
	}
	return all
}

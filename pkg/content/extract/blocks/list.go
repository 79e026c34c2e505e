package blocks

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// list adds a list as one block, or its items one by one when they hold more than text.
func (b *builder) list(n *html.Node) {
	if b.holdsBlocks(n, atom.Table) {
		b.children(n)
		b.flush()
		return
	}
	var out strings.Builder
	b.listInto(&out, n, "")
	kind := extract.List
	if b.quotes > 0 {
		kind = extract.Quote
	}
	b.add(extract.Block{Kind: kind, Text: strings.TrimRight(out.String(), "\n")})
}

// listInto writes one line per item, indented below its parent. Below the eighth level the indentation no longer
// grows.
func (b *builder) listInto(out *strings.Builder, n *html.Node, indent string) {
	number, notes := 0, isNotes(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || b.skips(c) {
			continue
		}
		var f dom.Folder
		if c.DataAtom != atom.Ul && c.DataAtom != atom.Ol {
			b.inlineInto(&f, c, true)
		}
		if text := f.Peek(); text != "" {
			number++
			bullet := marker(n, number) + task(c)
			if notes {
				bullet = "[^" + strconv.Itoa(number) + "]: "
			}
			out.WriteString(indent + bullet + strings.ReplaceAll(text, "\n", " ") + "\n")
		}
		b.nested(out, c, indent)
	}
}

// nested writes the lists below an item. If n is itself a list in the place of an item, it writes that list.
func (b *builder) nested(out *strings.Builder, n *html.Node, indent string) {
	if n.DataAtom == atom.Ul || n.DataAtom == atom.Ol {
		if len(indent) < 16 {
			indent += "  "
		}
		b.listInto(out, n, indent)
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && !b.skips(c) {
			b.nested(out, c, indent)
		}
	}
}

func marker(list *html.Node, number int) string {
	if list.DataAtom == atom.Ol {
		return strconv.Itoa(number) + ". "
	}
	return "- "
}

// holdsBlocks reports whether an element below n needs a block of its own: a heading, code, a quote, an article, or
// an element of one more type, the argument also.
func (b *builder) holdsBlocks(n *html.Node, also atom.Atom) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		switch c.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Pre, atom.Blockquote, atom.Article, also:
			return true
		}
		if b.holdsBlocks(c, also) {
			return true
		}
	}
	return false
}

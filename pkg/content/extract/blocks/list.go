package blocks

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// list adds a list as one block. If the items hold more than text, list adds the items one by one.
func (b *builder) list(n *html.Node) {
	if b.holdsBlocks(n, atom.Table) {
		b.itemByItem(n)
		return
	}
	w := listWriter{b: b}
	w.list(n, "")
	kind := extract.List
	if b.quotes > 0 {
		kind = extract.Quote
	}
	b.add(extract.Block{
		Kind: kind, Text: strings.TrimRight(w.out.String(), "\n"), Counted: w.counted && !w.stated,
	})
}

// listWriter writes the items of a list and of the lists in it.
type listWriter struct {
	b       *builder
	out     strings.Builder
	counted bool // browsers number the items
	stated  bool // the page states the numbers of the items
}

// list writes one line per item, indented below its parent. Below the eighth level the indentation no longer grows.
func (w *listWriter) list(n *html.Node, indent string) {
	numbers, notes := numberingOf(n), isNotes(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || w.b.skips(c) {
			continue
		}
		f := w.b.folder()
		if !dom.IsList(c.DataAtom) {
			w.b.inlineInto(&f, c, true)
		}
		text := f.Peek()
		bullet := "- "
		if numbers != nil && (text != "" || c.DataAtom == atom.Li) {
			bullet = numbers.of(c)
		}
		if notes {
			bullet = "[^" + strings.TrimSuffix(bullet, ". ") + "]: "
		}
		if text != "" {
			w.out.WriteString(indent + bullet + task(c) + strings.ReplaceAll(text, "\n", " ") + "\n")
		}
		w.nested(c, indent)
	}
	w.counted = w.counted || numbers != nil && !notes
	w.stated = w.stated || notes || numbers != nil && numbers.stated
}

// nested writes the lists below an item. If n is itself a list in the position of an item, nested writes n.
func (w *listWriter) nested(n *html.Node, indent string) {
	if dom.IsList(n.DataAtom) {
		if len(indent) < 16 {
			indent += "  "
		}
		w.list(n, indent)
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && !w.b.skips(c) {
			w.nested(c, indent)
		}
	}
}

// holdsBlocks reports whether an element below n needs a block of its own: a heading, code, a quote, an article, or
// an element of the given type.
func (b *builder) holdsBlocks(n *html.Node, also atom.Atom) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		switch c.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Article, also:
			return true
		}
		if dom.IsCode(c.DataAtom) || b.holdsBlocks(c, also) {
			return true
		}
	}
	return false
}

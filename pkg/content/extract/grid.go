package extract

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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
	kind := List
	if b.quotes > 0 {
		kind = Quote
	}
	b.add(Block{Kind: kind, Text: strings.TrimRight(out.String(), "\n")})
}

// listInto writes one line per item, indented below its parent. Beyond eight levels the
// indentation stays.
func (b *builder) listInto(out *strings.Builder, n *html.Node, indent string) {
	number := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || b.skips(c) {
			continue
		}
		var f folder
		if c.DataAtom != atom.Ul && c.DataAtom != atom.Ol {
			b.inlineInto(&f, c, true)
		}
		if text := f.peek(); text != "" {
			number++
			out.WriteString(indent + marker(n, number) + strings.ReplaceAll(text, "\n", " ") + "\n")
		}
		b.nested(out, c, indent)
	}
}

// nested writes the lists below an item, or the list that stands where an item should.
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

// holdsBlocks reports whether there is something below n that deserves a block of its own: a
// heading, code, a quote, an article, or an element of kind also.
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

// table adds a table of data as one block; a table that only arranges the page is walked through.
func (b *builder) table(n *html.Node) {
	if attr(n, "role") == "presentation" || b.holdsBlocks(n, atom.Table) || b.isLayout(n) {
		b.children(n)
		b.flush()
		return
	}
	var rows []string
	b.rows(n, &rows)
	b.add(Block{Kind: Table, Text: strings.Join(rows, "\n")})
}

// isLayout reports whether cells of a table without headers hold several paragraphs or lists.
func (b *builder) isLayout(n *html.Node) bool {
	headers, blocks := 0, 0
	for d := range n.Descendants() {
		if d.Type != html.ElementNode {
			continue
		}
		switch d.DataAtom {
		case atom.Th, atom.Caption:
			headers++
		case atom.P, atom.Ul, atom.Ol, atom.Div, atom.Section:
			blocks++
		}
	}
	return headers == 0 && blocks > 0
}

// rows collects the caption and the rows of a table.
func (b *builder) rows(n *html.Node, rows *[]string) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || b.skips(c) {
			continue
		}
		line := ""
		switch c.DataAtom {
		case atom.Tr:
			line = b.row(c)
		case atom.Caption:
			line = b.inline(c)
		default:
			b.rows(c, rows)
		}
		if strings.Trim(line, " |") != "" {
			*rows = append(*rows, line)
		}
	}
}

func (b *builder) row(tr *html.Node) string {
	var cells []string
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && !b.skips(c) {
			cells = append(cells, b.inline(c))
		}
	}
	return strings.TrimRight(strings.Join(cells, " | "), " |")
}

package web

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// maxWritten limits the number of elements in the page form of a document. A larger document has none.
const maxWritten = 250_000

// Written is the text of a document that is neither a web page nor JSON, such as a PDF, a workbook, XML or a feed, in
// the form of a page, so that selectors find parts of it. A heading begins a section that goes on to the next heading
// of its level or a higher one: an article in data, whose sections are entries, and a section elsewhere. Lines of
// lists, cells and other lines are elements with the text as it was read. The same blocks have the same form.
type Written struct {
	Root      *html.Node
	doc       extract.Document
	positions map[*html.Node]position // of the texts
	lines     int
	left      int // number of elements that may still be added
	open      []section
}

// section is an element to which blocks are added, with the level of its heading, or the indentation of its items.
type section struct {
	level int
	at    *html.Node
}

// position is where a text stands in the text of the document: its line, from 0, and the bytes of the line.
type position struct {
	line int
	Span
}

// WrittenOf returns the page form of a document. Root is nil if the document is a web page or JSON, has no text, or is
// too large: then why says that.
func WrittenOf(doc extract.Document) (w *Written, why string) {
	w = &Written{doc: doc, positions: map[*html.Node]position{}, left: maxWritten}
	switch {
	case IsHTML(doc.MimeType), isJSON(doc.MimeType):
		return w, fmt.Sprintf("selectors need a web page or JSON that can be parsed, and this is %.60s", doc.MimeType)
	case len(doc.Blocks) == 0:
		return w, fmt.Sprintf("this is %.60s of which no text is read, so a selector finds nothing in it", doc.MimeType)
	}
	root := &html.Node{Type: html.DocumentNode}
	w.open = []section{{0, w.in(w.in(root, atom.Html), atom.Body)}}
	for i := 0; i < len(doc.Blocks) && w.left >= 0; i++ {
		w.block(doc.Blocks[i])
		w.lines += strings.Count(doc.Blocks[i].Text+extract.Separator, "\n")
	}
	if w.left < 0 {
		return w, fmt.Sprintf("the document has more than %d lines and cells, too many for selectors", maxWritten)
	}
	w.Root = root
	return w, ""
}

// in adds an element.
func (w *Written) in(n *html.Node, name atom.Atom) *html.Node {
	e := &html.Node{Type: html.ElementNode, DataAtom: name, Data: name.String()}
	if w.left--; w.left >= 0 {
		n.AppendChild(e)
	}
	return e
}

// text adds a part of a line, without the blanks around it.
func (w *Written) text(n *html.Node, line string, at position) {
	at.From += len(line[at.From:at.To]) - len(strings.TrimLeft(line[at.From:at.To], " "))
	at.To = at.From + len(strings.TrimRight(line[at.From:at.To], " "))
	if at.From < at.To {
		t := &html.Node{Type: html.TextNode, Data: line[at.From:at.To]}
		n.AppendChild(t)
		w.positions[t] = at
	}
}

// block adds a block to the section that is open.
func (w *Written) block(b extract.Block) {
	if b.Kind == extract.Heading {
		w.heading(min(max(b.Level, 1), 6), b.Text)
		return
	}
	switch at := w.open[len(w.open)-1].at; b.Kind {
	case extract.List:
		w.list(at, b.Text)
	case extract.Table:
		w.table(w.in(w.in(at, atom.Table), atom.Tbody), b.Text)
	case extract.Code:
		w.each(w.in(at, atom.Pre), b.Text, atom.Div)
	case extract.Quote:
		w.each(w.in(at, atom.Blockquote), b.Text, atom.P)
	default:
		w.each(w.in(at, atom.P), b.Text, 0)
	}
}

// heading begins a section.
func (w *Written) heading(level int, text string) {
	name := atom.Section
	if w.doc.Exact {
		name = atom.Article
	}
	within := slices.IndexFunc(w.open, func(s section) bool { return s.level >= level })
	if within < 0 {
		within = len(w.open)
	}
	s := section{level, w.in(w.open[within-1].at, name)}
	w.open = append(w.open[:within], s)
	w.each(w.in(s.at, atom.Lookup(fmt.Appendf(nil, "h%d", level))), text, 0)
}

// each adds lines, in elements of their own or with a break between them.
func (w *Written) each(n *html.Node, text string, name atom.Atom) {
	for i, line := range strings.Split(text, "\n") {
		at := n
		if name != 0 {
			at = w.in(n, name)
		} else if i > 0 {
			w.in(n, atom.Br)
		}
		w.text(at, line, position{w.lines + i, Span{0, len(line)}})
	}
}

// list adds the items of a list, those that are indented in the item above them. Those that are of one element of data
// are in one item, and the first of them is its name.
func (w *Written) list(n *html.Node, text string) {
	open := []section{{0, w.in(n, atom.Ul)}}
	lines, together := strings.Split(text, "\n"), 0
	for i, line := range lines {
		indent, first := len(line)-len(strings.TrimLeft(line, " ")), false
		if w.doc.Exact && i >= together {
			together = i + ofOne(lines[i:])
			open, first = open[:1], together > i+1
		}
		for len(open) > 1 && open[len(open)-1].level > indent {
			open = open[:len(open)-1]
		}
		if last := open[len(open)-1]; indent > last.level && last.at.LastChild != nil {
			open = append(open, section{indent, w.in(last.at.LastChild, atom.Ul)})
		}
		item := w.in(open[len(open)-1].at, atom.Li)
		at := item
		if first { // it names the others
			at = w.in(item, atom.B)
			open = append(open, section{0, w.in(item, atom.Ul)})
		}
		w.text(at, line, position{w.lines + i, Span{len(extract.Bullet(line)), len(line)}})
	}
}

// ofOne returns how many of the first lines are the attributes and the text of one element of XML, such as
// "- fee.name: hall" and "- fee: 12".
func ofOne(lines []string) (n int) {
	element := ""
	known := map[string]bool{}
	for _, line := range lines {
		label, _, _ := strings.Cut(line[len(extract.Bullet(line)):]+" ", ": ")
		if at := strings.LastIndexByte(label, '.'); n == 0 && at > 0 {
			element = label[:at]
		}
		if known[label] || n > 0 && (element == "" || label != element && !strings.HasPrefix(label, element+".")) {
			return n
		}
		known[label] = true
		n++
	}
	return n
}

// table adds the rows of a table, without the line of dashes below the header of Markdown.
func (w *Written) table(n *html.Node, text string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i == 1 && strings.HasPrefix(line, "|") && strings.Trim(line, "|-: ") == "" {
			continue
		}
		row, cell := w.in(n, atom.Tr), atom.Td
		if i == 0 && extract.HasHeader(lines) {
			cell = atom.Th
		}
		for _, c := range extract.Cells(line) {
			in := w.in(row, cell)
			w.text(in, line, position{w.lines + i, Span(c)})
			if in.FirstChild != nil {
				in.FirstChild.Data = c.Text(line)
			}
		}
	}
}

// wanted returns what a selector finds: the parts of each line of the text, and the number of the elements. What it
// leaves out is removed from the tree.
func (w *Written) wanted(sel Selector) (wanted map[int][]Span, found int, err error) {
	roots, err := sel.Select(w.Root)
	if err != nil {
		return nil, 0, err
	}
	if !sel.Narrow() {
		roots = []*html.Node{w.Root}
	}
	return w.spans(roots), len(roots), nil
}

func (w *Written) spans(roots []*html.Node) map[int][]Span {
	out := map[int][]Span{}
	for _, n := range roots {
		for d := range n.Descendants() {
			if at, is := w.positions[d]; is {
				out[at.line] = append(out[at.line], at.Span)
			}
		}
	}
	return out
}

// Part returns the document with nothing but what a selector finds, and the number of the elements. A line of which it
// finds all is as before; of a row, the cells that it finds are left. Part changes the tree. Errors: those of the
// selector.
func (w *Written) Part(sel Selector) (doc extract.Document, found int, err error) {
	all := w.spans([]*html.Node{w.Root})
	wanted, found, err := w.wanted(sel)
	if err != nil {
		return doc, 0, err
	}
	doc, line := w.doc, 0
	doc.Blocks, doc.Exact = nil, doc.Exact || sel.Narrow()
	for _, b := range w.doc.Blocks {
		number := strings.Count(b.Text, "\n") + 1
		at := func(of map[int][]Span) (spans [][]Span) {
			for i := range number {
				spans = append(spans, of[line+i])
			}
			return spans
		}
		if b = partOfBlock(b, at(wanted), at(all)); b.Text != "" {
			doc.Blocks = append(doc.Blocks, b)
		}
		line += number + 1 // and the blank line between two blocks
	}
	doc.Text = extract.Join(doc.Blocks)
	return doc, found, nil
}

// partOfBlock returns what is wanted of a block, by its lines: lines, and cells of a row. Cells that stand alone in
// their rows are lines. A line that shows nothing stays behind one that is wanted.
func partOfBlock(b extract.Block, wanted, all [][]Span) extract.Block {
	widest, whole := 0, true
	for i, spans := range wanted {
		widest, whole = max(widest, len(spans)), whole && len(spans) == len(all[i])
	}
	alone := b.Kind == extract.Table && !whole && widest == 1
	var lines []string
	for i, line := range strings.Split(b.Text, "\n") {
		switch spans := wanted[i]; {
		case len(spans) == 0 && (len(all[i]) > 0 || len(lines) == 0 || alone):
		case len(spans) < len(all[i]) || alone:
			lines = append(lines, rowOf(line, spans))
		default:
			lines = append(lines, line)
		}
	}
	if alone {
		b.Kind = extract.Paragraph
	}
	b.Text = strings.TrimRight(strings.Join(lines, "\n"), "\n")
	return b
}

func rowOf(line string, spans []Span) string {
	cells := make([]string, len(spans))
	for i, s := range spans {
		cells[i] = line[s.From:s.To]
	}
	return extract.Row(cells)
}

// Marked returns, for each line of the text of the document, the parts that a selector finds, as the function [Marked]
// does for pages; nil if the selector cannot be applied. It changes the tree.
func (w *Written) Marked(sel Selector) (wanted [][]Span) {
	found, _, err := w.wanted(sel)
	for i := 0; i <= strings.Count(w.doc.Text, "\n") && err == nil; i++ {
		wanted = append(wanted, found[i])
	}
	return wanted
}

// Package pick lets people choose elements of a web page without reading its markup. It lists the texts of a page
// with the elements that show them, and makes CSS selectors for an element that somebody chose.
//
// The list depends only on the page. So an element is named by the page and its number in the list.
package pick

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/policy/selector"
)

// Bounds of a list.
const (
	MaxText  = 240 // number of bytes of the text of an element
	MaxParts = 12  // number of elements within a line
)

// Element is an element of a page that can be chosen.
type Element struct {
	N      int    // number in the page, starting at 1
	Text   string // what it shows, at most [MaxText] bytes
	Column int    // of the cell of a table that it is or stands in, starting at 1; 0 if it is in none
	Node   *html.Node
}

// Line is a text of a page that stands on its own, such as a paragraph, with the element that shows it. If text
// stands beside other blocks in its element, Whole is false, and the element shows more than the line.
type Line struct {
	Element
	Whole   bool
	Heading bool
	Level   int       // of a heading, 1 to 6
	Entry   bool      // it is or stands in an entry of a list
	Table   int       // lines of the same table have the same number; 0 outside of tables
	Row     int       // lines of the same row have the same number
	Head    bool      // the row is one of headers
	Around  string    // nav, header, footer or aside; empty in the content
	Parts   []Element // elements within the line that show a part of it, at most [MaxParts]
	More    bool      // there are more of them
	By      By        // by what a selector finds the element; empty until somebody asks

	shows []*html.Node
	text  string // of a line of what is no web page: all of it
}

// Has reports whether the line has a text, whatever its case, also beyond the beginning that Text has of it.
func (l *Line) Has(text string) bool {
	var all strings.Builder
	for _, n := range l.shows {
		write(&all, n, math.MaxInt)
	}
	if l.shows == nil {
		all.WriteString(cmp.Or(l.text, l.Text))
	}
	return strings.Contains(strings.ToLower(oneLine(all.String())), strings.ToLower(oneLine(text)))
}

// Page is the list of the lines of a page.
type Page struct {
	Lines []Line

	root   *html.Node
	main   *html.Node          // the main element; nil if there is none
	tries  int                 // number of selectors that were tried
	known  *picker             // the first of those of the page; nil if none was needed
	shown  map[*html.Node]int  // number of letters that an element shows, blanks not counted
	blocks map[*html.Node]bool // elements that are or contain blocks
	last   int
	within map[*html.Node]int // numbers of tables and rows
}

// Read lists the lines of a page.
func Read(root *html.Node) *Page {
	p := &Page{root: root, shown: map[*html.Node]int{}, blocks: map[*html.Node]bool{}}
	p.measure(root)
	p.main = p.mainOf()
	p.walk(root, "", false)
	return p
}

// Element returns the element with a number; nil if there is none.
func (p *Page) Element(n int) *html.Node {
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.N == n {
			return l.Node
		}
		for _, part := range l.Parts {
			if part.N == n {
				return part.Node
			}
		}
	}
	return nil
}

// Named returns the elements that have a name or show a text: rows and entries with the name, or else the listed
// elements that show it, or else those that hold it. Case, blanks and a colon do not count.
func (p *Page) Named(root *html.Node, text string) (out []*html.Node) {
	if strings.Trim(text, " *") == "" {
		return nil
	}
	page := selector.On(root)
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && p.shown[n] > 0 && (selector.IsRow(n) || selector.IsEntry(n)) {
			for _, name := range page.Names(n) {
				if selector.IsName(text, name) && !slices.ContainsFunc(out, func(o *html.Node) bool { return contains(o, n) }) {
					out = append(out, n)
				}
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	var holding []*html.Node
	for _, l := range p.Lines {
		for _, e := range append([]Element{l.Element}, l.Parts...) {
			if selector.IsName(text, e.Text) {
				out = append(out, e.Node)
				break
			}
		}
		if l.Has(text) {
			holding = append(holding, l.Node)
		}
	}
	if len(out) > 0 {
		return out
	}
	return holding
}

// Within returns the numbers of the listed elements that are in some nodes, at most as many as most.
func (p *Page) Within(nodes []*html.Node, most int) (out []int) {
	is := map[*html.Node]bool{}
	for _, n := range nodes {
		is[n] = true
	}
	for _, l := range p.Lines {
		for _, e := range append([]Element{l.Element}, l.Parts...) {
			up := e.Node
			for up != nil && !is[up] {
				up = up.Parent
			}
			if up != nil && len(out) < most {
				out = append(out, e.N)
			}
		}
	}
	return out
}

// Larger returns the closest element around n that shows more than n does; nil if only the whole page does.
func (p *Page) Larger(n *html.Node) *html.Node {
	for up := n.Parent; up != nil && up.Type == html.ElementNode && up.DataAtom != atom.Body; up = up.Parent {
		if p.shown[up] > p.shown[n] {
			return up
		}
	}
	return nil
}

// measure counts the letters that each element shows, and finds the elements that contain blocks.
func (p *Page) measure(n *html.Node) (letters int, block bool) {
	switch {
	case n.Type == html.TextNode:
		for _, r := range n.Data {
			if r > ' ' && r != '\u00a0' {
				letters++
			}
		}
	case n.Type == html.ElementNode && dom.Unseen(n):
		return 0, false
	default:
		block = n.Type == html.ElementNode && dom.IsBlock(n.DataAtom) && n.DataAtom != atom.Br
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			l, b := p.measure(c)
			letters, block = letters+l, block || b && l > 0
		}
	}
	if letters > 0 {
		p.shown[n], p.blocks[n] = letters, block
	}
	return letters, block
}

// walk adds the lines below an element. Text and other elements between two blocks are one line.
func (p *Page) walk(n *html.Node, around string, content bool) {
	var run []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case p.shown[c] == 0:
		case p.blocks[c]:
			p.add(n, run, around)
			run = nil
			within, is := landmark(c, content)
			if around != "" {
				within = around
			}
			p.walk(c, within, content || is)
		default:
			run = append(run, c)
		}
	}
	p.add(n, run, around)
}

// landmark returns the kind of an element that is around the content of a page, and whether an element is content.
func landmark(n *html.Node, content bool) (around string, is bool) {
	switch n.DataAtom {
	case atom.Nav, atom.Aside:
		return n.Data, false
	case atom.Header, atom.Footer:
		if !content {
			return n.Data, false
		}
	case atom.Main, atom.Article:
		return "", true
	}
	return "", false
}

// add adds the line that some children of an element show.
func (p *Page) add(n *html.Node, run []*html.Node, around string) {
	letters := 0
	for _, c := range run {
		letters += p.shown[c]
	}
	if letters == 0 {
		return
	}
	l := Line{shows: run, Whole: letters == p.shown[n], Around: around, Heading: dom.IsHeading(n.DataAtom)}
	if l.Heading {
		l.Level = int(n.Data[1] - '0')
	}
	p.locate(n, &l)
	switch {
	case l.Whole:
		n = p.named(n)
	case len(run) == 1 && run[0].Type == html.ElementNode:
		n, l.Whole = p.named(run[0]), true
	}
	l.Element = p.element(n, run)
	for _, c := range run {
		p.parts(c, letters, &l)
	}
	p.Lines = append(p.Lines, l)
}

// parts adds the elements at and below c that show less than the line.
func (p *Page) parts(c *html.Node, of int, l *Line) {
	if c.Type != html.ElementNode || p.shown[c] == 0 || l.More {
		return
	}
	if p.shown[c] < of {
		if l.More = len(l.Parts) == MaxParts; l.More {
			return
		}
		c = p.named(c)
		of = p.shown[c]
		l.Parts = append(l.Parts, p.element(c, []*html.Node{c}))
	}
	for d := c.FirstChild; d != nil; d = d.NextSibling {
		p.parts(d, of, l)
	}
}

func (p *Page) element(n *html.Node, shows []*html.Node) Element {
	p.last++
	var text strings.Builder
	for _, c := range shows {
		write(&text, c, enough)
	}
	return Element{N: p.last, Text: clip(text.String()), Column: columnOf(shows), Node: n}
}

// locate says in which table and row, or list, a line stands.
func (p *Page) locate(n *html.Node, l *Line) {
	for up := n; up != nil && l.Table == 0; up = up.Parent {
		switch {
		case selector.IsRow(up) && l.Row == 0:
			l.Row, l.Head = p.number(up), dom.Child(up, atom.Th) != nil && dom.Child(up, atom.Td) == nil
		case up.DataAtom == atom.Table && l.Row != 0:
			l.Table = p.number(up)
		case up.DataAtom == atom.Li && l.Row == 0:
			l.Entry = true
			return
		}
	}
	if l.Table == 0 {
		l.Row, l.Head = 0, false
	}
}

// number returns a number of a table or a row.
func (p *Page) number(n *html.Node) int {
	if p.within == nil {
		p.within = map[*html.Node]int{}
	}
	if p.within[n] == 0 {
		p.within[n] = len(p.within) + 1
	}
	return p.within[n]
}

// columnOf returns the column of the cell that nodes are or stand in; 0 if they are in several or in none.
func columnOf(shows []*html.Node) int {
	var cell *html.Node
	for i, n := range shows {
		in := n
		for in != nil && !selector.IsCell(in) && !selector.IsRow(in) {
			in = in.Parent
		}
		if in == nil || selector.IsRow(in) || i > 0 && in != cell {
			return 0
		}
		cell = in
	}
	column := 0
	for ; cell != nil; cell = cell.PrevSibling {
		if selector.IsCell(cell) {
			column += span(cell)
		}
	}
	return column
}

// span returns the number of columns that a cell takes.
func span(cell *html.Node) int {
	const most = 20
	n, _ := strconv.Atoi(dom.Attr(cell, "colspan"))
	return max(1, min(n, most))
}

// named returns the outermost of the elements that show the same text as n, beginning with n itself, by which a
// selector can find it; n if there is none.
func (p *Page) named(n *html.Node) *html.Node {
	for c := n; c != nil; c = p.only(c) {
		if len(names(c)) > 0 {
			return c
		}
	}
	return n
}

// only returns the child that shows all that an element shows; nil if there is none.
func (p *Page) only(n *html.Node) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && p.shown[c] == p.shown[n] {
			return c
		}
	}
	return nil
}

// Text returns the beginning of what an element shows.
func Text(n *html.Node) string {
	var text strings.Builder
	write(&text, n, enough)
	return clip(text.String())
}

// enough bytes have the text of an element, although some of them are blanks.
const enough = 4 * MaxText

// write appends what a node shows, until there is more than most bytes.
func write(text *strings.Builder, n *html.Node, most int) {
	switch {
	case text.Len() > most:
	case n.Type == html.TextNode:
		text.WriteString(words.Clip(n.Data, most))
	case n.Type == html.ElementNode && dom.Unseen(n):
	default:
		if n.DataAtom == atom.Td || n.DataAtom == atom.Th || dom.IsBlock(n.DataAtom) {
			text.WriteByte(' ')
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			write(text, c, most)
		}
	}
}

// clip makes one line of a text, and cuts it.
func clip(text string) string {
	if text = oneLine(text); len(text) <= MaxText {
		return text
	}
	return words.Clip(text, MaxText-len("…")) + "…"
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, string(utf8.RuneError))), " ")
}

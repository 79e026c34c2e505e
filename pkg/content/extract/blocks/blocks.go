// Package blocks turns elements of an HTML tree into the blocks of a document: paragraphs, lists, tables, code and
// formulas. It also finds the anchors of headings and terms.
package blocks

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text is the text of some elements of a page.
type Text struct {
	Blocks    []extract.Block
	Heading   string         // the first h1
	Size      int            // size of the text in bytes
	Truncated bool           // the text had more blocks than the limit
	Beyond    extract.Beyond // summary of the blocks beyond the limit
}

// Within returns the text below each of the elements, in at most the given number of blocks. It leaves out the
// elements for which skips returns true, with everything in them.
func Within(elements []*html.Node, most int, skips func(*html.Node) bool) Text {
	b := builder{skips: skips, most: most}
	for _, n := range elements {
		b.children(n)
		b.flush()
	}
	return b.result()
}

// Of is like [Within], but returns the text of the elements themselves. It makes one block of an element that is a
// list whose items hold only text; Within does not.
func Of(elements []*html.Node, most int, skips func(*html.Node) bool) Text {
	b := builder{skips: skips, most: most}
	for _, n := range elements {
		b.visit(n)
		b.flush()
	}
	return b.result()
}

// Around is like [Within], but returns the text of body around some of its elements, the holes. In place of each hole
// it reads the elements that the map lists for that hole.
func Around(body *html.Node, most int, skips func(*html.Node) bool, holes map[*html.Node][]*html.Node) Text {
	b := builder{skips: skips, most: most, holes: holes, around: map[*html.Node]bool{}}
	for hole := range holes {
		for n := hole.Parent; n != nil && !b.around[n]; n = n.Parent {
			b.around[n] = true
		}
	}
	b.visit(body)
	b.flush()
	return b.result()
}

// Skipped returns the elements below n that [Within] leaves out. It does not include elements inside another skipped
// element.
func Skipped(n *html.Node, skips func(*html.Node) bool) (out []*html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if _, _, found := substitute(c); found {
			continue
		}
		if skips(c) {
			out = append(out, c)
		} else {
			out = append(out, Skipped(c, skips)...)
		}
	}
	return out
}

// Line returns all visible text of an element on one line.
func Line(n *html.Node) string {
	b := builder{skips: func(n *html.Node) bool { return dom.Unseen(n) || dom.IsHeadingSign(n) }}
	return b.inline(n)
}

// builder turns elements into blocks.
type builder struct {
	Text
	skips func(*html.Node) bool // reports whether to skip an element
	most  int                   // largest number of blocks
	rest  extract.Rest          // blocks beyond the largest number
	// For [Around]: the elements to read in place of each hole, and the ancestors of all holes.
	holes  map[*html.Node][]*html.Node
	around map[*html.Node]bool

	line   dom.Folder // the paragraph being collected
	quotes int        // number of blockquotes around the paragraph
	struck int        // number of elements around the text that strike it out
	inDel  bool       // the code being read is inside struck code
	inRuby bool       // the text is inside a ruby element

	items  *numbering // numbering of the list whose items are added one by one; nil if they have no numbers
	number string     // the number of an item, until the first text of the item is added

	anchors anchors // anchors of the headings and terms so far
	term    string  // the anchor of the term being explained
}

// result returns the text, with the summary of the blocks beyond the limit.
func (b *builder) result() Text {
	b.Beyond = b.rest.Sum()
	return b.Text
}

// visit adds the content of n.
func (b *builder) visit(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		b.line.Write(n.Data)
	case html.ElementNode:
		if inside, found := b.holes[n]; found {
			b.hole(inside)
		} else if b.around[n] {
			b.plain(n)
		} else if text, display, found := substitute(n); found {
			b.substituted(text, display)
		} else if !b.skips(n) && !b.phrase(&b.line, n, b.children) {
			if dom.Touches(n) {
				b.line.Line()
			}
			b.element(n)
		}
	}
}

// hole adds the elements to read in place of a hole.
func (b *builder) hole(inside []*html.Node) {
	b.flush()
	for _, n := range inside {
		b.visit(n)
		b.flush()
	}
}

// substitute returns the text that replaces an element: a formula, a link to a footnote, or the link back from a
// footnote. For other elements, found is false.
func substitute(n *html.Node) (text string, display, found bool) {
	if isBackRef(n) {
		return "", false, true
	}
	if ref := noteRef(n) + noteLabelOf(n); ref != "" {
		return ref, false, true
	}
	return formula(n)
}

// substituted adds text that [substitute] returned. If display is true, the text becomes a paragraph of its own.
func (b *builder) substituted(text string, display bool) {
	if display {
		b.flush()
	}
	b.line.Write(text)
	if display {
		b.flush()
	}
}

func (b *builder) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.visit(c)
	}
}

// element adds one element according to its kind.
func (b *builder) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Br:
		b.lineBreak()
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		b.flush()
		b.addHeading(n, b.inlineOrPicture(n))
	case atom.Pre, atom.Xmp, atom.Listing, atom.Plaintext:
		b.flush()
		b.add(extract.Block{Kind: extract.Code, Text: b.code(n), Language: codeLanguage(n)})
	case atom.Ul, atom.Ol, atom.Menu:
		b.flush()
		b.list(n)
	case atom.Li:
		b.item(n)
	case atom.Dl:
		b.flush()
		b.definitions(n)
	case atom.Dt:
		b.flush()
		b.term = b.anchors.ofTerm(n)
		b.plain(n)
	case atom.Table:
		b.flush()
		b.table(n)
	case atom.Blockquote:
		b.flush()
		b.quotes++
		b.children(n)
		b.flush()
		b.quotes--
	default:
		b.plain(n)
	}
}

// plain adds the children of n, on separate lines if n is a block.
func (b *builder) plain(n *html.Node) {
	border := hasBorder(n)
	if border {
		b.flush()
	}
	b.children(n)
	if border {
		b.flush()
	}
}

// hasBorder reports whether the text of an element is separate from the text around it.
func hasBorder(n *html.Node) bool {
	return dom.IsBlock(n.DataAtom) || n.DataAtom == atom.Td || n.DataAtom == atom.Th || n.DataAtom == atom.Button
}

// lineBreak ends a line. Two line breaks in a row end the paragraph, because some pages separate paragraphs in this
// way.
func (b *builder) lineBreak() {
	if b.line.EndsLine() {
		b.flush()
		return
	}
	b.line.Line()
}

// flush ends the paragraph being collected.
func (b *builder) flush() {
	kind := extract.Paragraph
	if b.quotes > 0 {
		kind = extract.Quote
	}
	b.add(extract.Block{Kind: kind, Text: b.line.Flush()})
}

func (b *builder) addHeading(n *html.Node, text string) {
	level := int(n.Data[1] - '0')
	if level == 1 && b.Heading == "" {
		b.Heading = extract.Title(text)
	}
	b.term = ""
	if text != "" {
		b.add(extract.Block{Kind: extract.Heading, Level: level, Text: text, Anchor: b.anchors.of(n)})
	}
}

// add appends a block unless it is empty.
func (b *builder) add(block extract.Block) {
	if block.Text == "" {
		return
	}
	if len(b.Blocks) >= b.most {
		b.Truncated = true
		b.rest.Line(block.Text)
		return
	}
	if block.Kind != extract.Heading && block.Anchor == "" {
		block.Anchor = b.term
	}
	if number := b.number; number != "" {
		b.number = ""
		b.addNumbered(number, block)
		return
	}
	b.Size += len(block.Text)
	b.Blocks = append(b.Blocks, block)
}

// inline returns the text below n on one line.
func (b *builder) inline(n *html.Node) string {
	f := b.folder()
	b.inlineInto(&f, n, false)
	return f.Peek()
}

// folder returns a folder for text at the current position, which may be inside struck text.
func (b *builder) folder() (f dom.Folder) {
	f.Strike(b.struck > 0)
	return f
}

// inlineInto adds the text below n to f. If noLists is true, it skips nested lists.
func (b *builder) inlineInto(f *dom.Folder, n *html.Node, noLists bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			f.Write(c.Data)
		}
		if c.Type != html.ElementNode {
			continue
		}
		if text, _, found := substitute(c); found {
			f.Write(text)
			continue
		}
		if b.skips(c) || noLists && dom.IsList(c.DataAtom) ||
			b.phrase(f, c, func(n *html.Node) { b.inlineInto(f, n, noLists) }) {
			continue
		}
		border := hasBorder(c)
		if border || dom.Touches(c) {
			f.Border()
		}
		b.inlineInto(f, c, noLists)
		if border {
			f.Border()
		}
	}
}

// code returns the text of a pre element as written, without line numbers and buttons.
func (b *builder) code(n *html.Node) string {
	var out strings.Builder
	if b.struck > 0 {
		b.struckCode(&out, n)
	} else {
		b.codeInto(&out, n)
	}
	return TrimCode(out.String())
}

// struckCode writes code that is struck out, with a sign before and behind it. Blanks and line breaks at its ends stay
// outside of the signs, and code that is struck twice has one pair of them.
func (b *builder) struckCode(out *strings.Builder, n *html.Node) {
	outer := b.inDel
	var struck strings.Builder
	b.inDel = true
	b.codeInto(&struck, n)
	b.inDel = outer
	text := strings.Trim(struck.String(), " \t\r\n")
	if text == "" || outer {
		out.WriteString(struck.String())
		return
	}
	before, after, _ := strings.Cut(struck.String(), text)
	out.WriteString(before + dom.StrikeSign + text + dom.StrikeSign + after)
}

// TrimCode removes whitespace that readers cannot see in code: blanks at the ends of lines, and blank lines at the
// beginning and end.
func TrimCode(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && dom.IsInvisible(r) {
			return -1
		}
		return r
	}, text)
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\u00a0")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

func (b *builder) codeInto(out *strings.Builder, n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			out.WriteString(c.Data)
		case c.Type != html.ElementNode || b.skips(c):
		case c.DataAtom == atom.Br:
			out.WriteByte('\n')
		default:
			if isStruck(c) {
				b.struckCode(out, c)
			} else {
				b.codeInto(out, c)
			}
			if dom.IsBlock(c.DataAtom) && !strings.HasSuffix(out.String(), "\n") {
				out.WriteByte('\n') // some highlighters put each line in a block element
			}
		}
	}
}

// inlineOrPicture returns the text below n on one line. If there is none, the texts of its pictures stand for it: in a
// table of features, "included" is a picture of a tick.
func (b *builder) inlineOrPicture(n *html.Node) string {
	if text := b.inline(n); text != "" {
		return text
	}
	f := b.folder()
	b.pictures(&f, n)
	return f.Peek()
}

func (b *builder) pictures(f *dom.Folder, n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type != html.ElementNode || b.skips(c):
		case c.DataAtom == atom.Img:
			f.Border()
			f.Write(dom.Clip(dom.Attr(c, "alt"), extract.MaxImageText))
		default:
			b.pictures(f, c)
		}
	}
}

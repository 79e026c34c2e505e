package blocks

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// table adds a data table as one block. If a table only arranges the page, table visits its cells like other content.
func (b *builder) table(n *html.Node) {
	if dom.Attr(n, "role") == "presentation" || b.holdsBlocks(n, atom.Table) || b.isLayout(n) {
		b.children(n)
		b.flush()
		return
	}
	t := tableWriter{b: b}
	t.read(n, false)
	b.add(extract.Block{Kind: extract.Paragraph, Text: t.caption})
	b.add(extract.Block{Kind: extract.Table, Text: t.text()})
}

// isLayout reports whether a table only arranges the page: it has no headers, and its cells hold several paragraphs
// or lists.
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

const (
	// spareCells is the number of cells that spans may add to any table, however small its markup is. A table with
	// more cells in its markup may get as many cells from spans.
	spareCells = 64
	// repeated limits the length, in bytes, of the text that is repeated in every column and row that its cell spans.
	// A longer text appears only in the first.
	repeated = 80
)

// tableWriter makes the rows of a table.
type tableWriter struct {
	b       *builder
	caption string
	rows    [][]string
	header  bool // the first row is a header
	cells   int  // number of cells that the markup contains
	added   int  // number of cells that spans added
	below   []span
}

// span is a cell that extends into later rows.
type span struct {
	text string
	rows int // number of rows that the cell still extends into
}

// read collects the caption and the rows below n.
func (t *tableWriter) read(n *html.Node, inHead bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || t.b.skips(c) {
			continue
		}
		switch c.DataAtom {
		case atom.Tr:
			t.row(c, inHead)
		case atom.Caption:
			t.caption = t.b.inline(c)
		default:
			t.read(c, c.DataAtom == atom.Thead)
		}
	}
}

// row adds a row unless it is empty.
func (t *tableWriter) row(tr *html.Node, inHead bool) {
	var cells []string
	headers := 0
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || t.b.skips(c) {
			continue
		}
		t.cells++
		if c.DataAtom == atom.Th {
			headers++
		}
		cells = t.cell(t.hanging(cells), c)
	}
	own := len(cells)
	cells = t.hanging(cells)
	if strings.Join(cells, "") == "" {
		return
	}
	if len(t.rows) == 0 {
		t.header = inHead || headers > 0 && headers*2 > own
	}
	t.rows = append(t.rows, cells)
}

// hanging adds the cells of earlier rows that extend into this row.
func (t *tableWriter) hanging(cells []string) []string {
	for len(cells) < len(t.below) && t.below[len(cells)].rows > 0 {
		s := &t.below[len(cells)]
		if s.rows--; !t.mayAdd() {
			return cells
		}
		cells = append(cells, s.text)
	}
	return cells
}

// cell adds a cell in all columns that it spans.
func (t *tableWriter) cell(cells []string, n *html.Node) []string {
	text := strings.ReplaceAll(t.b.inlineOrPicture(n), "|", `\|`)
	columns, rows := spanOf(n, "colspan"), spanOf(n, "rowspan")
	for i := range columns {
		if i > 0 && !t.mayAdd() {
			break
		}
		for len(t.below) <= len(cells) {
			t.below = append(t.below, span{})
		}
		t.below[len(cells)] = span{text, rows - 1}
		cells = append(cells, text)
		if len(text) > repeated {
			text = ""
		}
	}
	return cells
}

// mayAdd counts a cell that a span adds, and reports whether the table has room for it. A page of a few bytes must
// not become a large table.
func (t *tableWriter) mayAdd() bool {
	t.added++
	return t.added <= t.cells+spareCells
}

// spanOf returns the number of rows or columns that a cell covers. For the value 0, which means "all that follow", it
// returns 1.
func spanOf(n *html.Node, key string) int {
	const most = 1000 // HTML standard §4.9.11
	if count, err := strconv.Atoi(strings.TrimSpace(dom.Attr(n, key))); err == nil && count > 0 {
		return min(count, most)
	}
	return 1
}

// text returns the table in GitHub Flavored Markdown. A table without a header gets an empty header. A column with
// only empty cells, such as a column of pictures, is left out.
func (t *tableWriter) text() string {
	if len(t.rows) == 0 {
		return ""
	}
	width := 0
	for _, row := range t.rows {
		width = max(width, len(row))
	}
	used := make([]bool, width)
	for _, row := range t.rows {
		for i, cell := range row {
			used[i] = used[i] || cell != ""
		}
	}
	rows := t.rows
	if !t.header {
		rows = slices.Insert(rows, 0, nil)
	}
	for len(rows[0]) < width {
		rows[0] = append(rows[0], "")
	}
	var out strings.Builder
	for i, row := range rows {
		writeRow(&out, row, used)
		if i == 0 {
			rule := slices.Repeat([]string{"---"}, width)
			writeRow(&out, rule, used)
		}
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func writeRow(out *strings.Builder, row []string, used []bool) {
	out.WriteString("|")
	for i, cell := range row {
		if used[i] {
			out.WriteString(" " + cell + " |")
		}
	}
	out.WriteString("\n")
}

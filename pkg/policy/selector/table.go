package selector

import (
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxColumns = 1000
	maxSpan    = 10_000 // rows
)

// inColumn is the test of :column. All texts are headers of the column.
type inColumn []pattern

func parseColumn(argument string, _ int) (test, error) {
	texts, err := parseTexts(argument)
	return inColumn(texts), err
}

func (t inColumn) holds(p *Page, n *html.Node) bool {
	if !IsCell(n) {
		return false
	}
	g := p.gridOf(n)
	at, known := g.at[n]
	if !known || g.heads[n] {
		return false
	}
	var last *html.Node
	found := 0
	for column := at; column < at+span(n, "colspan", maxColumns) && column < len(g.headers); column++ {
		if head := t.header(p, g.headers[column]); head != nil && head != last {
			last = head
			found++
		}
	}
	if found == 0 {
		return false
	}
	// another column of the table must not have the same header
	for column := range g.headers {
		if head := t.header(p, g.headers[column]); head != nil && head != last {
			p.refuse("columns", written(t))
			return false
		}
	}
	return true
}

// header returns the last of the headers of a column, if all texts are among them; else nil.
func (t inColumn) header(p *Page, headers []*html.Node) (found *html.Node) {
	for _, text := range t {
		found = nil
		for _, h := range headers {
			if p.steps--; text.matches(p.Text(h)) {
				found = h
			}
		}
		if found == nil {
			return nil
		}
	}
	return found
}

func (t inColumn) parts() int { return 0 }

// grid is the cells of a table.
type grid struct {
	at      map[*html.Node]int // the first column of each cell
	heads   map[*html.Node]bool
	headers [][]*html.Node // of each column
}

// gridOf returns the grid of the table that a cell is in.
func (p *Page) gridOf(cell *html.Node) *grid {
	table := elementAround(cell)
	for table != nil && table.DataAtom != atom.Table && !isGrid(table) {
		table = elementAround(table)
	}
	if g := p.grids[table]; g != nil {
		return g
	}
	g := &grid{at: map[*html.Node]int{}, heads: map[*html.Node]bool{}}
	if p.grids == nil {
		p.grids = map[*html.Node]*grid{}
	}
	if p.grids[table] = g; table != nil {
		r := gridReader{page: p, grid: g}
		r.read(table, false)
	}
	return g
}

func isGrid(n *html.Node) bool {
	role := attr(n, "role")
	return role == "table" || role == "grid" || role == "treegrid"
}

type gridReader struct {
	page *Page
	*grid
	rows int
	left []int // for each column, the number of further rows that cells from above reach into
}

func (r *gridReader) read(n *html.Node, head bool) {
	for c := firstElement(n); c != nil && r.page.steps >= 0; c = elementAfter(c) {
		r.page.steps--
		switch {
		case IsRow(c):
			r.row(c, head)
		case c.DataAtom != atom.Table && !isGrid(c) && c.DataAtom != atom.Caption:
			r.read(c, head || c.DataAtom == atom.Thead)
		}
	}
}

// row reads a row. Rows of a thead have the headers, and so has the first row.
func (r *gridReader) row(n *html.Node, head bool) {
	head = head || r.rows == 0
	r.rows++
	column := 0
	taken := len(r.left)
	for c := firstElement(n); c != nil && column < maxColumns; c = elementAfter(c) {
		r.page.steps--
		if !IsCell(c) {
			continue
		}
		for column < taken && r.left[column] > 0 {
			r.left[column]--
			column++
		}
		r.at[c] = column
		down := span(c, "rowspan", maxSpan) - 1
		for range span(c, "colspan", maxColumns) {
			if column == maxColumns {
				break
			}
			for len(r.left) <= column {
				r.left = append(r.left, 0)
			}
			r.left[column] = down
			for head && len(r.headers) <= column {
				r.headers = append(r.headers, nil)
			}
			if head {
				r.headers[column], r.heads[c] = append(r.headers[column], c), true
			}
			r.page.steps--
			column++
		}
	}
	for ; column < taken; column++ {
		r.left[column] = max(0, r.left[column]-1)
	}
}

func span(cell *html.Node, key string, most int) int {
	n, err := strconv.Atoi(attr(cell, key))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, most)
}

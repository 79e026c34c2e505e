package textdiff

import (
	"slices"
	"strings"
)

// maxColumns limits the columns of a table. Each row is compared column by column.
const maxColumns = 100

// Table says of which table the rows of a hunk are.
type Table struct {
	Columns []Column
	Same    int // number of rows that are in both texts and are not shown
	Moved   int // of these, the rows that are in another place among the others
}

// Column is a column of a table. Its name is "" in a text that does not have it, and if the table has no header.
type Column struct {
	Old, New string
	old, now int // index in that text; -1 if the text does not have the column
}

// Words returns the names of a column, with the words marked in which they differ.
func (c Column) Words() (before, after []Piece) { return ByWord(c.Old, c.New) }

// Cell is a cell of a row, in each text.
type Cell struct{ Old, New []Piece }

// Differs reports whether the cell is not the same in both texts.
func (c Cell) Differs() bool {
	hit := func(p Piece) bool { return p.differs(false) }
	return slices.ContainsFunc(c.Old, hit) || slices.ContainsFunc(c.New, hit)
}

// Cells returns the cells of a row by the columns of the table.
func (t *Table) Cells(r Row) []Cell {
	was, is := RowCells(r.Old), RowCells(r.New)
	out := make([]Cell, len(t.Columns))
	for i, c := range t.Columns {
		if c.old >= 0 && c.old < len(was) {
			out[i].Old = tidied(was[c.old])
		}
		if c.now >= 0 && c.now < len(is) {
			out[i].New = tidied(is[c.now])
		}
	}
	return out
}

// span is a part of a line, from one byte to another.
type span struct{ from, to int }

// cellsOf returns where the cells of a row are, without the space around them. The last one may have no bar after it.
func cellsOf(line string) (out []span) {
	from := 1
	add := func(at int) {
		cell := line[from:at]
		begin := from + len(cell) - len(strings.TrimLeft(cell, " "))
		out = append(out, span{begin, max(begin, from+len(strings.TrimRight(cell, " ")))})
		from = at + 1
	}
	for at := 1; at < len(line); at++ {
		switch line[at] {
		case '\\':
			at++
		case '|':
			add(at)
		}
	}
	if from < len(line) && strings.TrimSpace(line[from:]) != "" {
		add(len(line))
	}
	return out
}

// cellText returns the text of a cell as readers see it.
func cellText(cell string) string { return strings.ReplaceAll(cell, `\|`, "|") }

// textsOf returns the texts of the cells of a row.
func textsOf(line string) (out []string) {
	for _, s := range cellsOf(line) {
		out = append(out, cellText(line[s.from:s.to]))
	}
	return out
}

// RowCells returns the cells of a row that is in pieces.
func RowCells(pieces []Piece) (out [][]Piece) {
	line, _ := Line(pieces)
	for _, s := range cellsOf(line) {
		out = append(out, within(pieces, s))
	}
	return out
}

// within returns the pieces of a part of a line.
func within(pieces []Piece, s span) (out []Piece) {
	at := 0
	for _, p := range pieces {
		from, to := max(s.from-at, 0), min(s.to-at, len(p.Text))
		if at += len(p.Text); from < to {
			p.Text = cellText(p.Text[from:to])
			out = append(out, p)
		}
	}
	return out
}

// columnsOf pairs the columns of two headers: by name, and those that have other names now in their order.
func columnsOf(old, text string) (out []Column) {
	a, b := textsOf(old), textsOf(text)
	for _, e := range edits(keysOf(a, alike), keysOf(b, alike)) {
		for i := e.same; i < e.from; i++ {
			j := e.at - (e.from - i)
			out = append(out, Column{a[i], b[j], i, j})
		}
		for i := range max(e.to-e.from, e.end-e.at) {
			c := Column{old: -1, now: -1}
			if e.from+i < e.to {
				c.old, c.Old = e.from+i, a[e.from+i]
			}
			if e.at+i < e.end {
				c.now, c.New = e.at+i, b[e.at+i]
			}
			out = append(out, c)
		}
	}
	return out
}

// widened returns columns with those, without a name, of the cells that rows have beyond a header. The numbers are
// those of the cells of the headers and of the widest rows.
func widened(columns []Column, was, is, widestOld, widestNew int) []Column {
	for was < widestOld || is < widestNew {
		c := Column{old: -1, now: -1}
		if was < widestOld {
			c.old, was = was, was+1
		}
		if is < widestNew {
			c.now, is = is, is+1
		}
		columns = append(columns, c)
	}
	return columns
}

// widest returns the number of cells of the widest of some rows.
func widest(rows []string) (n int) {
	for _, line := range rows {
		n = max(n, len(cellsOf(line)))
	}
	return n
}

// alikeTables reports whether a table may have become another: half of the columns of one have names of the other, or
// a row of one has the first cell of a row of the other. It takes the number of their rows from left; if there is not
// enough left, the answer is no.
func alikeTables(a, b side, u, v unit, left *int) bool {
	if *left -= u.to - u.from + v.to - v.from; *left < 0 {
		return false
	}
	columns := columnsOf(a.lines[u.from], b.lines[v.from])
	same, named := 0, 0
	for _, c := range columns {
		if c.Old != "" && alike(c.Old) == alike(c.New) {
			same++
		}
		if c.Old != "" || c.New != "" {
			named++
		}
	}
	if 2*same >= max(named, 1) {
		return true
	}
	first := map[string]bool{}
	for _, line := range a.lines[u.from+2 : u.to] {
		first[nameOf(line)] = true
	}
	delete(first, "")
	return slices.ContainsFunc(b.lines[v.from+2:v.to], func(line string) bool { return first[nameOf(line)] })
}

// nameOf returns the first cell of a row, by which readers know it.
func nameOf(line string) string {
	if cells := cellsOf(line); len(cells) > 0 {
		return alike(line[cells[0].from:cells[0].to])
	}
	return ""
}

// rowReplaces reports whether a row of a table may have replaced another: the first cell is the same, or half of the
// cells are.
func rowReplaces(was, is []string) bool {
	if len(was) == 0 || len(is) == 0 {
		return false
	}
	same := 0
	for i := range min(len(was), len(is)) {
		if alike(was[i]) == alike(is[i]) {
			same++
		}
	}
	return was[0] != "" && alike(was[0]) == alike(is[0]) || 2*same >= max(len(was), len(is))
}

// RowWords returns two rows of a table, the earlier and the later one, as pieces that mark the words in which their
// cells differ. Of rows of which one has not replaced the other it returns nil.
func RowWords(old, text string) (before, after []Piece) {
	was, is := cellsOf(old), cellsOf(text)
	if len(was) != len(is) || !rowReplaces(textsOf(old), textsOf(text)) {
		return nil, nil
	}
	x, y := make([][]Piece, len(was)), make([][]Piece, len(is))
	for i := range was {
		x[i], y[i] = ByWord(old[was[i].from:was[i].to], text[is[i].from:is[i].to])
	}
	return tidied(inLine(old, was, x)), tidied(inLine(text, is, y))
}

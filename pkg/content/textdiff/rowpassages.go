package textdiff

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// maxName is the largest size, in bytes, of the name of a column in a passage.
const maxName = 40

// inCells returns what a row of a table tells, unless it differs in blanks alone.
func (f *finder) inCells(t *Table, r Row, blank bool) []candidate {
	cells := t.Cells(r)
	c := candidate{}
	var facts [2]bool
	for i, cell := range cells {
		weight, has := f.weighCell(t.name(i), r, cell, blank)
		c.weight, facts[0], facts[1] = max(c.weight, weight), facts[0] || has[0], facts[1] || has[1]
	}
	if c.weight == 0 {
		return nil
	}
	if f.moves(r) {
		c.weight = weighsMoving
	}
	kept := t.kept(cells, f.o.Size)
	for i, s := range []struct {
		number int
		pieces []Piece
	}{{r.OldN, r.Old}, {r.NewN, r.New}} {
		if s.number == 0 {
			continue
		}
		p := t.passage(cells, kept, f.o.Size, i == 1)
		from, to := extent(s.pieces, blank)
		p.Of, p.Weight, p.Fact = f.of(i == 1, s.number, from, to), c.weight, facts[i]
		c.passages = append(c.passages, p)
	}
	return []candidate{c}
}

// weighCell weighs what differs in a cell, as if the name of its column stood before it, which may say what it is.
func (f *finder) weighCell(name string, r Row, cell Cell, blank bool) (weight int, facts [2]bool) {
	line := Row{OldN: r.OldN, NewN: r.NewN}
	for _, s := range []struct {
		to     *[]Piece
		number int
		pieces []Piece
	}{{&line.Old, r.OldN, cell.Old}, {&line.New, r.NewN, cell.New}} {
		if s.number > 0 {
			*s.to = append([]Piece{{Text: name + ": "}}, s.pieces...)
		}
	}
	for _, p := range spotsOf(line, f.o.Size, blank) {
		w, has := p.weigh()
		weight, facts[0], facts[1] = max(weight, w), facts[0] || has[0], facts[1] || has[1]
	}
	return weight, facts
}

// extent returns where the first and the last difference of a line begin and end.
func extent(pieces []Piece, blank bool) (from, to int) {
	at := 0
	for _, p := range pieces {
		if p.differs(blank) {
			if to == 0 {
				from = at
			}
			to = at + len(p.Text)
		}
		at += len(p.Text)
	}
	return from, to
}

// kept returns which cells of a row a passage has: the first, those that differ, and others for which there is room.
func (t *Table) kept(cells []Cell, size int) []bool {
	out, left := make([]bool, len(cells)), size-len("| … | …")
	for _, wanted := range []func(i int) bool{
		func(i int) bool { return i == 0 },
		func(i int) bool { return cells[i].Differs() },
		func(int) bool { return true },
	} {
		for i, c := range cells {
			if out[i] || !wanted(i) {
				continue
			}
			need := len(t.name(i)) + max(len(clippedCell(c.Old, size)), len(clippedCell(c.New, size))) + len(" | ")
			if out[i] = need <= left; out[i] {
				left -= need
			}
		}
	}
	return out
}

// name returns the name of a column as passages have it.
func (t *Table) name(i int) string {
	name := t.Columns[i].New
	if t.Columns[i].now < 0 {
		name = t.Columns[i].Old
	}
	return words.Clip(name, maxName)
}

// passage returns one side of a row as a passage.
func (t *Table) passage(cells []Cell, kept []bool, size int, added bool) Passage {
	p := Passage{Added: added}
	var row []string
	add := func(name, cell string) { p.Columns, row = append(p.Columns, name), append(row, cell) }
	cut := false
	for i, c := range cells {
		pieces := c.Old
		if added {
			pieces = c.New
		}
		if cut = cut || !kept[i]; kept[i] {
			add(t.name(i), clippedCell(pieces, size))
		}
	}
	if cut {
		add(ellipsis, ellipsis)
	}
	p.Text = "| " + strings.Join(row, " | ") + " |"
	return p
}

// clippedCell returns a cell as it is written in a row, from around its first difference, in up to a quarter of size
// bytes.
func clippedCell(pieces []Piece, size int) string {
	text, _ := Line(pieces)
	at := 0
	for _, p := range pieces {
		if p.differs(false) {
			break
		}
		at += len(p.Text)
	}
	if at >= len(text) {
		at = 0
	}
	return strings.ReplaceAll(clipped(text, at, max(size/4, 4*len(ellipsis))), "|", `\|`)
}

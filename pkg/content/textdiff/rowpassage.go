package textdiff

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// maxName is the largest size, in bytes, of the name of a column in a passage.
const maxName = 40

// candidate returns what a row of the table tells, unless it differs in blanks alone.
func (t *Table) candidate(r Row, size int, blank bool) []candidate {
	cells := t.Cells(r)
	var c candidate
	for _, cell := range cells {
		for _, pieces := range [][]Piece{cell.Old, cell.New} {
			for _, w := range windows(pieces, size, blank) {
				c.weight += w.weight
			}
		}
	}
	if c.weight == 0 {
		return nil
	}
	kept := t.kept(cells, size)
	if r.OldN > 0 {
		c.passages = append(c.passages, t.passage(cells, kept, size, false))
	}
	if r.NewN > 0 {
		c.passages = append(c.passages, t.passage(cells, kept, size, true))
	}
	return []candidate{c}
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

package api

import (
	"cmp"
	"slices"
	"strings"
)

// Shown is what people see of a difference at one position: a passage, or rows of a table.
type Shown struct {
	Passage ChangedPassage
	Table   *DiffTable // nil for a passage
	// Of is what it is of, as far as its text does not say so. Under is the same, but empty if what is shown before has
	// that already; what is of nothing is elsewhere then.
	Of, Under string
}

// ShownOf returns passages as people see them. Rows of a table that follow each other are one table, and a row with the
// row that it replaced is one row. A heading is left out if it is the name of what is shown before it.
func ShownOf(all []ChangedPassage) (out []Shown) {
	var names []string // of the columns of the last table
	of := ""           // what the last one is of
	add := func(next Shown, p ChangedPassage) {
		if next.Of = p.outer(); next.Of != of {
			next.Under = cmp.Or(next.Of, "elsewhere")
		}
		out, of = append(out, next), next.Of
	}
	for i := 0; i < len(all); i++ {
		p := all[i]
		if slices.ContainsFunc(all[:i], p.isNameOf) {
			continue
		}
		if p.Columns == nil || len(p.Cells) != len(p.Columns) {
			add(Shown{Passage: p}, p)
			names = nil
			continue
		}
		if names == nil || !slices.Equal(names, p.Columns) || p.outer() != of {
			add(Shown{Table: tableOf(p.Columns)}, p)
			names = p.Columns
		}
		t := out[len(out)-1].Table
		if i+1 < len(all) && replaces(all[i+1], p) {
			t.Rows = append(t.Rows, replacedRow(p, all[i+1]))
			i++
			continue
		}
		row := DiffRow{Op: p.Op}
		for _, cell := range p.Cells {
			row.Cells = append(row.Cells, DiffCell{Text: cell})
		}
		t.Rows = append(t.Rows, row)
	}
	return out
}

// BetweenNames stands between two names of what a passage is of.
const BetweenNames = " › "

// outer returns what a passage is of without the names that its text has: a label, or the row and its column.
func (p ChangedPassage) outer() string {
	names := strings.Split(p.Of, BetweenNames)
	said := func(name string) bool {
		return strings.Contains(p.Text, name+": ") || strings.Contains(p.Text, name+"：")
	}
	if p.Columns != nil {
		said = func(name string) bool { return len(p.Cells) > 0 && TextOf(p.Cells[0]) == name }
	}
	if i := slices.IndexFunc(names, said); i >= 0 {
		names = names[:i]
	}
	return strings.Join(names, BetweenNames)
}

// isNameOf reports whether a passage is no more than the name of another one, which came or went with it.
func (p ChangedPassage) isNameOf(other ChangedPassage) bool {
	return p.Op == other.Op && p.Text != "" && (other.Of == p.Text || strings.HasSuffix(other.Of, BetweenNames+p.Text))
}

// tableOf returns a table without rows.
func tableOf(columns []string) *DiffTable {
	t := &DiffTable{}
	for _, name := range columns {
		column := DiffCell{}
		if name != "" {
			column.Text = []DiffPiece{{Text: name}}
		}
		t.Columns = append(t.Columns, column)
	}
	return t
}

// replaces reports whether a passage is the row that has replaced another.
func replaces(p, was ChangedPassage) bool {
	return was.Op == "removed" && p.Op == "added" && p.Pieces != nil && slices.Equal(p.Columns, was.Columns) &&
		len(p.Cells) == len(was.Cells)
}

func replacedRow(was, is ChangedPassage) DiffRow {
	row := DiffRow{Op: "changed"}
	if was.Text == is.Text {
		row.Op = "moved"
	}
	for i, cell := range is.Cells {
		row.Cells = append(row.Cells, CellOf(was.Cells[i], cell))
	}
	return row
}

// CellOf returns a cell by its earlier and its later text.
func CellOf(was, is []DiffPiece) DiffCell {
	changed := func(p DiffPiece) bool { return p.Changed }
	if !slices.ContainsFunc(was, changed) && !slices.ContainsFunc(is, changed) {
		was = nil
	}
	return DiffCell{Text: is, Was: was}
}

// Differs reports whether the cell is not the same in both texts.
func (c DiffCell) Differs() bool {
	return c.Was != nil || slices.ContainsFunc(c.Text, func(p DiffPiece) bool { return p.Changed })
}

// HasHeader reports whether some of the columns have names.
func (t *DiffTable) HasHeader() bool {
	return slices.ContainsFunc(t.Columns, func(c DiffCell) bool { return TextOf(c.Text) != "" || c.Was != nil })
}

// Name returns the name of a column: the present one, or else the last one.
func (t *DiffTable) Name(column int) string {
	if column >= len(t.Columns) {
		return ""
	}
	return cmp.Or(TextOf(t.Columns[column].Text), TextOf(t.Columns[column].Was))
}

// TextOf returns the text of pieces.
func TextOf(pieces []DiffPiece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

package compare

import (
	"cmp"
	"slices"

	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
)

// Nobody reads more of a table than maxTableRows rows and maxTableColumns columns.
const (
	maxTableRows    = 200
	maxTableColumns = 12
)

// Table is what differs in a table.
type Table struct {
	Columns               []textdiff.Column
	Rows                  []TableRow
	Same, Moved           int // see [textdiff.Table]
	MoreRows, MoreColumns int // numbers of rows that differ, and of columns, that are left out
}

// TableRow is a row of a table that differs.
type TableRow struct {
	Op      string // changed, added, removed or moved
	Cells   []textdiff.Cell
	Ignored string // the rule that excludes the row from the comparison; empty if some of it counts
	Partly  string // the rule that excludes some of what differs; see [Line]
}

// tableOf returns the table of a hunk, without rows.
func tableOf(h part.Hunk) *Table {
	return &Table{Columns: h.Table.Columns, Same: h.Table.Same, Moved: h.Table.Moved}
}

// add adds a row. Lines of text and headers are no rows.
func (t *Table) add(of *textdiff.Table, r part.Row) {
	switch {
	case t == nil || r.Header:
		return
	case len(t.Rows) == maxTableRows:
		t.MoreRows++
		return
	}
	row := TableRow{Op: "changed", Cells: of.Cells(r.Row)}
	was, is := r.Rules()
	if (r.OldN == 0 || was != "") && (r.NewN == 0 || is != "") {
		row.Ignored = cmp.Or(is, was)
	} else {
		row.Partly = cmp.Or(r.Come.Rule, r.Gone.Rule)
	}
	switch {
	case r.NewN == 0:
		row.Op = "removed"
	case r.OldN == 0:
		row.Op = "added"
	case r.Moved:
		row.Op = "moved"
	}
	t.Rows = append(t.Rows, row)
}

// narrow leaves out columns of a table that has too many. The first column stays, and those in which rows differ come
// before others.
func (t *Table) narrow() {
	if t == nil || len(t.Columns) <= maxTableColumns {
		return
	}
	kept := make([]bool, len(t.Columns))
	left := maxTableColumns
	keep := func(i int) {
		if left > 0 && !kept[i] {
			kept[i] = true
			left--
		}
	}
	keep(0)
	for i := range kept {
		if slices.ContainsFunc(t.Rows, func(r TableRow) bool { return r.Op == "changed" && r.Cells[i].Differs() }) {
			keep(i)
		}
	}
	for i := range kept {
		keep(i)
	}
	t.MoreColumns = len(t.Columns) - maxTableColumns
	t.Columns = those(t.Columns, kept)
	for i := range t.Rows {
		t.Rows[i].Cells = those(t.Rows[i].Cells, kept)
	}
}

// those returns the elements that are kept.
func those[T any](all []T, kept []bool) (out []T) {
	for i, e := range all {
		if kept[i] {
			out = append(out, e)
		}
	}
	return out
}

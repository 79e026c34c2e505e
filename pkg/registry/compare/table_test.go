package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/part"
)

// W22: TestW22WideTablesAreBounded checks that of a large table the first rows and the columns that differ are shown,
// and that the numbers of the others are said.
func TestW22WideTablesAreBounded(t *testing.T) {
	const columns, rows = 40, maxTableRows + 5
	table := func(value string) string {
		var b strings.Builder
		b.WriteString("|")
		for i := range columns {
			fmt.Fprintf(&b, " Column %d |", i)
		}
		b.WriteString("\n|" + strings.Repeat(" --- |", columns) + "\n")
		for row := range rows {
			b.WriteString("|")
			for i := range columns {
				if i != columns-1 {
					fmt.Fprintf(&b, " row %d of %d |", row, i)
				}
			}
			b.WriteString(" " + value + " |\n")
		}
		return b.String()
	}
	var none *part.Part
	hunks, long := part.Compare(none.Page(table("before")), none.Page(table("after")))
	if len(hunks) != 1 || long {
		t.Fatalf("%d hunks, long %v", len(hunks), long)
	}
	h := hunkOf(hunks[0])
	if len(h.Table.Rows) != maxTableRows || h.Table.MoreRows != 5 || len(h.Table.Columns) != maxTableColumns ||
		h.Table.MoreColumns != columns-maxTableColumns || len(h.Lines) != 2*rows {
		t.Errorf("%d rows and %d more, %d columns and %d more, %d lines", len(h.Table.Rows), h.Table.MoreRows,
			len(h.Table.Columns), h.Table.MoreColumns, len(h.Lines))
	}
	row := h.Table.Rows[0]
	if last := row.Cells[maxTableColumns-1]; len(row.Cells) != maxTableColumns || !last.Differs() ||
		h.Table.Columns[maxTableColumns-1].New != "Column 39" || h.Table.Columns[0].New != "Column 0" {
		t.Errorf("%+v of %+v", row, h.Table.Columns)
	}
}

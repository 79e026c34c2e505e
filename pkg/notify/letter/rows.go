package letter

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// RowText says in one line how a row of a table differs: "Storm lamp · Price: 79 → 84 EUR". Of a row that was added or
// removed it says all cells.
func RowText(t *api.DiffTable, r api.DiffRow) string {
	var out []string
	for i, c := range r.Cells {
		text, name := words.Clean(api.TextOf(c.Text)), words.Clean(t.Name(i))
		if i == 0 && (r.Op != opChanged || !c.Differs()) {
			name = ""
		} else if r.Op == opChanged && !c.Differs() || r.Op == opMoved {
			continue
		} else if r.Op == opChanged {
			text = cellPair(c).cell()
		}
		if text == "" {
			continue
		}
		if name != "" && name != text {
			text = name + ": " + text
		}
		out = append(out, text)
	}
	return strings.Join(out, " · ")
}

// The kinds of rows; others are added and removed.
const (
	opChanged = "changed"
	opMoved   = "moved"
)

// RowSign is what a text has before a row, by what happened to the row.
func RowSign(op string) string {
	return map[string]string{"added": "+ ", "removed": "- ", opMoved: "moved: "}[op]
}

// TableNote says what of a table is not shown; "" if nothing is left out.
func TableNote(t *api.DiffTable) string {
	var out []string
	add := func(n int, unit, one, more string) {
		if n == 1 {
			out = append(out, words.Count(n, unit)+one)
		} else if n > 1 {
			out = append(out, words.Count(n, unit)+more)
		}
	}
	add(t.Same, "row", " is the same", " are the same")
	add(t.Moved, "row", " is in another place, and otherwise the same", " are in another place, and otherwise the same")
	add(t.MoreRows, "more row", " differs and is not shown", " differ and are not shown")
	add(t.MoreColumns, "column", " is not shown", " are not shown")
	return strings.Join(out, "; ")
}

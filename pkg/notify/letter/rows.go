package letter

import (
	"slices"
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
			text = pair{pieceSide(c.Was), pieceSide(c.Text)}.String()
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

func pieceSide(pieces []api.DiffPiece) side {
	if len(pieces) == 0 {
		return side{}
	}
	return sideOf(api.ChangedPassage{Text: api.TextOf(pieces), Pieces: pieces})
}

// telling is a difference at one place in a few words.
type telling struct {
	text   string
	number bool // a number has become another
}

// tellings says how passages differ.
func tellings(all []api.ChangedPassage) (out []telling) {
	var lines []api.ChangedPassage
	flush := func() {
		for _, p := range pairsOf(lines) {
			out = append(out, telling{p.String(), hasDigit(p.old.hit) && hasDigit(p.new.hit)})
		}
		lines = nil
	}
	for _, place := range api.ShownOf(all) {
		if place.Table == nil {
			lines = append(lines, place.Passage)
			continue
		}
		flush()
		for _, r := range place.Table.Rows {
			number := func(c api.DiffCell) bool { return hasDigit(pieceSide(c.Was).hit) && hasDigit(pieceSide(c.Text).hit) }
			sign := map[string]string{"added": "added ", "removed": "removed ", opMoved: "moved "}[r.Op]
			out = append(out, telling{sign + RowText(place.Table, r), slices.ContainsFunc(r.Cells, number)})
		}
	}
	flush()
	return out
}

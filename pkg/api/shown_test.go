package api

import (
	"strings"
	"testing"
)

// TestN11Under checks that what people see of a change is below what it is of: said once for what follows, and not
// where the text says it itself; and that a heading below what it is the name of is left out (N11).
func TestN11Under(t *testing.T) {
	row := func(of, key string) ChangedPassage {
		return ChangedPassage{Of: of, Text: "| " + key + " | 49 EUR |", Op: "added", Columns: []string{"Berth", "Price"},
			Cells: [][]DiffPiece{{{Text: key}}, {{Text: "49 EUR"}}}}
	}
	all := []ChangedPassage{
		{Of: "Terms › Pets", Text: "No dogs", Op: "removed"}, {Of: "Terms › Pets", Text: "Dogs", Op: "added"},
		{Of: "Fees › Toll", Text: "- Toll: 3 EUR", Op: "added"}, row("Fees › 8 m › Price", "8 m"),
		row("Fees › 12 m › Price", "12 m"), row("Winter › 8 m › Price", "8 m"), {Text: "Closed", Op: "added"},
		{Of: "Toll", Text: "Toll: 3 EUR", Op: "added"},
		{Of: "Jobs", Text: "Cook", Op: "added"}, {Of: "Jobs › Cook", Text: "Part time", Op: "added"},
		{Of: "Jobs", Text: "Cook", Op: "added"}, {Of: "Jobs", Text: "Cook", Op: "removed"},
	}
	var have []string
	for _, s := range ShownOf(all) {
		text := s.Passage.Text
		if s.Table != nil {
			text = strings.Repeat("row ", len(s.Table.Rows))
		}
		have = append(have, s.Under+"|"+text)
	}
	const want = "Terms › Pets|No dogs, |Dogs, Fees|- Toll: 3 EUR, |row row , Winter|row , elsewhere|Closed, " +
		"|Toll: 3 EUR, Jobs|Cook, Jobs › Cook|Part time, Jobs|Cook"
	if text := strings.Join(have, ", "); text != want {
		t.Errorf("have %s\nwant %s", text, want)
	}
}

package textdiff

import (
	"strings"
	"testing"
)

// W22: TestW22RowsOfAnyShape checks that a difference is told in rows that are written in another way than most: cells
// beyond the header, a last cell without a bar, and the line below the header.
func TestW22RowsOfAnyShape(t *testing.T) {
	for name, tt := range map[string]struct{ old, text, want string }{
		"beyond the header": {"| A |\n| --- |\n| 1 | 2 |", "| A |\n| --- |\n| 1 | 3 |", "[A;] same 0 moved 0\n1;2→3\n"},
		"a new last cell":   {"| A |\n| --- |\n| 1 |", "| A |\n| --- |\n| 1 | 3 |", "[A;] same 0 moved 0\n1;→3\n"},
		"no last bar":       {"|A|B\n|---|---\n|1|2", "|A|B\n|---|---\n|1|3", "[A;B] same 0 moved 0\n1;2→3\n"},
		"an alignment":      {"| A |\n| --- |\n| 1 |", "| A |\n| :--- |\n| 1 |", "[A] same 1 moved 0\n---→:---\n"},
	} {
		hunks, _ := Compare(tt.old, tt.text)
		if have := shown(hunks); have != tt.want {
			t.Errorf("%s: %s\nwant %s", name, have, tt.want)
		}
		if told := differences(tt.old, tt.text, 5, 100).Chosen; len(told) == 0 {
			t.Errorf("%s: no passage", name)
		}
	}
}

// W22: TestW22TablesAreBounded checks that a table with too many columns is compared as lines, and that tables are
// paired only as long as not too many rows are read for that. Either way all that differs is told.
func TestW22TablesAreBounded(t *testing.T) {
	wide := strings.Repeat("| x ", maxColumns+1) + "|\n| --- |\n"
	hunks, _ := Compare(wide+"| a |\n", wide+"| b |\n")
	if len(hunks) != 1 || hunks[0].Table != nil || !strings.HasSuffix(shown(hunks), "| a | => | b |\n") {
		t.Errorf("wide: %s", shown(hunks))
	}
	a, b := sideOf(Text{Text: prices + "| a | 1 | 2 |"}, alike), sideOf(Text{Text: prices + "| a | 1 | 3 |"}, alike)
	for _, left := range []int{6, 5} {
		room := left
		if have := alikeTables(a, b, a.units[0], b.units[0], &room); have != (left == 6) {
			t.Errorf("%d rows may be read: alike is %t", left, have)
		}
	}
}

package textdiff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const prices = "| Lamp | Price | Stock |\n| --- | --- | --- |\n"

// shown returns hunks as one text: of rows, the cells with what was in them before.
func shown(hunks []Hunk) string {
	var b strings.Builder
	for _, h := range hunks {
		if h.Table == nil {
			for _, r := range h.Rows {
				fmt.Fprintf(&b, "%s => %s\n", join(r.Old), join(r.New))
			}
			continue
		}
		var names []string
		for _, c := range h.Table.Columns {
			names = append(names, strings.TrimSuffix(c.Old+"/"+c.New, "/"+c.Old))
		}
		fmt.Fprintf(&b, "[%s] same %d moved %d\n", strings.Join(names, ";"), h.Table.Same, h.Table.Moved)
		for _, r := range h.Rows {
			if r.Header {
				continue
			}
			var cells []string
			for _, c := range h.Table.Cells(r) {
				was, is := join(c.Old), join(c.New)
				switch {
				case r.OldN == 0:
					cells = append(cells, "+"+is)
				case r.NewN == 0:
					cells = append(cells, "-"+was)
				case c.Differs() && !r.Moved:
					cells = append(cells, was+"→"+is)
				default:
					cells = append(cells, is)
				}
			}
			fmt.Fprintf(&b, "%s%s\n", map[bool]string{true: "moved "}[r.Moved], strings.Join(cells, ";"))
		}
	}
	return b.String()
}

// W22: TestW22TablesByRow checks that a table is compared by its rows and columns.
func TestW22TablesByRow(t *testing.T) {
	storm, oil, pit := "| Storm | 79 EUR | yes |\n", "| Oil | 30 EUR | no |\n", "| Pit | 12 EUR | yes |\n"
	old := prices + storm + oil + pit
	for name, tt := range map[string]struct{ text, want string }{
		"a cell": {prices + "| Storm | 84 EUR | yes |\n" + oil + pit,
			"[Lamp;Price;Stock] same 2 moved 0\nStorm;79 EUR→84 EUR;yes\n"},
		"a row before one that differs": {prices + "| Hand | 5 EUR | yes |\n| Storm | 84 EUR | yes |\n" + oil + pit,
			"[Lamp;Price;Stock] same 2 moved 0\n+Hand;+5 EUR;+yes\nStorm;79 EUR→84 EUR;yes\n"},
		"a row that went": {prices + storm + pit, "[Lamp;Price;Stock] same 2 moved 0\n-Oil;-30 EUR;-no\n"},
		"a row that moved": {prices + oil + pit + "| Storm | 84 EUR | yes |\n",
			"[Lamp;Price;Stock] same 2 moved 0\nStorm;79 EUR→84 EUR;yes\n"},
		"rows that moved, and one that differs": {prices + pit + "| Storm | 79 EUR | no |\n" + oil,
			"[Lamp;Price;Stock] same 2 moved 1\nStorm;79 EUR;yes→no\n"},
		"nothing but a move": {prices + oil + pit + storm, "[Lamp;Price;Stock] same 2 moved 1\nmoved Storm;79 EUR;yes\n"},
		"a column": {"| Lamp | Price | Weight | Stock |\n| --- | --- | --- | --- |\n" +
			"| Storm | 79 EUR | 1 kg | yes |\n| Oil | 30 EUR | 2 kg | no |\n| Pit | 12 EUR | 3 kg | yes |\n",
			"[Lamp;Price;/Weight;Stock] same 0 moved 0\nStorm;79 EUR;→1 kg;yes\nOil;30 EUR;→2 kg;no\n" +
				"Pit;12 EUR;→3 kg;yes\n"},
		"no table": {"| Storm | 79 EUR | yes |\n", " => | Storm | 79 EUR | yes |\n[Lamp/;Price/;Stock/] same 0 " +
			"moved 0\n-Storm;-79 EUR;-yes\n-Oil;-30 EUR;-no\n-Pit;-12 EUR;-yes\n"},
		"a line before it": {"New lamps\n\n" + old, " => New lamps\n => \n"},
		"a sign of columns": {prices + "| Storm \\| Co | 79 EUR | yes |\n" + oil + pit,
			"[Lamp;Price;Stock] same 2 moved 0\nStorm→Storm | Co;79 EUR;yes\n"},
	} {
		hunks, long := Compare(old, tt.text)
		if diff := cmp.Diff(tt.want, shown(hunks)); diff != "" || long {
			t.Errorf("%s: long %v (-want +have)\n%s", name, long, diff)
		}
	}
}

// W22: TestW22TableRowsAreComplete checks, for random tables, that each row is shown or counted as the same, and that a
// row is shown only if the other text does not have it.
func TestW22TableRowsAreComplete(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	table := func() (rows []string) {
		for range rng.IntN(9) {
			rows = append(rows, fmt.Sprintf("| %c | %d | %d |", 'a'+rng.IntN(5), rng.IntN(3), rng.IntN(3)))
		}
		return rows
	}
	for range 3000 {
		a, b := table(), table()
		old, text := prices+strings.Join(a, "\n"), prices+strings.Join(b, "\n")
		hunks, _ := Compare(old, text)
		was, is, same := 0, 0, len(a)
		for _, h := range hunks {
			if h.Table == nil {
				t.Fatalf("a table is told as lines:\n%s\n%s", old, text)
			}
			same = h.Table.Same
			for _, r := range h.Rows {
				if r.OldN > 0 {
					was++
				}
				if r.NewN > 0 {
					is++
				}
				if got := join(r.Old); r.OldN > 0 && got != a[r.OldN-3] {
					t.Fatalf("row %d is shown as %q", r.OldN, got)
				}
				if got := join(r.New); r.NewN > 0 && got != b[r.NewN-3] {
					t.Fatalf("row %d is shown as %q", r.NewN, got)
				}
			}
		}
		if was+same != len(a) || is+same != len(b) {
			t.Fatalf("%d and %d rows are shown, %d are the same:\n%s\n%s", was, is, same, old, text)
		}
	}
}

// W22: TestW22RowPassages checks that passages of a table have its columns, and of a wide row the cells that differ.
func TestW22RowPassages(t *testing.T) {
	old, text := prices+"| Storm | 79 EUR | yes |\n", prices+"| Storm | 84 EUR | yes |\n"
	columns := []string{"Lamp", "Price", "Stock"}
	want := []Passage{{Text: "| Storm | 79 EUR | yes |", Columns: columns},
		{Text: "| Storm | 84 EUR | yes |", Added: true, Columns: columns}}
	if diff := cmp.Diff(want, differences(old, text, 4, 400).Chosen, unweighed); diff != "" {
		t.Errorf("(-want +have)\n%s", diff)
	}
	var head, rule, row, next string
	for i := range 100 {
		head, rule = head+fmt.Sprintf(" Column %d |", i), rule+" --- |"
		row, next = row+fmt.Sprintf(" value %d |", i), next+fmt.Sprintf(" value %d |", i+i/99)
	}
	wide := differences("|"+head+"\n|"+rule+"\n|"+row, "|"+head+"\n|"+rule+"\n|"+next, 4, 100).Chosen
	for _, p := range wide {
		size := len(p.Text)
		for _, c := range p.Columns {
			size += len(c)
		}
		if size > 100 || p.Columns[0] != "Column 0" || !strings.Contains(strings.Join(p.Columns, ";"), ";Column 99;…") ||
			!strings.HasSuffix(p.Text, "| … |") {
			t.Errorf("%d bytes: %+v", size, p)
		}
	}
	if len(wide) != 2 {
		t.Errorf("%d passages", len(wide))
	}
}

// W22: TestW22CutTablesKeepTheirHeaders checks that the header of a table is kept where a long text is cut in it.
func TestW22CutTablesKeepTheirHeaders(t *testing.T) {
	row := "| Oil | 30 EUR | no |\n"
	for _, rows := range []int{0, 1, 50} {
		line := func(i, _, _ int) []string { return []string{fmt.Sprint(i)} }
		before, after := Changed(
			Text{Text: "A page.\n\n" + prices + strings.Repeat(row, rows) + "| Storm | 79 EUR | yes |\n", Of: line},
			Text{Text: "A page.\n\n" + prices + strings.Repeat(row, rows) + "| Storm | 84 EUR | yes |\n", Of: line})
		if before.Text != prices+"| Storm | 79 EUR | yes |" || after.Text != prices+"| Storm | 84 EUR | yes |" {
			t.Errorf("after %d rows: %q, %q", rows, before.Text, after.Text)
		}
		for at, want := range map[int]int{0: 2, 1: 3, 2: 4 + rows} {
			if have := after.Of(at, 0, 0)[0]; have != fmt.Sprint(want) {
				t.Errorf("after %d rows: line %d is %s, want %d", rows, at, have, want)
			}
		}
	}
	before, after := Changed(Text{Text: "| a |\nb"}, Text{Text: "| a |\nc"})
	if before.Text != "b" || after.Text != "c" {
		t.Errorf("%q, %q", before.Text, after.Text)
	}
}

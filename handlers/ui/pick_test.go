package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// laid writes regions as text: a text that can be pressed in brackets with its number, one that is part of the choice
// with a +, the pressed one with a *.
func laid(regions []pageRegion) string {
	var out strings.Builder
	bits := func(all []bit) {
		for _, b := range all {
			switch {
			case b.N == 0:
				out.WriteString(b.Text)
			default:
				mark := map[bool]string{true: "+"}[b.Like] + map[bool]string{true: "*"}[b.Pressed]
				fmt.Fprintf(&out, "[%d%s %s]", b.N, mark, b.Text)
			}
		}
	}
	for _, g := range regions {
		fmt.Fprintf(&out, "%s%d:", g.Around, g.Texts)
		for _, b := range g.Blocks {
			bits(b.Bits)
			for _, row := range b.Rows {
				for _, cell := range row.Cells {
					out.WriteString("|")
					bits(cell)
				}
				out.WriteString("\n")
			}
		}
	}
	return out.String()
}

// TestPickTextsStandOnce checks that a line is split where elements within it show a part of it, so that each text
// stands once and what is pressed is the smallest element; that a sign between two links cannot be pressed; that a part
// which the line does not show is not lost; and that a table keeps its rows and columns.
func TestPickTextsStandOnce(t *testing.T) {
	e := func(n int, text string) api.PageElement { return api.PageElement{Element: n, Text: text} }
	cell := func(n, column int, text string) api.PageElement {
		return api.PageElement{Element: n, Text: text, Column: column}
	}
	for _, test := range []struct {
		line api.ElementLine
		want string
	}{
		{api.ElementLine{PageElement: e(1, "Price: 84 EUR, seen 8 times"),
			Parts: []api.PageElement{e(2, "84"), e(3, "seen 8 times")}},
			"1:[1 Price: ][2* 84][1  EUR, ][3 seen 8 times]"},
		{api.ElementLine{PageElement: e(1, "84 EUR now"), Parts: []api.PageElement{e(2, "84 EUR"), e(3, "84")}},
			"1:[3 84][2*  EUR][1  now]"},
		{api.ElementLine{PageElement: e(1, "12 1"), Parts: []api.PageElement{e(2, "12"), e(3, "1")}}, "1:[2* 12] [3 1]"},
		{api.ElementLine{PageElement: e(1, "Home, News"), Parts: []api.PageElement{e(2, "Home"), e(3, "News")}},
			"1:[2* Home], [3 News]"},
		{api.ElementLine{PageElement: e(1, "HomeNews"), Parts: []api.PageElement{e(2, "Home"), e(3, "News")}},
			"1:[2* Home] [3 News]"},
		{api.ElementLine{PageElement: e(1, "–")}, "1:[1 –]"},
		{api.ElementLine{PageElement: e(1, "Long…"), Parts: []api.PageElement{e(5, "far behind")}},
			"1:[1 Long…] [5 far behind]"},
		{api.ElementLine{PageElement: e(1, "Date Full"), Table: 1, Row: 2,
			Parts: []api.PageElement{cell(2, 1, "Date"), cell(3, 3, "Full")}},
			"1:|[2* Date]||[3 Full]\n"},
	} {
		have := laid(regionsOf([]api.ElementLine{test.line}, 2, nil))
		if have != test.want {
			t.Errorf("%q: %q, not %q", test.line.Text, have, test.want)
		}
	}
}

// TestPickRegions checks that what is around the content is counted and apart, that lines of one row are one row, and
// that a part which has the choice is open.
func TestPickRegions(t *testing.T) {
	line := func(n int, around string, row, column int) api.ElementLine {
		l := api.ElementLine{PageElement: api.PageElement{Element: n, Text: fmt.Sprint("t", n), Column: column},
			Around: around}
		if row > 0 {
			l.Table, l.Row = 1, row
		}
		return l
	}
	all := regionsOf([]api.ElementLine{line(1, "nav", 0, 0), line(2, "nav", 0, 0), line(3, "", 2, 1), line(4, "", 2, 2),
		line(5, "", 3, 1), line(6, "footer", 0, 0)}, 6, map[int]bool{4: true})
	const want = "Navigation2:[1 t1][2 t2]3:|[3 t3]|[4+ t4]\n|[5 t5]\nFoot of the page1:[6* t6]"
	if have := laid(all); have != want || all[0].Open || !all[2].Open {
		t.Errorf("%q, not %q", have, want)
	}
}

// TestIgnoreTicksOnlyWhatMoves checks that a line is ticked unasked only if nothing but a clock or a counter moves in
// it, and never with a fact.
func TestIgnoreTicksOnlyWhatMoves(t *testing.T) {
	for moves, want := range map[string]bool{"time": true, "number time": true, "word": false, "number word": false,
		"": false} {
		l := api.IgnoreLine{Pattern: "^x$", Moves: strings.Fields(moves)}
		if onlyMoves(l) != want {
			t.Errorf("%q: %v", moves, !want)
		}
		if l.Fact = true; onlyMoves(l) {
			t.Errorf("%q: a fact is ticked", moves)
		}
	}
}

// TestIgnorePatternWords checks that a pattern is shown as the text that it wants.
func TestIgnorePatternWords(t *testing.T) {
	for pattern, want := range map[string]string{
		`^Read \d+ times\. The fee is 12 EUR\.$`: "Read … times. The fee is 12 EUR.",
		`seen 12`:                                "…seen 12…", `^Only this$`: "Only this", `\d+`: "…", `a (`: `a (`,
		`^Seen \d{1,3}(?:,\d{3})* times`: "Seen … times…",
	} {
		if have := patternWords(pattern); have != want {
			t.Errorf("%s: %q, not %q", pattern, have, want)
		}
	}
}

// TestU4PartWords checks that a selector that names a part is shown by the names (U4).
func TestU4PartWords(t *testing.T) {
	for sel, want := range map[string]string{
		`tr:named("9 December")`:                     "the row “9 December”",
		`.jobs > article:named("Nurse \"B\"")`:       `the entry “Nurse "B"”`,
		`tr:named("Great Hall") td:column("Time")`:   "the column “Time” of the row “Great Hall”",
		`section:under("Agenda") tr:named("Budget")`: "the row “Budget” of what stands under “Agenda”",
		`tr:named("*", "Parks and gardens")`:         "the row “Parks and gardens”",
		`.price`:                                     ".price",
		`$.rates.USD`:                                "rates › USD", `$..USD`: "$..USD",
	} {
		if have := partWords(sel); have != want {
			t.Errorf("%s: %q, want %q", sel, have, want)
		}
	}
}

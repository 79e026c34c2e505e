package linememory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// rowForms are ways to write the rows of a list that differ in numbers alone, each with its number and a value.
var rowForms = map[string]func(i, value int) string{
	"a name with a number":    func(i, v int) string { return fmt.Sprintf("Berth %d: %d free", 12+i, v) },
	"a heading with a number": func(i, v int) string { return fmt.Sprintf("Berth %d\n\n%d free\n", 12+i, v) },
	"a card": func(i, v int) string {
		return fmt.Sprintf("Berth %d\n\nLength 12 m\n\n%d free\n", 12+i, v)
	},
	"a table with numeric keys": func(i, v int) string { return fmt.Sprintf("| %d | %d |", 12+i, v) },
	"a league table": func(i, v int) string {
		return fmt.Sprintf("| %d | %s | %d |", 1+i, []string{"Ajax", "Brann", "Celtic", "Dukla"}[i%4], v)
	},
	"a timetable":     func(i, v int) string { return fmt.Sprintf("%02d:%02d %d minutes late", 6+i, i*7%60, v) },
	"lots":            func(i, v int) string { return fmt.Sprintf("- Lot %d: %d bids", 101+i, v) },
	"members of JSON": func(i, v int) string { return fmt.Sprintf("- id: %d\n  bids: %d", 7001+i, v) },
	"i of n":          func(i, v int) string { return fmt.Sprintf("%d of 8: %d tons", 1+i, v) },
	"Japanese":        func(i, v int) string { return fmt.Sprintf("%d番線：残り%d席", 1+i, v) },
	"Arabic":          func(i, v int) string { return fmt.Sprintf("رصيف %d: %d مكان", 1+i, v) },
	"Thai": func(i, v int) string {
		return fmt.Sprintf("ท่าเรือ %d ว่าง %d ที่", 1+i, v)
	},
	"no name": func(_, v int) string { return fmt.Sprintf("%d free", v) },
}

// TestQ15RowsThatDifferInNumbers checks that rows which differ in numbers alone are learnt each by itself, or all
// together if most of them move, and that a fact in a row which moves seldom is told (Q15).
func TestQ15RowsThatDifferInNumbers(t *testing.T) {
	const rows, seldom = 8, 7
	for name, form := range rowForms {
		for _, often := range [][]int{{1}, {2, 4}, {1, 2, 3, 5, 6}, {0, 1, 2, 3, 4, 5, 6}} {
			page := func(check int) string {
				return strings.Join(times(rows, func(i int) string {
					value := 900 + i
					if slices.Contains(often, i) {
						value = 20 + 3*check + i*check%5
					}
					if i == seldom {
						value += check / 20 * (check / 10)
					}
					return form(i, value)
				}), "\n")
			}
			want := []int{1, 2, 20, 30}
			if have := newCourse(t, time.Hour).told(times(40, page)...); !slices.Equal(have, want) {
				t.Errorf("%s, of which %v move: told at %v, want %v", name, often, have, want)
			}
		}
	}
}

// TestQ15DecisionIsOfOneRow checks that a decision about one of the rows that differ in numbers alone is about no other
// one (Q15).
func TestQ15DecisionIsOfOneRow(t *testing.T) {
	berths := func(a, b int) string { return fmt.Sprintf("Berth 12: %d free\nBerth 13: %d free", a, b) }
	c := newCourse(t, 24*time.Hour)
	c.told(berths(3, 7), berths(4, 8), berths(5, 9))
	parts := c.memory.Parts(c.check)
	if len(parts) != 2 || parts[0].ID == parts[1].ID {
		t.Fatalf("the parts are %+v", parts)
	}
	for _, p := range parts {
		if strings.HasPrefix(p.Text, "Berth 12") {
			c.decide = []Decided{{ID: p.ID, Line: p.Text, Do: Never}}
		}
	}
	if have := c.told(berths(6, 9), berths(6, 4), berths(7, 4)); !slices.Equal(have, []int{1}) {
		t.Errorf("told at %v", have)
	}
}

// TestQ15ValuesThatChangePlaces checks that values which change places between rows are a change, and rows that do so
// are another order (Q15).
func TestQ15ValuesThatChangePlaces(t *testing.T) {
	rows := []string{"Berth 12", "Berth 13", "Berth 14", "Berth 15"}
	free := []string{"3 free", "5 free", "no place", "9 free"}
	page := func(rows, free []string) string {
		return strings.Join(times(4, func(i int) string { return rows[i] + "\n\n" + free[i] + "\n" }), "\n")
	}
	c := newCourse(t, time.Hour)
	c.see(page(rows, free))
	if v, _ := c.see(page(rows, []string{"5 free", "3 free", "no place", "9 free"})); v.Small != "" {
		t.Errorf("values that change places: %+v", v)
	}
	table := func(order ...int) string {
		return strings.Join(times(4, func(i int) string { return rows[order[i]] + ": " + free[order[i]] }), "\n")
	}
	c = newCourse(t, time.Hour)
	c.see(table(0, 1, 2, 3))
	if v, _ := c.see(table(2, 3, 0, 1)); v.Small != Order {
		t.Errorf("rows that change places: %+v", v)
	}
}

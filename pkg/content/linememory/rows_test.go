package linememory

import (
	"fmt"
	"math/rand/v2"
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

// entries returns a list of entries, the newest first, each with two counts, and the time since it came. A share of the
// counts moves at each check, and a new entry comes at each fifth.
func entries(n int, share float64) func(check int) string {
	names := strings.Fields("amber birch cedar delta ember fjord grove haven inlet jetty kelp lagoon marsh north ocean")
	moves := func(check, e, count int) bool {
		return rand.New(rand.NewPCG(uint64(check), uint64(e+1000*count))).Float64() < share
	}
	return func(check int) string {
		first := check / 5
		return strings.Join(times(n, func(i int) string {
			e := first + n - 1 - i
			views, comments := 100+e, 5
			for past := range check {
				if moves(past, e, 1) {
					views += 3
				}
				if moves(past, e, 2) {
					comments++
				}
			}
			return fmt.Sprintf("## The %s of %s %s\n\n- comments: %d\n- views: %d, posted %d hours ago\n", names[e%15],
				names[e*7%13], names[e*11%14], comments, views, check-first+i)
		}), "\n")
	}
}

// TestQ16CountsOfEntries checks that counts which move in most entries of a list are learnt for all of them, so that
// new entries are told, and not how their counts move; and that a number among them that moves seldom is told (Q16).
func TestQ16CountsOfEntries(t *testing.T) {
	for _, n := range []int{6, 25, 90} {
		for share, learning := range map[float64]int{1: 2, 0.5: 8} { // messages until the counts are known
			c := newCourse(t, time.Hour)
			page := entries(n, share)
			have := c.told(times(40, func(check int) string { return page(check) + "\n\nThe list has 12 readers." })...)
			new := slices.DeleteFunc(slices.Clone(have), func(check int) bool { return check%5 > 0 })
			if len(new) != 7 || len(have) > 7+learning {
				t.Errorf("%d entries, of which %.1f move: told at %v", n, share, have)
			}
			parts := c.memory.Parts(c.check)
			if i := slices.IndexFunc(parts, func(p Part) bool { return strings.Contains(p.Text, "comments") }); i < 0 ||
				!parts[i].Silent {
				t.Errorf("%d entries, of which %.1f move: the parts are %+v", n, share, parts)
			}
			if v, _ := c.see(page(39) + "\n\nThe list has 13 readers."); v.Small != "" {
				t.Errorf("%d entries, of which %.1f move: another number is %+v", n, share, v)
			}
		}
	}
}

// TestQ16FactAmongCounts checks that a number which moves for the first time, or seldom, is told although the other
// numbers with its label move at each check (Q16).
func TestQ16FactAmongCounts(t *testing.T) {
	for _, at := range [][]int{{3}, {4, 30}, {12, 24, 39}} {
		c := newCourse(t, time.Hour)
		have := c.told(times(40, func(check int) string {
			fee := 12
			for _, n := range at {
				if check >= n {
					fee++
				}
			}
			return fmt.Sprintf("Copper %d EUR\nTin %d EUR\nZinc %d EUR\nFee of the harbour %d EUR", 800+3*check, 700-check,
				200+check*7%31, fee)
		})...)
		if want := append([]int{1, 2}, at...); !slices.Equal(have, want) {
			t.Errorf("told at %v, want %v", have, want)
		}
	}
}

// TestQ16PeopleDecide checks that people can have all counts of a column told, or none (Q16).
func TestQ16PeopleDecide(t *testing.T) {
	page := entries(8, 1)
	c := newCourse(t, time.Hour)
	c.told(times(5, page)...)
	ids := []Decided{}
	for _, p := range c.memory.Parts(c.check) {
		ids = append(ids, Decided{ID: p.ID, Do: Always})
	}
	if c.decide = ids; len(ids) == 0 {
		t.Fatal("no parts")
	}
	if have := c.told(page(6), page(7)); len(have) != 2 {
		t.Errorf("always: told at %v", have)
	}
	slow := newCourse(t, 24*time.Hour)
	slow.told(times(4, page)...)
	for i := range ids {
		ids[i].Do = Never
	}
	slow.decide = ids
	if have := slow.told(page(4)); len(have) > 0 {
		t.Errorf("never: told at %v", have)
	}
}

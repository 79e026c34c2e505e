package linememory

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// prose is a text of paragraphs that stay.
const prose = "Welcome to the north quay.\n\nWhoever moors here reads the rules before the first night.\n\n" +
	"The office keeps the books of the cranes and the sheds, and the keys of the gate.\n\n"

// course is a page that is checked again and again.
type course struct {
	t      *testing.T
	every  time.Duration
	wrap   func(string) string
	memory Memory
	check  Check
	before string
	decide []Decided
}

func newCourse(t *testing.T, every time.Duration) *course {
	return &course{t: t, every: every, wrap: func(s string) string { return prose + s + "\n\nThe harbour master." }}
}

// inMain is a reading of main content.
func inMain(text string) Reading { return Reading{Text: text, Beside: len(text)} }

// see checks at the page and returns the verdict. A text that is the same as before is only counted.
func (c *course) see(text string) (v Verdict, changed bool) {
	c.check = After(c.check, noon.Add(time.Duration(c.check.Number)*c.every))
	now := c.wrap(text)
	if changed = c.before != "" && now != c.before; changed {
		m, first := c.memory.With(c.decide).See(inMain(c.before), inMain(now), c.check)
		_, again := m.See(inMain(c.before), inMain(now), c.check)
		if first.Small != again.Small || first.Again != again.Again {
			c.t.Errorf("check %d gives %+v, and %+v when it is repeated", c.check.Number, first, again)
		}
		c.memory, v = m, first
	}
	c.before = now
	return v, changed
}

// told returns the numbers of the checks, from 0, at which something is told.
func (c *course) told(texts ...string) (out []int) {
	for i, text := range texts {
		if v, changed := c.see(text); changed && v.Small == "" {
			out = append(out, i)
		}
	}
	return out
}

// times returns n texts.
func times(n int, text func(i int) string) (out []string) {
	for i := range n {
		out = append(out, text(i))
	}
	return out
}

// TestQ4WhatMovesIsTold checks for pages on which something moves at each check, or seldom, what is told (Q4, Q5).
func TestQ4WhatMovesIsTold(t *testing.T) {
	ships := []string{"Alma", "Berta", "Cato", "Doris", "Elba", "Freya", "Gerda"}
	quotes := []string{"The tide waits for the moon.", "Fair winds make good sailors.", "A smooth sea teaches little.",
		"Any port in a storm will do.", "Ships are safe in port."}
	at := func(i int, checks ...int) (n int) { // at how many of the checks the page has changed until then
		for _, check := range checks {
			if i >= check {
				n++
			}
		}
		return n
	}
	for name, tt := range map[string]struct {
		text func(i int) string
		want []int
	}{
		"a clock": {func(i int) string { return fmt.Sprintf("Harbour time %02d:%02d by the tower", i%24, i*7%60) },
			[]int{1, 2}},
		"a counter in the sentence of a fact": {func(i int) string {
			return fmt.Sprintf("The pier has %d berths; %d people were here.", 14-2*at(i, 12), 120+7*i)
		}, []int{1, 2, 12}},
		"a price, four times": {func(i int) string { return fmt.Sprintf("Berth fee: %d EUR", 49+at(i, 6, 15, 24, 33)) },
			[]int{6, 15, 24, 33}},
		"there and back": {func(i int) string { return fmt.Sprintf("Berth fee: %d EUR", 49+5*(at(i, 8, 20, 30)%2)) },
			[]int{8, 20, 30}},
		"hours, two checks in a row": {func(i int) string { return fmt.Sprintf("Open from 9 to %d", 17-at(i, 20, 21)) },
			[]int{20, 21}},
		"a negation comes and goes": {func(i int) string {
			return "Dogs are " + []string{"allowed", "not allowed"}[at(i, 8, 12, 16)%2] + " on the pier."
		}, []int{8, 12, 16}},
		"one notice more at each fourth check": {func(i int) string {
			notice := func(n int) string { return fmt.Sprintf("- Notice %d: shed %d is closed", i/4-n, n) }
			return strings.Join(times(1+i/4, notice), "\n")
		}, []int{4, 8, 12, 16, 20, 24, 28, 32, 36}},
		"another word in place of a number": {func(i int) string {
			return "Free berths: " + []string{fmt.Sprint(20 + i%9), "none"}[at(i, 20)%2]
		}, []int{1, 2, 20}},
		"two calls in turn":  {func(i int) string { return []string{"Book now.", "Come and see us."}[i%2] }, []int{1, 2}},
		"a saying each time": {func(i int) string { return quotes[i*i%5] }, []int{1, 2}},
		"the same lines in another order": {func(i int) string {
			return strings.Join(append(slices.Clone(ships[i%7:]), ships[:i%7]...), " of the quay\n\n") + " of the quay"
		}, nil},
		"another order in a line": {func(i int) string {
			return "Crew: " + strings.Join(append(slices.Clone(ships[i%7:]), ships[:i%7]...), ", ")
		}, nil},
		"a saying before the fact": {func(i int) string {
			return fmt.Sprintf("%s Notice is %s weeks to the end of a year.", quotes[i*i%5], []string{"four", "six"}[at(i, 25)])
		}, []int{1, 2, 25}},
	} {
		t.Run(name, func(t *testing.T) {
			if have := newCourse(t, time.Hour).told(times(40, tt.text)...); !slices.Equal(have, tt.want) {
				t.Errorf("told at %v, want %v", have, tt.want)
			}
		})
	}
}

// TestQ5RhythmIsOfTime checks that a fact which moves at each check is told each time, unless it was also seen to move
// more often than once a day; and that a second check shows that (Q5).
func TestQ5RhythmIsOfTime(t *testing.T) {
	rate := func(i int) string { return fmt.Sprintf("Water level %d.%04d", 1, 800+37*i) }
	slow := newCourse(t, 10*24*time.Hour)
	if have := slow.told(times(12, rate)...); len(have) != 11 {
		t.Errorf("a price that moves at each check, each ten days, is told at %v", have)
	}
	daily := newCourse(t, 24*time.Hour)
	var again []int
	for i, text := range times(4, rate) {
		if v, _ := daily.see(text); v.Again {
			again = append(again, i)
		}
	}
	if !slices.Equal(again, []int{3}) {
		t.Errorf("a second check is wanted after checks %v", again)
	}
	second := After(daily.check, daily.check.At.Add(15*time.Minute))
	_, v := daily.memory.See(inMain(daily.before), inMain(daily.wrap(rate(20))), second)
	if v.Small != Moves || v.What != "a number" || v.Again {
		t.Errorf("a number that has moved after 15 minutes gives %+v", v)
	}
	_, v = daily.memory.See(inMain(daily.before), inMain(daily.wrap("Water level is not known today")), second)
	if v.Small != "" {
		t.Error("words in place of the number are not told")
	}
}

// TestQ5LongTimesFade checks that what was learnt fades: after two months without a move, the first two moves are told
// again (Q5).
func TestQ5LongTimesFade(t *testing.T) {
	c := newCourse(t, time.Hour)
	c.told(times(10, func(i int) string { return fmt.Sprintf("%d boats in port", 20+i) })...)
	c.check.At = c.check.At.Add(61 * 24 * time.Hour)
	c.check = After(c.check, c.check.At)
	for i := range 3 {
		c.check = After(c.check, c.check.At.Add(time.Hour))
		now := c.wrap(fmt.Sprintf("%d boats in port", 50+i))
		m, v := c.memory.See(inMain(c.before), inMain(now), c.check)
		if c.memory, c.before = m, now; (v.Small == "") != (i < 2) {
			t.Errorf("move %d after the pause: %+v", i+1, v)
		}
	}
}

// TestQ6PeopleDecide checks that the decisions of people overrule what was learnt, and stay with a part whose line
// moves (Q6).
func TestQ6PeopleDecide(t *testing.T) {
	boats := func(i int) string { return fmt.Sprintf("%d boats in port", 20+i) }
	c := newCourse(t, time.Hour)
	c.told(times(6, boats)...)
	parts := c.memory.Parts(c.check)
	if len(parts) != 1 || !parts[0].Silent || parts[0].Moved != 5 || parts[0].Of != 6 ||
		parts[0].Text != "25 boats in port" || parts[0].Was != "24 boats in port" ||
		!slices.Equal(parts[0].Moves, []string{"number"}) {
		t.Fatalf("the parts are %+v", parts)
	}
	c.decide = []Decided{{ID: parts[0].ID, Do: Always}}
	if have := c.told(boats(6), boats(7)); len(have) != 2 {
		t.Errorf("always: told at %v", have)
	}
	c.decide[0].Do = Never
	text := prose + "A new line about the fees of the quay.\n\n"
	c.wrap = func(s string) string { return text + s + "\n\nThe harbour master." }
	if have := c.told(boats(7), boats(8), boats(9)); !slices.Equal(have, []int{0}) {
		t.Errorf("never, after the line has moved down: told at %v", have)
	}
}

// TestQ7AnotherPageTeachesNothing checks that a page in place of the page is no lesson for its lines, and that one that
// comes and goes is told twice (Q7).
func TestQ7AnotherPageTeachesNothing(t *testing.T) {
	c := newCourse(t, time.Hour)
	page := strings.Repeat(prose, 3)
	other := strings.Repeat("An unexpected error has occurred here and nobody knows why it did so on this day. ", 12)
	c.wrap = func(s string) string { return s }
	have := c.told(page, other, page, other, page, other, page)
	if !slices.Equal(have, []int{1, 2}) || len(c.memory.Slots) != 1 {
		t.Errorf("told at %v, with %d slots", have, len(c.memory.Slots))
	}
	if have := c.told(strings.Replace(page, "gate", "new gate", 1)); len(have) != 1 {
		t.Error("a change of the page is not told afterwards")
	}
}

// letters returns letters that are the same for the same numbers.
func letters(numbers ...int) string {
	sum := sha512.Sum384(fmt.Append(nil, numbers))
	return strings.Map(func(r rune) rune { return 'a' + (r-'+')%26 }, base64.StdEncoding.EncodeToString(sum[:]))
}

// TestQ8Bounded checks that the memory of a page stays small, whatever the page does (Q8).
func TestQ8Bounded(t *testing.T) {
	for name, tt := range map[string]struct {
		line  func(n, i int) string
		least int // slots
	}{
		"lines that move each by itself": {func(n, i int) string {
			return fmt.Sprintf("Line of the table %c%c says %d", 'a'+n/20, 'a'+n%20, n+i)
		}, maxSlots / 2},
		"columns of which half stays": {func(n, i int) string {
			return fmt.Sprintf("Row %c%c has ", 'a'+n/20, 'a'+n%20) + strings.Join(times(20, func(column int) string {
				return fmt.Sprintf("%d of %c, ", 1000*n+column+n%2*i, 'a'+column)
			}), "")
		}, maxColumns},
		"lines of which no two are alike": {func(n, i int) string {
			return "Line " + letters(n, 0) + " says " + letters(n, 1+i)
		}, maxSlots / 4},
	} {
		c := newCourse(t, time.Hour)
		c.told(times(12, func(i int) string {
			return strings.Join(times(150, func(n int) string { return tt.line(n, i) }),
				"\n\nA line that stays between two others, and has more words than they have together.\n\n")
		})...)
		if n := len(c.memory.Slots); n > maxSlots || n < tt.least {
			t.Errorf("%s: %d slots", name, n)
		}
		if size := packed(t, c.memory); size > maxSize {
			t.Errorf("%s: a memory of %d bytes", name, size)
		}
	}
}

// TestQ8LargestSlots checks that slots of the largest size are dropped, those that have not moved for the longest time
// first, until the memory is small enough (Q8).
func TestQ8LargestSlots(t *testing.T) {
	var m Memory
	for i := range maxSlots {
		s := Slot{ID: letters(i), Line: (letters(i, 1) + letters(i, 2))[:maxLine],
			Was: (letters(i, 3) + letters(i, 4))[:maxLine], Stays: map[uint32]int{}}
		for n := range maxTexts {
			s.move(Check{Number: i + n, At: noon.Add(time.Duration(i+7*n) * time.Minute)}, hashOf(letters(i, n)))
		}
		for n := range columnStay {
			s.Stays[hashOf(letters(i, 5, n))] = i * n
		}
		m.Slots = append(m.Slots, s)
	}
	check := Check{Number: 2 * maxSlots, At: noon.Add(24 * time.Hour)}
	kept := m.bounded(check)
	if size := packed(t, kept); size > maxSize || len(kept.Slots) < maxSlots/4 || kept.Slots[0].ID != letters(maxSlots-1) {
		t.Errorf("%d bytes, %d slots, the first is %s", size, len(kept.Slots), kept.Slots[0].ID)
	}
}

// packed returns the size of a memory as it is stored.
func packed(t *testing.T, m Memory) int {
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(text)
	_ = z.Close()
	return out.Len()
}

// TestQ4NewsBesideWhatMoves checks that a line or a sentence that is new beside a part that moves at each check is told
// (Q4).
func TestQ4NewsBesideWhatMoves(t *testing.T) {
	quotes := []string{"Fair winds make good sailors.", "Ships are safe in port.", "A smooth sea teaches little."}
	closed := "The pier is closed on Friday."
	for name, add := range map[string]func(s string) string{
		"a line before":      func(s string) string { return closed + "\n\n" + s },
		"a line after":       func(s string) string { return s + "\n\n" + closed },
		"a sentence before":  func(s string) string { return closed + " " + s },
		"a sentence after":   func(s string) string { return s + " " + closed },
		"in its place":       func(string) string { return closed },
		"a number in a line": func(s string) string { return s + "\n\nBerth fee: 12 EUR" },
	} {
		for kind, text := range map[string]func(i int) string{
			"saying": func(i int) string { return quotes[i%3] },
			"number": func(i int) string { return fmt.Sprintf("%d boats in port", 20+i) },
		} {
			c := newCourse(t, time.Hour)
			c.told(times(12, text)...)
			if v, _ := c.see(add(text(13))); v.Small != "" && name != "in its place" {
				t.Errorf("%s of a %s is not told: %+v", name, kind, v)
			}
		}
	}
}

// TestQ4FactsThatMove checks that a fact is told at each move if it moves at each ninth check, however close the checks
// are; that a line between others that move at each check is told; and that the words of a status are told at each of
// its moves if checks are a day apart (Q4, Q5).
func TestQ4FactsThatMove(t *testing.T) {
	quotes := []string{"Fair winds make good sailors.", "Ships are safe in port.", "A smooth sea teaches little."}
	states := []string{"open to all ships", "open to small boats only", "reserved for the fleet", "on request"}
	for name, tt := range map[string]struct {
		every time.Duration
		text  func(i int) string
		want  []int
	}{
		"a price at each ninth check": {time.Minute, func(i int) string { return fmt.Sprintf("Berth fee: %d EUR", 49+i/9) },
			[]int{9, 18, 27}},
		"a line between lines that move": {time.Hour, func(i int) string {
			return fmt.Sprintf("%s\n\nThe master is %s.\n\nToday %s, %d degrees", quotes[i*i%3],
				[]string{"Ann Ray", "Tom Ash"}[i/20%2], []string{"sun", "rain", "fog", "snow"}[i*7%4], i*13%29)
		}, []int{1, 2, 3, 4, 20}},
		"a status each day": {24 * time.Hour, func(i int) string { return "The lock is " + states[i%4] + "." },
			[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
	} {
		t.Run(name, func(t *testing.T) {
			n := max(12, tt.want[len(tt.want)-1]+1)
			if have := newCourse(t, tt.every).told(times(n, tt.text)...); !slices.Equal(have, tt.want) {
				t.Errorf("told at %v, want %v", have, tt.want)
			}
		})
	}
}

// TestQ6NeverIsBeforeTheRhythm checks that a part which is told by itself is not, once a person says never (Q6).
func TestQ6NeverIsBeforeTheRhythm(t *testing.T) {
	c := newCourse(t, 24*time.Hour)
	rate := func(i int) string { return fmt.Sprintf("EUR/USD 1.%04d", 800+37*i) }
	c.told(rate(0), rate(1), rate(2))
	parts := c.memory.Parts(c.check)
	if len(parts) != 1 || parts[0].Silent {
		t.Fatalf("the parts are %+v", parts)
	}
	c.decide = []Decided{{ID: parts[0].ID, Do: Never}}
	if have := c.told(rate(3), rate(4)); len(have) > 0 {
		t.Errorf("told at %v", have)
	}
}

// FuzzSee checks that no two texts make See fail, and that what is not told has a reason (Q4).
func FuzzSee(f *testing.F) {
	f.Add("a 1\n\nb", "a 2\n\nb", "a 3\n\nb", "c")
	f.Add("| a | 1 |\n| b | 2 |", "| b | 2 |\n| a | 1 |", "", "\n\n\n")
	f.Add("日本語12", "日本語13", "日本12", "\xff\xfe1")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		var m Memory
		var check Check
		texts := []string{a, b, c, d, a, b, c, d, a, b}
		for i, now := range texts[1:] {
			check = After(check, noon.Add(time.Duration(i)*time.Hour))
			var v Verdict
			m, v = m.See(inMain(texts[i]), Reading{Text: now, Beside: len(now) / 2}, check)
			if (v.Small == "") != (v.What == "") {
				t.Errorf("the verdict is %+v", v)
			}
			for _, s := range m.Slots {
				if s.At < 0 || s.Size < 0 || len(s.Moves) > maxMoves || len(s.Texts) > maxTexts || len(s.Line) > maxLine {
					t.Errorf("a slot is %+v", s)
				}
			}
		}
	})
}

package linememory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// stated are pages of one line, each with what it says before and after each of some edits.
var stated = map[string]func(n int) string{
	"hours of days": func(n int) string {
		return fmt.Sprintf("Tuesday to Sunday: %d:00 to %d:00", 10+n%3, 18+n/3)
	},
	"hours":             func(n int) string { return fmt.Sprintf("Open from %d to %d", 8+n%3, 17+n%4) },
	"hours with a dash": func(n int) string { return fmt.Sprintf("Mon–Fri %d–%d", 8+n%3, 17+n%4) },
	"hours in German": func(n int) string {
		return fmt.Sprintf("Dienstag bis Sonntag: %d:00 bis 18:00 Uhr", 9+n%3)
	},
	"a price":          func(n int) string { return fmt.Sprintf("Blue teapot: $%d.50", 24+3*n) },
	"a price in a row": func(n int) string { return fmt.Sprintf("| Blue teapot | %d,50 € |", 24+3*n) },
	"places":           func(n int) string { return fmt.Sprintf("%d places left", 12-n%11) },
	"an event":         func(n int) string { return fmt.Sprintf("| Night of the museums | %d June 2026 | 19:30 |", 3+n) },
	"when it begins":   func(n int) string { return fmt.Sprintf("Concert on 3 June, %d:30", 14+n%9) },
	"a telephone":      func(n int) string { return fmt.Sprintf("Call 040 123 45%02d", 10+n) },
	"a sentence": func(n int) string {
		return []string{"The museum asks all of its guests to leave their coats and bags at the door.",
			"The museum shows the paintings of the north coast in its lower hall until the end of May."}[n%2]
	},
}

// edited is when a page is checked and edited: minutes from the beginning, each with the number of edits until then.
type edited struct {
	at    []int
	edits []int
	asked bool // by a person: the next check of the page is planned for later
}

// TestQ5EditsAreNoRhythm checks that each edit is told of a page that its owner edits several times within minutes, and
// again later: whether he asks for the checks or they are as close, and on several days (Q5).
func TestQ5EditsAreNoRhythm(t *testing.T) {
	const day = 24 * 60
	for name, tt := range map[string]edited{
		"seven asked checks, and days later": {[]int{0, 1, 2, 3, 5, 8, 9, 12, day, 2 * day, 3 * day},
			[]int{0, 1, 1, 2, 2, 3, 4, 4, 5, 6, 7}, true},
		"asked for after each edit, on four days": {[]int{0, 2, 4, 6, day, day + 2, day + 5, 2 * day, 2*day + 1,
			2*day + 2, 3 * day, 3*day + 3}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, true},
		"asked for, and an hour later": {[]int{0, 1, 3, 5, 7, 75, 140, 210}, []int{0, 1, 2, 3, 4, 4, 5, 6}, true},
		"a check each minute": {[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, []int{0, 1, 1, 2, 3, 3, 3, 4, 4,
			4, 5, 5, 6, 6, 7}, false},
		"four checks in a row, then each day": {[]int{0, 1, 2, 3, 4, day, 2 * day, 3 * day, 4 * day},
			[]int{0, 1, 2, 3, 4, 5, 6, 7, 8}, false},
	} {
		for kind, text := range stated {
			var m Memory
			var check Check
			for i, at := range tt.at {
				check = After(check, noon.Add(time.Duration(at)*time.Minute))
				if tt.asked {
					check.Next = check.At.Add(day * time.Minute)
				}
				if i == 0 || tt.edits[i] == tt.edits[i-1] || kind == "a sentence" && at >= day {
					continue // a sentence that comes and goes on several days is no fact
				}
				var v Verdict
				wrap := newCourse(t, 0).wrap
				m, v = m.See(inMain(wrap(text(tt.edits[i-1]))), inMain(wrap(text(tt.edits[i]))), check)
				if v.Small != "" {
					t.Errorf("%s, %s: edit %d is not told: %+v", name, kind, tt.edits[i], v)
				}
			}
		}
	}
}

// TestQ5LiveData checks that a price which moves at each check for long is live data, and one that moves at a part of
// the checks is told each time (Q5).
func TestQ5LiveData(t *testing.T) {
	price := func(i int) string { return fmt.Sprintf("EUR/USD 1.%04d", 800+37*i) }
	if have := newCourse(t, time.Hour).told(times(20, price)...); !slices.Equal(have, []int{1, 2, 3, 4, 5, 6}) {
		t.Errorf("at each check: told at %v", have)
	}
	half := func(i int) string { return price(i * 2 / 3) }
	if have := newCourse(t, time.Hour).told(times(30, half)...); len(have) != 19 {
		t.Errorf("at two of three checks: told at %v", have)
	}
	if have := newCourse(t, time.Minute).told(times(20, func(i int) string {
		return fmt.Sprintf("%d boats in port", 20+i)
	})...); !slices.Equal(have, []int{1, 2, 3, 4, 5}) {
		t.Errorf("a count at each minute: told at %v", have)
	}
}

// TestQ5MinutesApart checks that a count which moves at most checks of each minute is told until six moves in a row,
// and then not (Q5).
func TestQ5MinutesApart(t *testing.T) {
	boats := func(i int) string { return fmt.Sprintf("%d boats in port", 20+i-max(0, i-6)/5) }
	if have := newCourse(t, time.Minute).told(times(60, boats)...); !slices.Equal(have, []int{1, 2, 3, 4, 5}) {
		t.Errorf("told at %v", have)
	}
}

// TestQ5KnownBeforeATrial checks that what is known to move stays so while a person asks for checks (Q5).
func TestQ5KnownBeforeATrial(t *testing.T) {
	c := newCourse(t, time.Hour)
	boats := func(i int) string { return fmt.Sprintf("%d boats in port", 20+i) }
	c.told(times(6, boats)...)
	c.every = time.Minute
	for i := range 12 {
		c.check.Next = c.check.At.Add(time.Hour)
		now := c.wrap(boats(6 + i))
		c.check = After(c.check, c.check.At.Add(time.Minute))
		m, v := c.memory.See(inMain(c.before), inMain(now), c.check)
		if c.memory, c.before = m, now; v.Small != Moves {
			t.Errorf("check %d is told", i)
		}
	}
}

// TestQ4Clocks checks that what shows the time of the reading is small from its first move on, and that other times
// are told (Q4).
func TestQ4Clocks(t *testing.T) {
	first := noon.Add(3*time.Minute + 22*time.Second)
	second := first.Add(7*time.Minute + 5*time.Second)
	next := first.Add(26 * time.Hour)
	same := func(layout string, zone time.Duration) [3]string {
		return [3]string{first.Add(zone).Format(layout), second.Add(zone).Format(layout), next.Add(zone).Format(layout)}
	}
	since := func(form string, by time.Duration) [3]string {
		return [3]string{fmt.Sprintf(form, first.Add(by).Unix()), fmt.Sprintf(form, second.Add(by).Unix()),
			fmt.Sprintf(form, next.Add(by).Unix())}
	}
	for name, tt := range map[string]struct {
		texts [3]string
		clock bool
	}{
		"seconds":         {same("It is 15:04:05", 0), true},
		"in India":        {same("Harbour clock 15:04:05", 5*time.Hour+30*time.Minute), true},
		"half of the day": {same("It is now 3:04 PM", -7*time.Hour), true},
		"a minute late":   {same("Updated 15:04", -time.Minute), true},
		"as of":           {same("Prices as of 15:04", time.Hour), true},
		"with the day":    {same("Monday 2 January 2006, 15:04", time.Hour), true},
		"with an ISO day": {same("Read 2006-01-02 15:04", 0), true},
		"as programs do":  {same("made: 2006-01-02T15:04:05Z", 0), true},
		"since 1970":      {since("at: %d", 0), true},
		"not so":          {since("id: %d", time.Hour), false},
		"no word":         {same("Boat leaves 15:04", time.Hour), false},
		"another time":    {same("It is now 15:04:05", 12*time.Minute), false},
		"stays behind":    {[3]string{"Updated 12:03", "Updated 12:08", "Updated 14:21"}, false},
		"moves by itself": {[3]string{"It is now 12:03:22", "It is now 12:33:22", "It is now 13:03:22"}, false},
		"beside a number": {[3]string{"Updated 12:03 12 boats", "Updated 12:10 13 boats", "Updated 14:03 15 boats"}, false},
		"hours": {[3]string{"Open now: 10:00 to 18:00", "Open now: 11:00 to 18:00", "Open now: 12:00 to 18:00"},
			false},
	} {
		var m Memory
		var check Check
		wrap := newCourse(t, 0).wrap
		for i, at := range []time.Time{first, second, next} {
			if check = After(check, at); i == 0 {
				continue
			}
			var v Verdict
			m, v = m.See(inMain(wrap(tt.texts[i-1])), inMain(wrap(tt.texts[i])), check)
			if is := v.Small == Clock && v.What == "a clock"; is != tt.clock || !is && v.Small != "" {
				t.Errorf("%s: %q gives %+v", name, strings.Join(tt.texts[i-1:i+1], " → "), v)
			}
		}
		if parts := m.Parts(check); tt.clock && (len(parts) != 1 || !parts[0].Silent) {
			t.Errorf("%s: the parts are %+v", name, parts)
		}
	}
}

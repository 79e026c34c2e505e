package notify

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/wallclock"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := wallclock.Zone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func clock(t testing.TB, text string) wallclock.Clock {
	t.Helper()
	c, err := wallclock.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestW6NoStorm checks that a rule sends few messages for any sequence of changes, and that each change is in one of
// them (W6).
func TestW6NoStorm(t *testing.T) {
	start := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		every            time.Duration // between two changes
		changes          int
		singles, digests int
	}{
		"a few":         {time.Second, 10, 10, 0},
		"a first crawl": {10 * time.Millisecond, 312 + burst, burst, 1},
		"half a minute": {30 * time.Second, 200, 2 * burst, 2}, // it gathers for an hour, twice
		"now and then":  {calm / (burst - 1), 100, 100, 0},
		"twice an hour": {30 * time.Minute, 100, 100, 0},
	} {
		var s digestState
		var p digestPlan
		singles, digests, told := 0, 0, 0
		now := start
		for i := 0; i < tt.changes || s.Gathered > 0; i++ {
			if i < tt.changes && p.Add(&s, "", now) {
				singles++
			}
			if p.ready(s, now) {
				told += s.Gathered
				digests++
				s.Gathered = 0
			}
			now = now.Add(tt.every)
		}
		if singles != tt.singles || digests != tt.digests || singles+told != tt.changes {
			t.Errorf("%s: %d single messages and %d digests of %d changes", name, singles, digests, told)
		}
	}
}

// TestW5DailyInTimeZones checks that there is one daily digest on each day, in zones where clocks go back or forward,
// and also when its hour is skipped or repeated (W5).
func TestW5DailyInTimeZones(t *testing.T) {
	for _, name := range []string{"", "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu",
		"Africa/Cairo", "Asia/Beirut", "America/Santiago"} {
		for _, at := range []string{"00:00", "01:30", "02:00", "02:30", "07:30", "23:59"} {
			p := digestPlan{Rhythm: Daily, At: clock(t, at), Zone: zone(t, name)}
			days := map[string]int{}
			now := time.Date(2026, 1, 1, 12, 0, 0, 0, p.Zone)
			for range 365 {
				s := digestState{Gathered: 1, First: now, Last: now}
				due := p.Due(s)
				if p.ready(s, due.Add(-time.Second)) || !p.ready(s, due) {
					t.Fatalf("%s at %s: not due at %s", name, at, due)
				}
				if got := due.In(p.Zone).Format("15:04"); got != at && due.In(p.Zone).Format("15") > "03" {
					t.Errorf("%s: due at %s, not at %s", name, got, at)
				}
				days[due.In(p.Zone).Format(time.DateOnly)]++
				now = due
			}
			if len(days) != 365 {
				t.Errorf("%s at %s: digests on %d days", name, at, len(days))
			}
		}
	}
}

// TestQ3Weekly checks that a weekly digest comes on its day, once a week, also around the change of clocks (Q3).
func TestQ3Weekly(t *testing.T) {
	p := digestPlan{Rhythm: Weekly, At: clock(t, "07:30"), On: time.Friday, Zone: zone(t, "Europe/Paris")}
	now, n := time.Date(2026, 1, 1, 12, 0, 0, 0, p.Zone), 0
	for ; now.Year() == 2026; n++ {
		due := p.Due(digestState{Gathered: 1, First: now, Last: now})
		if got := due.In(p.Zone).Format("Mon 15:04"); got != "Fri 07:30" || due.Sub(now) > 8*24*time.Hour {
			t.Fatalf("after %s: due at %s", now, due)
		}
		now = due
	}
	if n != 53 {
		t.Errorf("%d digests in a year with 52 Fridays, and one after it", n)
	}
}

// TestY10HourlyInCivilTime checks that hourly digests come when an hour begins on the clocks of the rule's zone.
func TestY10HourlyInCivilTime(t *testing.T) {
	first := time.Date(2026, 11, 23, 12, 20, 0, 0, time.UTC)
	for name, want := range map[string]string{"": "13:00", "Asia/Kathmandu": "13:15", "Asia/Kolkata": "12:30"} {
		p := digestPlan{Rhythm: Hourly, Zone: zone(t, name)}
		if got := p.Due(digestState{Gathered: 1, First: first, Last: first}).UTC().Format("15:04"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestW5QuietHours checks that nothing is sent in quiet hours, and that the changes of the night are sent in the
// morning (W5).
func TestW5QuietHours(t *testing.T) {
	paris := zone(t, "Europe/Paris")
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 3, day, hour, minute, 0, 0, paris) }
	night := &wallclock.Hours{From: clock(t, "22:00"), To: clock(t, "07:00"), Zone: paris}
	noon := &wallclock.Hours{From: clock(t, "12:00"), To: clock(t, "13:00"), Zone: paris}
	daily := func(hour string) digestPlan {
		return digestPlan{Rhythm: Daily, At: clock(t, hour), Zone: paris, Quiet: night}
	}
	for name, tt := range map[string]struct {
		plan digestPlan
		came time.Time
		want time.Time // zero: at once
	}{
		"by day":                     {digestPlan{Quiet: night}, at(3, 21, 59), time.Time{}},
		"in the evening":             {digestPlan{Quiet: night}, at(3, 22, 0), at(4, 7, 0)},
		"after midnight":             {digestPlan{Quiet: night}, at(4, 6, 59), at(4, 7, 9)},
		"the night of the change":    {digestPlan{Quiet: night}, at(28, 23, 0), at(29, 7, 0)},
		"at noon":                    {digestPlan{Quiet: noon}, at(3, 12, 0), at(3, 13, 0)},
		"an hourly digest by night":  {digestPlan{Rhythm: Hourly, Quiet: night}, at(3, 21, 30), at(4, 7, 0)},
		"an hourly digest by day":    {digestPlan{Rhythm: Hourly, Quiet: night}, at(3, 20, 30), at(3, 21, 0)},
		"a daily digest in quiet":    {daily("06:00"), at(3, 8, 0), at(4, 7, 0)},
		"a daily digest after quiet": {daily("08:00"), at(3, 8, 0), at(4, 8, 0)},
	} {
		var s digestState
		if single := tt.plan.Add(&s, "", tt.came); single != tt.want.IsZero() {
			t.Errorf("%s: single is %t", name, single)
			continue
		}
		if !tt.want.IsZero() && !tt.plan.Due(s).Equal(tt.want) {
			t.Errorf("%s: due at %s, not at %s", name, tt.plan.Due(s), tt.want)
		}
		if tt.plan.Quiet.Contain(tt.plan.Due(s)) {
			t.Errorf("%s: due at %s, which is quiet", name, tt.plan.Due(s))
		}
	}
	late := digestState{Gathered: 1, First: at(3, 21, 0), Last: at(3, 21, 0)}
	if (digestPlan{Quiet: night}).ready(late, at(3, 23, 0)) {
		t.Error("told at 23:00, since it was due before")
	}
}

// TestN2EqualChangesAreGathered checks that a change is gathered if an equal one was sent a short time before.
func TestN2EqualChangesAreGathered(t *testing.T) {
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	s := digestState{Singles: []time.Time{at.Add(-time.Minute)}} // of a program that kept no keys
	for i, tt := range []struct {
		key    string
		after  time.Duration
		single bool
	}{{"a", 0, true}, {"", 0, true}, {"", 0, true}, {"b", 0, true}, {"a", calm - 1, false}} {
		if single := (digestPlan{}).Add(&s, tt.key, at.Add(tt.after)); single != tt.single {
			t.Errorf("change %d: %t", i, single)
		}
	}
	s = digestState{}
	if !(digestPlan{}).Add(&s, "a", at) || !(digestPlan{}).Add(&s, "a", at.Add(calm)) {
		t.Error("an equal change is gathered long after the first")
	}
}

// TestW19Messages checks that the number of messages for past changes is what the rule would have sent.
func TestW19Messages(t *testing.T) {
	start := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	daily := digestPlan{Rhythm: Daily, At: clock(t, "07:30"), Zone: zone(t, "UTC")}
	for name, tt := range map[string]struct {
		plan  digestPlan
		every time.Duration
		n     int
		key   string
		want  int
	}{
		"nothing":              {digestPlan{}, time.Hour, 0, "", 0},
		"four, far apart":      {digestPlan{}, time.Hour, 4, "", 4},
		"a burst":              {digestPlan{}, time.Second, 100, "", burst + 1},
		"alike":                {digestPlan{}, time.Second, 5, "notice", 2},
		"alike, but far apart": {digestPlan{}, time.Hour, 5, "notice", 5},
		"once a day":           {daily, 12 * time.Hour, 6, "", 3},
	} {
		var all []digestEvent
		for i := range tt.n {
			all = append(all, digestEvent{start.Add(time.Duration(i) * tt.every), tt.key})
		}
		if got := tt.plan.Messages(all); got != tt.want {
			t.Errorf("%s: %d messages, want %d", name, got, tt.want)
		}
	}
}

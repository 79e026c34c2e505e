package wallclock

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
	"time"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func cron(t testing.TB, text string) Cron {
	t.Helper()
	c, err := ParseCron(strings.Fields(text))
	must(t, err)
	return c
}

// TestY10Clocks checks schedules where clocks change at midnight, in gaps and overlaps, and on dates that are rare.
func TestY10Clocks(t *testing.T) {
	for _, tt := range []struct{ zone, cron, after, want string }{ // with the first times, in the zone
		{"Asia/Beirut", "0 9 28 3 *", "2027-01-01T00:00", "2027-03-28T09:00 2028-03-28T09:00"},
		{"Asia/Beirut", "0 0 28 3 *", "2027-01-01T00:00", "2027-03-28T01:00 2028-03-28T00:00"},
		{"Asia/Beirut", "0 9 * * 0", "2027-03-27T12:00", "2027-03-28T09:00 2027-04-04T09:00"},
		{"Africa/Cairo", "0 9 * * 5", "2027-04-23T09:00", "2027-04-30T09:00 2027-05-07T09:00"},
		{"Africa/Cairo", "0 9 30 4 *", "2027-01-01T00:00", "2027-04-30T09:00"},
		{"Africa/Cairo", "0 0 * * *", "2027-04-29T12:00", "2027-04-30T01:00 2027-05-01T00:00"},
		{"Africa/Cairo", "0 0,1,3 30 4 *", "2027-01-01T00:00", "2027-04-30T01:00 2027-04-30T03:00 2028-04-30T00:00"},
		{"America/Santiago", "0 0 * * 0", "2027-09-04T12:00", "2027-09-05T01:00 2027-09-12T00:00"},
		{"America/Havana", "0 0 14 3 *", "2027-01-01T00:00", "2027-03-14T01:00"},
		{"Atlantic/Azores", "0 0 28 3 *", "2027-01-01T00:00", "2027-03-28T01:00"},
		{"America/New_York", "30 2 14 3 *", "2027-01-01T00:00", "2027-03-14T03:00 2028-03-14T02:30"},
		{"America/New_York", "0,15,30,59 2 * * *", "2027-03-14T00:00", "2027-03-14T03:00 2027-03-15T02:00"},
		{"America/New_York", "0 2,3 * * *", "2027-03-14T00:00", "2027-03-14T03:00 2027-03-15T02:00"},
		{"America/New_York", "*/15 2 * * *", "2027-03-14T00:00", "2027-03-14T03:00 2027-03-15T02:00"},
		{"America/New_York", "30 * * * *", "2027-03-14T01:00", "2027-03-14T01:30 2027-03-14T03:30"},
		{"America/New_York", "30 */2 * * *", "2027-03-14T00:00", "2027-03-14T00:30 2027-03-14T04:30"},
		{"America/New_York", "30 1 * * *", "2027-11-06T12:00", "2027-11-07T01:30 2027-11-08T01:30"},
		{"America/New_York", "30 * * * *", "2027-11-07T00:40", "2027-11-07T01:30 2027-11-07T01:30 2027-11-07T02:30"},
		{"America/New_York", "0 */1 * * *", "2027-11-07T00:40", "2027-11-07T01:00 2027-11-07T01:00 2027-11-07T02:00"},
		{"America/New_York", "*/30 1 * * *", "2027-11-07T00:40", "2027-11-07T01:00 2027-11-07T01:30 2027-11-08T01:00"},
		{"Australia/Lord_Howe", "45 1 * * *", "2027-04-03T12:00", "2027-04-04T01:45 2027-04-05T01:45"},
		{"Australia/Lord_Howe", "15 2 * * *", "2027-10-02T12:00", "2027-10-03T02:30 2027-10-04T02:15"},
		{"Pacific/Apia", "0 9 30 12 *", "2011-12-01T00:00", "2011-12-31T00:00 2012-12-30T09:00"},
		{"UTC", "0 0 29 2 *", "2026-01-01T00:00", "2028-02-29T00:00 2032-02-29T00:00"},
		{"UTC", "0 0 29 2 *", "2096-03-01T00:00", "2104-02-29T00:00"},
		{"UTC", "0 0 31 * *", "2026-01-31T00:00", "2026-03-31T00:00 2026-05-31T00:00 2026-07-31T00:00 2026-08-31T00:00"},
		{"UTC", "0 12 13 * fri", "2026-11-01T00:00", "2026-11-06T12:00 2026-11-13T12:00 2026-11-20T12:00"},
		{"UTC", "0 12 */9 * 1", "2026-11-01T12:00", "2026-11-02T12:00 2026-11-09T12:00 2026-11-10T12:00"},
		{"UTC", "0 12 1,* * 1", "2026-11-01T12:00", "2026-11-02T12:00 2026-11-09T12:00"},
		{"UTC", "0 12 * * 3/4", "2026-11-01T12:00", "2026-11-04T12:00 2026-11-08T12:00"},
		{"UTC", "0 22-1 * * *", "2026-11-01T12:00", "2026-11-01T22:00 2026-11-01T23:00 2026-11-02T00:00 2026-11-02T01:00"},
		{"UTC", "0 0 * * 5-7", "2026-11-01T12:00", "2026-11-06T00:00 2026-11-07T00:00 2026-11-08T00:00 2026-11-13T00:00"},
		{"UTC", "0 0 * * 0-7", "2026-11-01T12:00", "2026-11-02T00:00 2026-11-03T00:00 2026-11-04T00:00"},
		{"UTC", "0 0 * * sun-7/2", "2026-11-01T12:00", "2026-11-03T00:00 2026-11-05T00:00 2026-11-07T00:00"},
		{"UTC", "0 0 * * 7-7", "2026-11-01T12:00", "2026-11-08T00:00 2026-11-15T00:00"},
		{"UTC", "0 0 1 NOV-jan *", "2026-11-01T12:00", "2026-12-01T00:00 2027-01-01T00:00 2027-11-01T00:00"},
		{"UTC", "5/20 8 * * *", "2026-11-01T12:00", "2026-11-02T08:05 2026-11-02T08:25 2026-11-02T08:45 2026-11-03T08:05"},
		{"UTC", "0 0 0 29 2 mon", "2026-11-01T12:00", "2044-02-29T00:00 2072-02-29T00:00"},
		{"Europe/Paris", "0 9 31 12 *", "2028-12-31T09:00", "2029-12-31T09:00"},
		{"Europe/Paris", "0 9 * * *", "2028-12-29T10:00", "2028-12-30T09:00 2028-12-31T09:00 2029-01-01T09:00"},
		{"UTC", "*/20 59 * * * *", "2026-11-01T12:59", "2026-11-01T12:59 2026-11-01T12:59 2026-11-01T13:59"},
	} {
		zone, err := Zone(tt.zone)
		must(t, err)
		at, err := time.ParseInLocation("2006-01-02T15:04", tt.after, zone)
		must(t, err)
		for i, want := range strings.Fields(tt.want) {
			if at = cron(t, tt.cron).Next(at, zone); at.Format("2006-01-02T15:04") != want {
				t.Errorf("%s %q: time %d is %s, want %s", tt.zone, tt.cron, i, at, want)
			}
		}
	}
}

func TestY10RefusedCrons(t *testing.T) {
	for _, text := range []string{"", "* * * *", "60 * * * *", "0 24 * * *", "0 0 0 * *", "0 0 32 * *", "0 0 * 13 *",
		"0 0 * * 8", "*/0 * * * *", "a * * * *", "1- * * * *", "-1 * * * *", "+1 * * * *", ", * * * *",
		"1/-2 * * * *", "*/+2 * * * *", "0 0 31 2 *",
		"0 0 * mon *", "0 24/2 * * *", "0 0 , * *", "* * * * * * *"} {
		if _, err := ParseCron(strings.Fields(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

//go:embed testdata/zones.txt
var zones string

// TestY10EveryZone checks named times and times of any hour at the next ten changes of the clocks of every zone: in a
// gap a named time comes once, at its end; in an overlap once, at the first; and no day is lost.
func TestY10EveryZone(t *testing.T) {
	zonesWithTen := 0
	for name := range strings.FieldsSeq(zones) {
		zone, err := time.LoadLocation(name)
		must(t, err)
		at := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC).In(zone)
		for n := 0; n < 10; {
			_, before := at.Zone()
			_, change := span(at)
			if change.IsZero() {
				break
			}
			_, after := change.Zone()
			if before != after {
				n++
				checkChange(t, zone, change, before, after)
			}
			zonesWithTen += n / 10
			at = change
		}
	}
	if zonesWithTen < 100 {
		t.Errorf("only %d zones have ten changes", zonesWithTen)
	}
}

func checkChange(t *testing.T, zone *time.Location, change time.Time, before, after int) {
	t.Helper()
	// A civil time in the middle of the gap or the overlap.
	shown := civil(change, before).Add(time.Duration(after-before) * time.Second / 2).Truncate(time.Minute)
	first := shown.Add(-time.Duration(before) * time.Second)
	if after > before {
		first = change
	}
	start := change.Add(-6 * time.Hour)
	next := func(text string, t0 time.Time) time.Time { return cron(t, text).Next(t0, zone) }
	named := fmt.Sprintf("%d %d * * *", shown.Minute(), shown.Hour())
	one := next(named, start)
	if two := next(named, one); !one.Equal(first) || two.Sub(one) < 20*time.Hour || two.Sub(one) > 28*time.Hour {
		t.Errorf("%s: %s comes at %s and %s, want %s", zone, named, one, two, first)
	}
	if by := daily(Clock(shown.Hour()*60+shown.Minute())).Next(start, zone); !by.Equal(first) ||
		!Clock(shown.Hour()*60+shown.Minute()).On(shown.In(time.UTC), 0).Equal(shown) || !instant(shown, zone).Equal(first) {
		t.Errorf("%s: the time of day comes at %s, want %s", zone, by, first)
	}
	anyHour := fmt.Sprintf("%d * * * *", shown.Minute())
	for at := start; at.Before(change.Add(6*time.Hour)) && !at.IsZero(); {
		then := next(anyHour, at)
		wait := then.Sub(at)
		if at != start && (wait > 90*time.Minute || wait < 20*time.Minute) || then.Minute() != shown.Minute() {
			t.Errorf("%s: %s comes at %s after %s", zone, anyHour, then, at)
		}
		at = then
	}
	for _, offset := range []int{before, after} { // the whole day of the change, on each side
		day := civil(change, offset)
		for _, text := range []string{fmt.Sprintf("0 9 %d %d *", day.Day(), day.Month()),
			fmt.Sprintf("0 9 * * %d", day.Weekday())} {
			got := next(text, change.Add(-25*time.Hour))
			if got.Format("2006-01-02 15:04") != day.Format("2006-01-02")+" 09:00" {
				t.Errorf("%s: %s comes at %s, want it on %s", zone, text, got, day.Format(time.DateOnly))
			}
		}
	}
}

// TestY10QuietHours checks that hours that end within an overlap end the first time.
func TestY10QuietHours(t *testing.T) {
	zone, err := Zone("America/New_York")
	must(t, err)
	night := &Hours{From: 22 * 60, To: 90, Zone: zone}
	first := time.Date(2027, 11, 7, 5, 30, 0, 0, time.UTC) // 01:30, for the first time
	if end := night.Over(first.Add(-time.Minute)); !end.Equal(first) {
		t.Errorf("they end at %s", end)
	}
	if night.Contain(first.Add(30 * time.Minute)) { // 01:00, for the second time
		t.Error("they come again")
	}
	cairo, err := Zone("Africa/Cairo")
	must(t, err)
	early := &Hours{From: 0, To: 7 * 60, Zone: cairo}
	gap := time.Date(2027, 4, 29, 22, 0, 0, 0, time.UTC)
	if early.Contain(gap.Add(-time.Second)) || !early.Contain(gap) {
		t.Error("they do not begin at the end of the gap")
	}
}

func FuzzParseCron(f *testing.F) {
	for _, text := range []string{"0 9 * * 1-5", "*/7 22-2 1,31 jan-mar sun", "0 0 0 29 2 mon", "5/20 * * * *"} {
		f.Add(text, int64(1_800_000_000), "Europe/Paris")
	}
	f.Fuzz(func(t *testing.T, text string, unix int64, name string) {
		c, err := ParseCron(strings.Fields(text))
		zone, bad := Zone(name)
		if err != nil || bad != nil || unix < 0 || unix > 1<<33 {
			return
		}
		at := time.Unix(unix, 0)
		for range 5 {
			next := c.Next(at, zone)
			if !next.After(at) {
				t.Fatalf("%q in %s: next after %s is %s", text, zone, at, next)
			}
			at = next
		}
	})
}

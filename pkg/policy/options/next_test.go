package options_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// spread is the largest delay of checks that are due at the same time.
const spread = 15 * time.Minute

func at(text string) time.Time {
	t, err := time.Parse("2006-01-02 15:04Z07:00", strings.ReplaceAll(text, "T", " "))
	if err != nil {
		panic(err)
	}
	return t
}

// next is the next check by a schedule, after an unchanged one.
func next(t *testing.T, o api.Settings, now time.Time, id string) schedule.Decision {
	t.Helper()
	o, err := options.Validate(o)
	if err != nil {
		t.Fatal(err)
	}
	return options.Merge(o, nil).Next(schedule.Defaults(), options.Check{ID: id, Outcome: schedule.Unchanged, At: now})
}

// TestW9DaylightSaving checks schedules over daylight-saving changes (W9). In Paris clocks go from 2 to 3 on 28 March
// 2027 at 01:00 UTC, and from 3 to 2 on 25 October 2026 at 01:00 UTC.
func TestW9DaylightSaving(t *testing.T) {
	for name, tt := range map[string]struct {
		cron, after string
		want        []string
	}{
		"nine o'clock stays nine, in spring": {"0 9 * * *", "2027-03-27 00:00Z",
			[]string{"2027-03-27 08:00Z", "2027-03-28 07:00Z", "2027-03-29 07:00Z"}},
		"nine o'clock stays nine, in autumn": {"0 9 * * *", "2026-10-24 00:00Z",
			[]string{"2026-10-24 07:00Z", "2026-10-25 08:00Z", "2026-10-26 08:00Z"}},
		"a time that is left out comes once, at the end of the gap": {"30 2 * * *", "2027-03-27 00:00Z",
			[]string{"2027-03-27 01:30Z", "2027-03-28 01:00Z", "2027-03-29 00:30Z"}},
		"a time that comes twice counts once": {"30 2 * * *", "2026-10-24 00:00Z",
			[]string{"2026-10-24 00:30Z", "2026-10-25 00:30Z", "2026-10-26 01:30Z"}},
		"each hour is one, in autumn": {"0 * * * *", "2026-10-24 23:10Z",
			[]string{"2026-10-25 00:00Z", "2026-10-25 01:00Z", "2026-10-25 02:00Z"}},
		"each hour is one, in spring": {"0 * * * *", "2027-03-27 23:10Z",
			[]string{"2027-03-28 00:00Z", "2027-03-28 01:00Z", "2027-03-28 02:00Z"}},
	} {
		now := at(tt.after)
		for _, want := range tt.want {
			o := api.Settings{TagSettings: api.TagSettings{Schedule: &api.Schedule{Cron: tt.cron, Timezone: "Europe/Paris"}}}
			d := next(t, o, now, "url_a")
			if late := d.Next.Sub(at(want)); late < 0 || late > spread {
				t.Errorf("%s: %v, want %s", name, d.Next, want)
			}
			now = d.Next.Add(time.Second)
		}
	}
}

// TestW9Text checks that plain words mean the same as a cron expression (W9).
func TestW9Text(t *testing.T) {
	now := at("2026-11-25 12:00Z") // a Wednesday
	for text, want := range map[string]string{
		"daily at 9am":                        "2026-11-26 09:00Z",
		"every day at 9:30 pm":                "2026-11-25 21:30Z",
		"at noon":                             "2026-11-26 12:00Z",
		"Mondays at 08:30":                    "2026-11-30 08:30Z",
		"on mondays and Thursdays at 08:30":   "2026-11-26 08:30Z",
		"every tue, at 17:00":                 "2026-12-01 17:00Z",
		"weekdays at 9am and 5pm":             "2026-11-25 17:00Z",
		"weekends":                            "2026-11-28 00:00Z",
		"monthly":                             "2026-12-01 00:00Z",
		"monthly on the 15th at noon":         "2026-12-15 12:00Z",
		"on the 1st and 28th of every month":  "2026-11-28 00:00Z",
		"12am and 12pm":                       "2026-11-26 00:00Z",
		"every weekday at 7.15, 7:45 and 8am": "2026-11-26 07:15Z",
	} {
		d := next(t, api.Settings{TagSettings: api.TagSettings{
			Schedule: &api.Schedule{Text: text}}}, now.Add(spread), "url_b")
		if late := d.Next.Sub(at(want)); late < 0 || late > spread {
			t.Errorf("%s: %v, want %s", text, d.Next, want)
		}
		if !strings.Contains(d.Reason, text) || !strings.Contains(d.Reason, "the item") {
			t.Errorf("%s: %s", text, d.Reason)
		}
	}
	for _, text := range []string{"", "sometimes", "every", "every 5", "every 0 hours", "every 2 hours at 9am", "at", "9",
		"25:00", "13pm", "0am", "32nd", "hourly daily", "every monday every 2 hours", "daily weekdays",
		"mondays on the 1st", "every -1 hours", strings.Repeat("daily ", 50)} {
		o := api.Settings{TagSettings: api.TagSettings{Schedule: &api.Schedule{Text: text}}}
		if _, err := options.Validate(o); err == nil && text != "" {
			t.Errorf("%q is understood", text)
		}
	}
}

// TestW9Spread checks that checks come as often as the schedule says, but not at the same time for all items (W9).
func TestW9Spread(t *testing.T) {
	now := at("2026-11-25 12:00Z")
	for text, want := range map[string]time.Duration{"every 2 hours": 2 * time.Hour, "every 20 minutes": 20 * time.Minute,
		"hourly": time.Hour, "weekly": 7 * 24 * time.Hour} {
		o := api.Settings{TagSettings: api.TagSettings{Schedule: &api.Schedule{Text: text}}}
		starts := map[time.Time]bool{}
		for i := range 100 {
			id := fmt.Sprintf("url_%d", i)
			first := next(t, o, now, id).Next
			if wait := first.Sub(now); wait <= 0 || wait > want {
				t.Fatalf("%s: first after %v", text, wait)
			}
			if have := next(t, o, first, id).Next.Sub(first); have != want {
				t.Fatalf("%s: again after %v", text, have)
			}
			starts[first.Truncate(want/10)] = true
		}
		if len(starts) < 8 {
			t.Errorf("%s: a hundred items start in %d tenths of it", text, len(starts))
		}
	}
	daily, starts := api.Settings{TagSettings: api.TagSettings{
		Schedule: &api.Schedule{Text: "daily at 1pm"}}}, map[time.Time]bool{}
	for i := range 100 {
		starts[next(t, daily, now, fmt.Sprint(i)).Next.Truncate(time.Minute)] = true
	}
	if len(starts) < 10 || len(starts) > 16 {
		t.Errorf("a hundred items that are due at once start in %d minutes", len(starts))
	}
}

// TestW9ActiveHours checks that an item waits outside its active hours (W9).
func TestW9ActiveHours(t *testing.T) {
	office := api.ActiveHours{From: "08:00", To: "18:00", Days: []string{"mon", "tue", "wed", "thu", "fri"},
		Timezone: "Europe/Paris"}
	night := api.ActiveHours{From: "10pm", To: "6am", Days: []string{"fri"}}
	gap := api.ActiveHours{From: "02:00", To: "02:30", Timezone: "Europe/Paris"}
	hourly := api.Interval{Min: "1h", Max: "1h"}
	for name, tt := range map[string]struct {
		hours     api.ActiveHours
		now, want string
	}{
		"within":           {office, "2026-11-25 12:00Z", "2026-11-25 13:00Z"},
		"in the evening":   {office, "2026-11-25 16:30Z", "2026-11-26 07:00Z"},
		"before a weekend": {office, "2026-11-27 16:30Z", "2026-11-30 07:00Z"},
		"over midnight":    {night, "2026-11-28 02:00Z", "2026-11-28 03:00Z"},
		"only in a gap":    {gap, "2027-03-27 23:45Z", "2027-03-28 01:00Z"},
		"not that night":   {night, "2026-11-26 22:00Z", "2026-11-27 22:00Z"},
	} {
		d := next(t, api.Settings{TagSettings: api.TagSettings{
			Interval: &hourly, ActiveHours: &tt.hours}}, at(tt.now), "url_c")
		if late := d.Next.Sub(at(tt.want)); late < 0 || late > spread {
			t.Errorf("%s: %v, want %s (%s)", name, d.Next, tt.want, d.Reason)
		}
		if waits := strings.Contains(d.Reason, "waits"); waits == (d.Next.Sub(at(tt.now)) == time.Hour) {
			t.Errorf("%s: %s", name, d.Reason)
		}
	}
}

// TestW9Interval checks that an interval bounds the ladder, and that a schedule does not delay a retry (W9).
func TestW9Interval(t *testing.T) {
	now := at("2026-11-25 12:00Z")
	e := options.Merge(api.Settings{TagSettings: api.TagSettings{Interval: &api.Interval{Min: "1h", Max: "7d"}}}, nil)
	state, most := schedule.State{}, time.Duration(0)
	for range 60 {
		d := e.Next(schedule.Defaults(), options.Check{State: state, Outcome: schedule.Unchanged, At: now})
		if wait := d.Next.Sub(now); wait < time.Hour || wait < most || wait > 7*24*time.Hour {
			t.Fatalf("waits %v after %v", wait, most)
		}
		state, most = d.State, d.Next.Sub(now)
	}
	if state.Interval != 7*24*time.Hour {
		t.Errorf("the interval grew to %v", state.Interval)
	}
	d := e.Next(schedule.Defaults(), options.Check{State: state, Outcome: schedule.Changed, At: now})
	if d.Next.Sub(now) != time.Hour || !strings.Contains(d.Reason, "the item") {
		t.Errorf("after a change it waits %v: %s", d.Next.Sub(now), d.Reason)
	}

	e = options.Merge(api.Settings{}, []options.Tag{{Name: "slow",
		Settings: api.Settings{TagSettings: api.TagSettings{Schedule: &api.Schedule{Text: "monthly"}}}}})
	d = e.Next(schedule.Defaults(), options.Check{Outcome: schedule.Failed, At: now, Jitter: 0.5})
	if d.Next.Sub(now) != 10*time.Minute {
		t.Errorf("a failure is tried again after %v", d.Next.Sub(now))
	}
	d = e.Next(schedule.Defaults(), options.Check{Outcome: schedule.Unchanged, At: now, RetryAfter: 8 * 24 * time.Hour})
	if d.Next.Before(now.Add(8*24*time.Hour)) || !strings.Contains(d.Reason, "tag slow") {
		t.Errorf("the site's pause is not respected: %v, %s", d.Next, d.Reason)
	}
}

func FuzzSchedule(f *testing.F) {
	for _, text := range []string{"daily at 9am", "every 2 hours", "mondays at 08:30", "on the 31st"} {
		f.Add(text, "0 9 * * 1-5", "Europe/Paris")
	}
	f.Fuzz(func(t *testing.T, text, cron, zone string) {
		now := at("2026-10-25 00:30Z")
		for _, s := range []api.Schedule{{Text: text, Timezone: zone}, {Cron: cron, Timezone: zone}} {
			o, err := options.Validate(api.Settings{TagSettings: api.TagSettings{Schedule: &s}})
			if err != nil || o.Schedule == nil {
				continue
			}
			d := options.Merge(o, nil).Next(schedule.Defaults(), options.Check{Outcome: schedule.Changed, At: now})
			if !d.Next.After(now) || d.Next.Sub(now) > 11*366*24*time.Hour {
				t.Errorf("%+v: next at %v", s, d.Next)
			}
		}
	})
}

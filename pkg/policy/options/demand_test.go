package options_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// TestK15DemandsBoundTheNextCheck checks what comes first: a demand of a rule before an interval, and a schedule,
// active hours, a pause that the site asks for and what keeps a page out of scope before a demand (K15).
func TestK15DemandsBoundTheNextCheck(t *testing.T) {
	now := at("2027-03-03 12:00Z")
	quarter := options.Demand{Every: 15 * time.Minute, Rule: "rule_a", Name: "Lamp"}
	interval := func(least, most string) api.Settings {
		return api.Settings{TagSettings: api.TagSettings{Interval: &api.Interval{Min: least, Max: most}}}
	}
	for _, tt := range []struct {
		name    string
		own     api.Settings
		demands []options.Demand
		check   options.Check
		least   time.Duration // until the next check
		most    time.Duration
		why     string
	}{
		{name: "no demand", least: 24 * time.Hour, most: 26 * time.Hour},
		{"a demand", api.Settings{}, []options.Demand{quarter}, options.Check{}, 15 * time.Minute, 15 * time.Minute,
			"at least every 15 minutes, for the rule Lamp"},
		{"an interval does not hold it back", interval("7d", "7d"), []options.Demand{quarter}, options.Check{},
			15 * time.Minute, 15 * time.Minute, "Lamp"},
		{"a demand makes no check rarer", interval("", "5m"), []options.Demand{quarter}, options.Check{}, 5 * time.Minute,
			5 * time.Minute, "set by the item"},
		{"a longer demand leaves the ladder", api.Settings{}, []options.Demand{{Every: 7 * 24 * time.Hour, Name: "Lamp"}},
			options.Check{Outcome: schedule.Changed}, 24 * time.Hour, 26 * time.Hour, "changed"},
		{"failures", api.Settings{}, []options.Demand{quarter}, options.Check{Outcome: schedule.Failed,
			State: schedule.State{Attempts: 20}}, time.Second, 15 * time.Minute, "failed"},
		{"out of scope", api.Settings{}, []options.Demand{quarter}, options.Check{Outcome: schedule.OutOfScope},
			24 * time.Hour, 26 * time.Hour, "out of scope"},
		{"the site asks for a pause", api.Settings{}, []options.Demand{quarter}, options.Check{RetryAfter: 3 * time.Hour},
			3 * time.Hour, 3 * time.Hour, "asked for a pause"},
		{"a schedule", api.Settings{TagSettings: api.TagSettings{Schedule: &api.Schedule{Text: "daily at 8pm"}}},
			[]options.Demand{quarter}, options.Check{}, 8 * time.Hour, 8*time.Hour + spread, "schedule"},
		{"active hours", api.Settings{TagSettings: api.TagSettings{
			ActiveHours: &api.ActiveHours{From: "18:00", To: "19:00"}}},
			[]options.Demand{quarter}, options.Check{}, 6 * time.Hour, 6*time.Hour + spread, "active hours"},
		{"muted for an hour", api.Settings{}, []options.Demand{{Every: 15 * time.Minute, Name: "Lamp",
			After: now.Add(time.Hour)}}, options.Check{}, 75 * time.Minute, 75 * time.Minute, "Lamp"},
		{"muted, beside a longer one", api.Settings{}, []options.Demand{{Every: 15 * time.Minute, Name: "Lamp",
			After: now.Add(3 * time.Hour)}, {Every: time.Hour, Name: "Price"}}, options.Check{}, time.Hour, time.Hour, "Price"},
	} {
		e := options.Merge(tt.own, nil)
		e.Demands = options.Demands(tt.demands, now)
		tt.check.At, tt.check.ID = now, "url_a"
		if tt.check.Outcome == "" {
			tt.check.Outcome = schedule.Unchanged
		}
		d := e.Next(schedule.Defaults(), tt.check)
		if wait := d.Next.Sub(now); wait < tt.least || wait > tt.most || !strings.Contains(d.Reason, tt.why) {
			t.Errorf("%s: in %v, because %q", tt.name, wait, d.Reason)
		}
		if tt.check.Outcome != schedule.Unchanged || tt.check.RetryAfter > 0 {
			continue
		}
		again, why := e.Replan(schedule.Defaults(), tt.check, d.Next, now)
		if wait := again.Sub(now); wait < tt.least || wait > tt.most || !strings.Contains(why, tt.why) {
			t.Errorf("%s, planned anew: in %v, because %q", tt.name, wait, why)
		}
	}
}

// TestK15FewDemandsAreKept checks that an item keeps the shortest demand that is in force, and those shorter ones that
// will be (K15).
func TestK15FewDemandsAreKept(t *testing.T) {
	now := at("2027-03-03 12:00Z")
	var all []options.Demand
	for i := range 100 {
		w := options.Demand{Every: time.Duration(100-i) * time.Minute, Name: "w"}
		if i > 50 {
			w.After = now.Add(time.Hour)
		}
		all = append(all, w)
	}
	all[3].After = now.Add(-time.Hour)
	got := options.Demands(all, now)
	last := got[len(got)-1]
	if len(got) > 5 || got[0].Every != time.Minute || last.Every != 50*time.Minute || !last.After.IsZero() {
		t.Errorf("%+v", got)
	}
}

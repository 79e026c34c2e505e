package schedule_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

const day = 24 * time.Hour

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func Example() {
	c := schedule.Defaults()
	var s schedule.State
	for range 4 {
		d := c.Next(s, schedule.Unchanged, 0, now, 0)
		fmt.Println(d.Next.Sub(now), d.Reason)
		s = d.State
	}
	// Output:
	// 24h0m0s unchanged on 1 of 3 checks before the interval of 1 day gets longer
	// 24h0m0s unchanged on 2 of 3 checks before the interval of 1 day gets longer
	// 72h0m0s unchanged on 3 checks: the interval is now 3 days
	// 72h0m0s unchanged on 1 of 3 checks before the interval of 3 days gets longer
}

var before = now.Add(-time.Hour)

type state = schedule.State

// nextRow is an expected decision of Next with the default settings.
type nextRow struct {
	state   state
	outcome schedule.Outcome
	after   time.Duration
	jitter  float64
	want    state
	wait    time.Duration
	gone    bool
}

// A12: intervals grow while a page does not change.
var ladderRows = map[string]nextRow{
	"A12 first content": {state{}, schedule.Changed, 0, 0, state{Interval: day}, day, false},
	"A12 unchanged stays": {state{Interval: day}, schedule.Unchanged, 0, 0, state{Interval: day,
		Unchanged: 1}, day, false},
	"A12 climbs to 3": {state{Interval: day, Unchanged: 2}, schedule.Unchanged, 0, 0,
		state{Interval: 3 * day}, 3 * day, false},
	"A12 climbs to 7": {state{Interval: 3 * day, Unchanged: 2}, schedule.Unchanged, 0, 0,
		state{Interval: 7 * day}, 7 * day, false},
	"A12 climbs to 14, before Max": {state{Interval: 7 * day, Unchanged: 2}, schedule.Unchanged, 0, 0,
		state{Interval: 14 * day}, 14*day - 14*day/20, false},
	"A12 stays at 14": {state{Interval: 14 * day, Unchanged: 3}, schedule.Unchanged, 0, 0,
		state{Interval: 14 * day, Unchanged: 3}, 14*day - 14*day/20, false},
	"A12 a change resets": {state{Interval: 14 * day, Unchanged: 3, Attempts: 2, Missing: 1},
		schedule.Changed, 0, 0, state{Interval: day}, day, false},
	"A12 settings changed, lands below": {state{Interval: 5 * day}, schedule.Unchanged, 0, 0, state{Interval: 3 * day,
		Unchanged: 1}, 3 * day, false},
	"A12 settings changed, count beyond": {state{Interval: day, Unchanged: 9}, schedule.Unchanged, 0, 0,
		state{Interval: 3 * day}, 3 * day, false},
	"A12 success ends failures": {state{Interval: 3 * day, Attempts: 4}, schedule.Unchanged, 0, 0,
		state{Interval: 3 * day, Unchanged: 1}, 3 * day, false},
	"H8 a return does not reset": {state{Interval: 7 * day, Unchanged: 1}, schedule.Reverted, 0, 0,
		state{Interval: 7 * day, Unchanged: 2}, 7 * day, false},
	"H8 a return after being missing": {state{Interval: 7 * day, Missing: 2}, schedule.Reverted, 0, 0,
		state{Interval: day}, day, false},
	"H9 a collapse is checked again soon": {state{Interval: 7 * day, Unchanged: 1, Attempts: 2, Missing: 1},
		schedule.Collapsed, 0, 0, state{Interval: 7 * day, Unchanged: 1}, 6 * time.Hour, false},
	"A12 spread is 5 %": {state{}, schedule.Changed, 0, 0.5, state{Interval: day}, day + day/40, false},
	"A12 spread at Max is before it": {state{Interval: 14 * day}, schedule.Unchanged, 0, 0.5, state{Interval: 14 * day,
		Unchanged: 1}, 14*day - 14*day/40, false},
}

// A13: failures back off.
var failureRows = map[string]nextRow{
	"A13 first failure, least": {state{Interval: 3 * day, Unchanged: 1}, schedule.Failed, 0, 0,
		state{Interval: 3 * day, Unchanged: 1, Attempts: 1}, 8 * time.Minute, false},
	"A13 first failure, middle": {state{}, schedule.Failed, 0, 0.5, state{Interval: day, Attempts: 1},
		10 * time.Minute, false},
	"A13 doubles": {state{Attempts: 3}, schedule.Failed, 0, 0.5, state{Interval: day, Attempts: 4},
		80 * time.Minute, false},
	"A13 is capped": {state{Attempts: 40}, schedule.Failed, 0, 0, state{Interval: day, Attempts: 41},
		14 * day, false},
	"A13 count is bounded": {state{Attempts: math.MaxInt}, schedule.Failed, 0, 0, state{Interval: day,
		Attempts: 1000}, 14 * day, false},
	"A13 Retry-After is kept": {state{}, schedule.Failed, 2 * time.Hour, 0.9, state{Interval: day, Attempts: 1},
		2 * time.Hour, false},
	"A13 Retry-After sooner": {state{}, schedule.Failed, time.Minute, 0, state{Interval: day, Attempts: 1},
		8 * time.Minute, false},
	"A13 Retry-After is capped": {state{}, schedule.Failed, 100 * day, 0, state{Interval: day, Attempts: 1},
		14 * day, false},
	"A13 Retry-After of a success": {state{}, schedule.Changed, 2 * day, 0, state{Interval: day}, 2 * day, false},
	"A13 Retry-After below zero":   {state{}, schedule.Changed, -time.Hour, 0, state{Interval: day}, day, false},
	"A13 a failure ends the missing": {state{Missing: 2}, schedule.Failed, 0, 0.5, state{Interval: day, Attempts: 1},
		10 * time.Minute, false},
	"A13 unknown outcomes are failed": {state{}, "surprise", 0, 0.5, state{Interval: day, Attempts: 1}, 10 * time.Minute,
		false},
	"A13 counts below zero begin at 1": {state{Attempts: -5}, schedule.Failed, 0, 0.5, state{Interval: day, Attempts: 1},
		10 * time.Minute, false},
}

// A14: missing pages are confirmed before they are gone.
var missingRows = map[string]nextRow{
	"A14 first 404": {state{Interval: 3 * day, Unchanged: 1, Attempts: 1}, schedule.Missing, 0, 0,
		state{Interval: 3 * day, Unchanged: 1, Attempts: 2, Missing: 1}, 6 * time.Hour, false},
	"A14 the wait doubles": {state{Interval: 3 * day, Attempts: 1, Missing: 1}, schedule.Missing, 0, 0.9,
		state{Interval: 3 * day, Attempts: 2, Missing: 2}, 12 * time.Hour, false},
	"A14 Mth 404 is gone": {state{Interval: 3 * day, Unchanged: 1, Missing: 2}, schedule.Missing, 0, 0,
		state{Interval: 14 * day, Attempts: 1, Missing: 3, GoneSince: now}, day, true},
	"A14 gone, checked soon": {state{Interval: 14 * day, Missing: 3, GoneSince: before}, schedule.Gone, 0, 0,
		state{Interval: 14 * day, Attempts: 1, Missing: 4, GoneSince: before}, day, true},
	"A14 gone for days": {state{Interval: 14 * day, Missing: 3, GoneSince: now.Add(-5 * day)}, schedule.Gone, 0,
		0.5, state{Interval: 14 * day, Attempts: 1, Missing: 4, GoneSince: now.Add(-5 * day)}, 5*day + 5*day/40, true},
	"A14 gone for long": {state{Interval: 14 * day, Missing: 3, GoneSince: now.Add(-99 * day)}, schedule.Gone, 0, 0,
		state{Interval: 14 * day, Attempts: 1, Missing: 4, GoneSince: now.Add(-99 * day)}, 14*day - 14*day/20, true},
	"A14 gone for long, fails": {state{Interval: 14 * day, Missing: 3, GoneSince: now.Add(-99 * day)}, schedule.Failed, 0,
		0, state{Interval: 14 * day, Missing: 3, Attempts: 1, GoneSince: now.Add(-99 * day)}, 14*day - 14*day/20, true},
	"A14 gone by decision": {state{}, schedule.Gone, 0, 0, state{Interval: 14 * day, Attempts: 1, Missing: 3,
		GoneSince: now}, day, true},
	"A14 gone and failing": {state{Interval: 14 * day, Missing: 3, GoneSince: before}, schedule.Failed, 0, 0,
		state{Interval: 14 * day, Missing: 3, Attempts: 1, GoneSince: before}, day, true},
	"A14 back with the old": {state{Interval: 14 * day, Missing: 3, GoneSince: before}, schedule.Unchanged, 0, 0,
		state{Interval: day}, day, false},
	"A14 back with the new": {state{Interval: 14 * day, Missing: 3, GoneSince: before}, schedule.Changed, 0, 0,
		state{Interval: day}, day, false},

	"A14 guarded, first": {state{Missing: 2}, schedule.Guarded, 0, 0, state{Interval: day, Attempts: 1, Missing: 3,
		GuardedSince: now}, day, false},
	"A14 guarded, asked early": {state{Missing: 3, GuardedSince: before}, schedule.Guarded, 0, 0, state{Interval: day,
		Attempts: 1, Missing: 4, GuardedSince: before}, day - time.Hour, false},
	"A14 guarded, late": {state{Missing: 3, GuardedSince: before.Add(-day)}, schedule.Guarded, 0, 0,
		state{Interval: day, Attempts: 1, Missing: 4, GuardedSince: before.Add(-day)}, 10 * time.Minute, false},
	"A14 guarded, then gone": {state{Missing: 3, GuardedSince: before}, schedule.Gone, 0, 0, state{Interval: 14 * day,
		Attempts: 1, Missing: 4, GoneSince: now}, day, true},
	"A14 guarded, then back": {state{Missing: 3, GuardedSince: before}, schedule.Unchanged, 0, 0, state{Interval: day},
		day, false},
	"A14 guarded, then failing": {state{Missing: 3, GuardedSince: before}, schedule.Failed, 0, 0.5, state{Interval: day,
		Attempts: 1}, 10 * time.Minute, false},

	"A14 back after one 404": {state{Interval: 7 * day, Unchanged: 2, Missing: 1}, schedule.Unchanged, 0, 0,
		state{Interval: day}, day, false},
}

// Outcomes out of scope, and jitter out of its bounds.
var otherRows = map[string]nextRow{
	"A11 out of scope": {state{Interval: day, Attempts: 1, Missing: 1}, schedule.OutOfScope, 0, 0,
		state{Interval: day, Unchanged: 1}, day, false},
	"A11 out of scope climbs": {state{Interval: day, Unchanged: 2}, schedule.OutOfScope, 0, 0, state{Interval: 3 * day},
		3 * day, false},

	"jitter below zero is 0": {state{}, schedule.Changed, 0, -1, state{Interval: day}, day, false},
	"jitter is no number":    {state{}, schedule.Changed, 0, math.NaN(), state{Interval: day}, day, false},
	"jitter above one": {state{}, schedule.Changed, 0, 7, state{Interval: day},
		day + time.Duration(0.999*float64(day/20)), false},
}

func TestNext(t *testing.T) {
	for _, rows := range []map[string]nextRow{ladderRows, failureRows, missingRows, otherRows} {
		for name, row := range rows {
			t.Run(name, func(t *testing.T) { row.check(t) })
		}
	}
}

func (row nextRow) check(t *testing.T) {
	t.Helper()
	d := schedule.Defaults().Next(row.state, row.outcome, row.after, now, row.jitter)
	if diff := cmp.Diff(row.want, d.State); diff != "" {
		t.Errorf("state (-want +have):\n%s", diff)
	}
	if wait := d.Next.Sub(now); wait != row.wait {
		t.Errorf("wait: have %v, want %v", wait, row.wait)
	}
	if d.Gone != row.gone {
		t.Errorf("gone: have %v, want %v", d.Gone, row.gone)
	}
	if asked := strings.Contains(d.Reason, "the site asked"); d.Reason == "" || asked != (row.after >= 2*time.Hour) {
		t.Errorf("reason does not tell what happened: %q", d.Reason)
	}
}

func TestOtherSettings(t *testing.T) {
	for name, row := range map[string]struct {
		change  func(*schedule.Config)
		state   state
		outcome schedule.Outcome
		want    state
		wait    time.Duration
		gone    bool
	}{
		"Max cuts the ladder": {func(c *schedule.Config) { c.Max = 2 * day }, state{Unchanged: 2},
			schedule.Unchanged, state{Interval: 2 * day}, 2*day - 2*day/20, false},
		"cut ladder has a top": {func(c *schedule.Config) { c.Max = 2 * day }, state{Interval: 2 * day, Unchanged: 2},
			schedule.Unchanged, state{Interval: 2 * day, Unchanged: 3}, 2*day - 2*day/20, false},
		"Base = Max has one step": {func(c *schedule.Config) { c.Max = day }, state{Unchanged: 2}, schedule.Unchanged,
			state{Interval: day, Unchanged: 3}, day, false},
		"N of 1 climbs at once": {func(c *schedule.Config) { c.UnchangedSteps = 1 }, state{}, schedule.Unchanged,
			state{Interval: 3 * day}, 3 * day, false},
		"M of 1 believes at once": {func(c *schedule.Config) { c.GoneAfter = 1 }, state{}, schedule.Missing,
			state{Interval: 14 * day, Attempts: 1, Missing: 1, GoneSince: now}, day, true},
		"confirmed after ErrorBase": {func(c *schedule.Config) { c.Base = time.Hour; c.ErrorBase = 30 * time.Minute },
			state{}, schedule.Missing, state{Interval: time.Hour, Attempts: 1, Missing: 1}, 30 * time.Minute, false},
		"confirmed no later than Base": {func(c *schedule.Config) { c.Base = time.Minute }, state{}, schedule.Missing,
			state{Interval: time.Minute, Attempts: 1, Missing: 1}, time.Minute, false},
		"zero settings still work": {func(c *schedule.Config) { *c = schedule.Config{} }, state{}, schedule.Missing,
			state{Interval: time.Second, Attempts: 1, Missing: 1, GoneSince: now}, time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := schedule.Defaults()
			row.change(&c)
			d := c.Next(row.state, row.outcome, 0, now, 0)
			if diff := cmp.Diff(row.want, d.State); diff != "" {
				t.Errorf("state (-want +have):\n%s", diff)
			}
			if wait := d.Next.Sub(now); wait != row.wait || d.Gone != row.gone {
				t.Errorf("have %v, gone %v; want %v, gone %v", wait, d.Gone, row.wait, row.gone)
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	want := schedule.Config{Base: 86400 * time.Second, Max: 1209600 * time.Second, ErrorBase: 600 * time.Second,
		UnchangedSteps: 3, GoneAfter: 3, GoneShare: 0.2, FullEvery: 20, FullAfter: 720 * time.Hour}
	if have := schedule.Defaults(); have != want {
		t.Errorf("A25: have %+v, want %+v", have, want)
	}
	if err := schedule.Defaults().Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidate(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*schedule.Config)
		field  string
	}{
		"no base":            {func(c *schedule.Config) { c.Base = 0 }, "CRAWL_BASE_INTERVAL_SECONDS"},
		"base above max":     {func(c *schedule.Config) { c.Base = c.Max + time.Second }, "CRAWL_BASE_INTERVAL_SECONDS"},
		"no max":             {func(c *schedule.Config) { c.Max = 0 }, "CRAWL_MAX_INTERVAL_SECONDS"},
		"max of centuries":   {func(c *schedule.Config) { c.Max = math.MaxInt64 }, "CRAWL_MAX_INTERVAL_SECONDS"},
		"no error base":      {func(c *schedule.Config) { c.ErrorBase = -time.Second }, "CRAWL_ERROR_BACKOFF_BASE"},
		"error base too big": {func(c *schedule.Config) { c.ErrorBase = c.Max + 1 }, "CRAWL_ERROR_BACKOFF_BASE"},
		"no steps":           {func(c *schedule.Config) { c.UnchangedSteps = 0 }, "CRAWL_UNCHANGED_STEPS"},
		"steps too many":     {func(c *schedule.Config) { c.UnchangedSteps = 1001 }, "CRAWL_UNCHANGED_STEPS"},
		"never gone":         {func(c *schedule.Config) { c.GoneAfter = 0 }, "CRAWL_GONE_AFTER"},
		"share below zero":   {func(c *schedule.Config) { c.GoneShare = -0.1 }, "CRAWL_GONE_SHARE"},
		"share above all":    {func(c *schedule.Config) { c.GoneShare = 1.1 }, "CRAWL_GONE_SHARE"},
		"share is no number": {func(c *schedule.Config) { c.GoneShare = math.NaN() }, "CRAWL_GONE_SHARE"},
		"purged before gone": {func(c *schedule.Config) { c.PurgeGone = -time.Second }, "CRAWL_PURGE_GONE_DAYS"},
		"purge overflows":    {func(c *schedule.Config) { c.PurgeGone = math.MaxInt64 }, "CRAWL_PURGE_GONE_DAYS"},
	} {
		t.Run(name, func(t *testing.T) {
			c := schedule.Defaults()
			row.change(&c)
			err := c.Validate()
			if !fault.Is(err, fault.Invalid) || fault.FieldOf(err) != row.field || !strings.Contains(err.Error(), row.field) {
				t.Errorf("have %v of field %q, want Invalid of %s", err, fault.FieldOf(err), row.field)
			}
		})
	}
}

var outcomes = []schedule.Outcome{
	schedule.Changed, schedule.Unchanged, schedule.Failed, schedule.Missing, schedule.Guarded, schedule.Gone,
	schedule.OutOfScope, schedule.Reverted, schedule.Collapsed, "",
}

func anyDuration() *rapid.Generator[time.Duration] {
	return rapid.Custom(func(t *rapid.T) time.Duration {
		seconds := rapid.Int64Range(-10, 40*86400).Draw(t, "seconds")
		if rapid.IntRange(0, 9).Draw(t, "extreme") == 0 {
			return time.Duration(rapid.Int64().Draw(t, "any"))
		}
		return time.Duration(seconds) * time.Second
	})
}

func anyConfig() *rapid.Generator[schedule.Config] {
	return rapid.Custom(func(t *rapid.T) schedule.Config {
		if rapid.Bool().Draw(t, "defaults") {
			return schedule.Defaults()
		}
		return schedule.Config{
			Base: anyDuration().Draw(t, "base"), Max: anyDuration().Draw(t, "max"), ErrorBase: anyDuration().Draw(t,
				"errorBase"),
			UnchangedSteps: rapid.IntRange(-1, 1200).Draw(t, "n"), GoneAfter: rapid.IntRange(-1, 1200).Draw(t, "m"),
			GoneShare: rapid.Float64().Draw(t, "share"), PurgeGone: anyDuration().Draw(t, "purge"),
		}
	})
}

func anyTime() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		if rapid.Bool().Draw(t, "none") {
			return time.Time{}
		}
		return now.Add(anyDuration().Draw(t, "before"))
	})
}

func anyState() *rapid.Generator[schedule.State] {
	return rapid.Custom(func(t *rapid.T) schedule.State {
		return schedule.State{
			Interval:     anyDuration().Draw(t, "interval"),
			Unchanged:    rapid.IntRange(-1, 5).Draw(t, "unchanged"),
			Attempts:     rapid.OneOf(rapid.IntRange(-1, 30), rapid.Int()).Draw(t, "attempts"),
			Missing:      rapid.OneOf(rapid.IntRange(-1, 5), rapid.Int()).Draw(t, "missing"),
			GuardedSince: anyTime().Draw(t, "held"),
			GoneSince:    anyTime().Draw(t, "gone"),
		}
	})
}

func TestBoundsHoldForAnySettings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, s := anyConfig().Draw(t, "config"), anyState().Draw(t, "state")
		o := rapid.SampledFrom(outcomes).Draw(t, "outcome")
		after := anyDuration().Draw(t, "retryAfter")
		jitter := rapid.Float64().Draw(t, "jitter")
		d := c.Next(s, o, after, now, jitter)
		most := min(max(c.Max, time.Second), 10*366*day)
		wait := d.Next.Sub(now)
		if wait < time.Second || wait > max(most, min(after, day)) || wait < min(after, max(most, day)) {
			t.Fatalf("waits %v of at most %v, asked for %v", wait, most, after)
		}
		if d.State.Interval < time.Second || d.State.Interval > most {
			t.Fatalf("interval %v of at most %v", d.State.Interval, most)
		}
		if d.State.Attempts < 0 || d.State.Attempts > 1000 || d.State.Missing < 0 || d.State.Missing > 1000 {
			t.Fatalf("counts out of bounds: %+v", d.State)
		}
		if again := c.Next(s, o, after, now, jitter); again != d {
			t.Fatalf("not the same again: %+v and %+v", d, again)
		}
	})
}

func TestChangeForgetsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, jitter := anyConfig().Draw(t, "config"), rapid.Float64Range(0, 1).Draw(t, "jitter")
		have := c.Next(anyState().Draw(t, "state"), schedule.Changed, 0, now, jitter)
		if want := c.Next(schedule.State{}, schedule.Changed, 0, now, jitter); have != want {
			t.Fatalf("have %+v, want %+v", have, want)
		}
	})
}

func TestBackoffNeverShrinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, s := anyConfig().Draw(t, "config"), schedule.State{}
		var last time.Duration
		for range rapid.IntRange(2, 40).Draw(t, "failures") {
			// Even the worst jitter keeps the order of the waits: 1.2 × 1 < 0.8 × 2.
			d := c.Next(s, schedule.Failed, 0, now, rapid.Float64Range(0, 1).Draw(t, "jitter"))
			if wait := d.Next.Sub(now); wait < last {
				t.Fatalf("%v after %v at attempt %d", wait, last, d.State.Attempts)
			} else {
				last = wait
			}
			s = d.State
		}
	})
}

func TestLadderIsClimbedInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := schedule.Defaults()
		c.UnchangedSteps = rapid.IntRange(1, 5).Draw(t, "n")
		var s schedule.State
		for i := range 5 * c.UnchangedSteps {
			d := c.Next(s, schedule.Unchanged, 0, now, rapid.Float64Range(0, 1).Draw(t, "jitter"))
			s = d.State
			want := day * []time.Duration{1, 3, 7, 14, 14, 14}[(i+1)/c.UnchangedSteps]
			if s.Interval != want {
				t.Fatalf("after %d checks: have %v, want %v", i+1, s.Interval, want)
			}
			if wait := d.Next.Sub(now); wait < want-want/20 || wait > want+want/20 || wait < day {
				t.Fatalf("%v is not near %v", wait, want)
			}
		}
	})
}

func TestGoneExactlyAfterM(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := schedule.Defaults()
		c.GoneAfter = rapid.IntRange(1, 6).Draw(t, "m")
		var s schedule.State
		row := 0
		for _, o := range rapid.SliceOfN(rapid.SampledFrom([]schedule.Outcome{schedule.Missing, schedule.Missing,
			schedule.Missing, schedule.Changed, schedule.Unchanged, schedule.OutOfScope}), 1, 30).Draw(t, "outcomes") {
			if row++; o != schedule.Missing {
				row = 0
			}
			d := c.Next(s, o, 0, now, 0)
			if d.Gone != (row >= c.GoneAfter) {
				t.Fatalf("gone is %v after %d of %d", d.Gone, row, c.GoneAfter)
			}
			s = d.State
		}
	})
}

// TestS13ReasonsArePlain checks that reasons are sentences for people: units as words, nouns in the right number
// (S13).
func TestS13ReasonsArePlain(t *testing.T) {
	c := schedule.Defaults()
	for _, row := range []struct {
		state   schedule.State
		outcome schedule.Outcome
		want    string
	}{
		{schedule.State{Interval: day}, schedule.Unchanged,
			"unchanged on 1 of 3 checks before the interval of 1 day gets longer"},
		{schedule.State{Interval: 14 * day, Unchanged: 2}, schedule.Unchanged,
			"unchanged: the interval stays at its longest, 14 days"},
		{schedule.State{Interval: 14 * day}, schedule.Unchanged,
			"unchanged: the interval stays at its longest, 14 days"},
		{schedule.State{Interval: day}, schedule.Failed, "failed 1 time"},
		{schedule.State{Interval: day, Attempts: 1}, schedule.Failed, "failed 2 times"},
		{schedule.State{Interval: day}, schedule.Missing, "missing on 1 of 3 checks before it counts as gone"},
		{schedule.State{Interval: day, Missing: 2}, schedule.Missing, "missing on 3 checks: gone"},
	} {
		if have := c.Next(row.state, row.outcome, 0, now, 0).Reason; have != row.want {
			t.Errorf("%s: %q, want %q", row.outcome, have, row.want)
		}
	}
}

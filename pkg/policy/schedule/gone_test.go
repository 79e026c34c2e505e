package schedule_test

import (
	"math"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

func TestA14Guard(t *testing.T) {
	for name, row := range map[string]struct {
		share  float64
		losses schedule.Losses
		room   int
	}{
		"a few prove nothing":       {0.2, schedule.Losses{Items: 1}, 3},
		"a few, used up":            {0.2, schedule.Losses{Items: 4, Gone: 3}, 0},
		"a fifth":                   {0.2, schedule.Losses{Items: 100}, 20},
		"a fifth, rounded down":     {0.2, schedule.Losses{Items: 24}, 4},
		"a fifth, partly used":      {0.2, schedule.Losses{Items: 100, Gone: 15}, 5},
		"more than there was room":  {0.2, schedule.Losses{Items: 100, Gone: 30}, -10},
		"no share leaves the few":   {0, schedule.Losses{Items: 1000}, 3},
		"everything":                {1, schedule.Losses{Items: 1000, Gone: 999}, 1},
		"a share that is no number": {math.NaN(), schedule.Losses{Items: 1000}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			c := schedule.Defaults()
			c.GoneShare = row.share
			if have := c.Room(row.losses); have != row.room {
				t.Errorf("room for %d, want %d", have, row.room)
			}
		})
	}
}

func TestA14Miss(t *testing.T) {
	for name, row := range map[string]struct {
		state state
		room  int
		want  schedule.Outcome
	}{
		"first":          {state{}, 1, schedule.Missing},
		"second":         {state{Missing: 1}, 1, schedule.Missing},
		"third":          {state{Missing: 2}, 1, schedule.Gone},
		"third, no room": {state{Missing: 2}, 0, schedule.Guarded},
		"guarded, asked early": {state{Missing: 3, GuardedSince: now.Add(-day + time.Second)}, 0,
			schedule.Guarded},
		"guarded, room again":            {state{Missing: 3, GuardedSince: now.Add(-time.Hour)}, 1, schedule.Gone},
		"second check":                   {state{Missing: 3, GuardedSince: now.Add(-day)}, -5, schedule.Gone},
		"second check, but counted anew": {state{Missing: 0, GuardedSince: now.Add(-day)}, 0, schedule.Missing},
		"gone before needs no room":      {state{Missing: 3, GoneSince: before}, 0, schedule.Gone},
		"gone before needs no new count": {state{GoneSince: before}, 0, schedule.Gone},
	} {
		t.Run(name, func(t *testing.T) {
			if have := schedule.Defaults().Miss(row.state, row.room, now); have != row.want {
				t.Errorf("have %s, want %s", have, row.want)
			}
		})
	}
}

func TestA14Purge(t *testing.T) {
	c := schedule.Defaults()
	gone := schedule.State{Missing: 3, GoneSince: now.Add(-29 * day)}
	if c.Expired(gone, now.Add(1000*day)) {
		t.Error("purged although that is off")
	}
	c.PurgeGone = 30 * day
	for _, row := range []struct {
		at   time.Duration
		want bool
	}{{day - 1, false}, {day, true}, {2 * day, true}} {
		if have := c.Expired(gone, now.Add(row.at)); have != row.want {
			t.Errorf("after %v more: expired is %v", row.at, have)
		}
	}
	if c.Expired(schedule.State{Missing: 9}, now) {
		t.Error("what is not gone is purged")
	}
	for _, o := range []schedule.Outcome{schedule.Gone, schedule.Missing, schedule.Failed} {
		if wait := c.Next(gone, o, 0, now, 0).Next.Sub(now); wait != day {
			t.Errorf("%s: comes again after %v, want the day that is left", o, wait)
		}
	}
	gone.GoneSince = now.Add(-365 * day)
	if wait := c.Next(gone, schedule.Gone, 0, now, 0).Next.Sub(now); wait != time.Second {
		t.Errorf("overdue: comes again after %v", wait)
	}
	gone.GoneSince = now.Add(-10 * day)
	if wait := c.Next(gone, schedule.Gone, 0, now, 0).Next.Sub(now); wait != 10*day {
		t.Errorf("long before: comes again after %v, want the rare check", wait)
	}
}

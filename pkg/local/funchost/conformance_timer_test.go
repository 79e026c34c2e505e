package funchost

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func (c call) pastDue(t *testing.T) bool {
	t.Helper()
	var info timerInfo
	if err := json.Unmarshal(c.envelope(t).Data["timer"], &info); err != nil {
		t.Fatal(err)
	}
	return info.IsPastDue
}

func TestConformanceTimer(t *testing.T) {
	t.Parallel()
	const yearly = "0 0 0 1 1 *"
	t.Run("schedule from a setting is not loaded and leaves the others running", func(t *testing.T) {
		r := started(t, timerApp("%SWEEP_CRON%", "").with(files{"Q/function.json": queueJSON}))
		errs := r.host.LoadErrors()
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), "no settings") ||
			!strings.Contains(errs[0].Error(), "T/function.json") {
			t.Errorf("have %v", errs)
		}
		r.send("jobs", "x")
		r.waitCalls(t, 1)
	})
	t.Run("not at the start", func(t *testing.T) {
		r := started(t, timerApp(yearly, ""))
		r.stop()
		if _, calls, _ := r.snapshot(); len(calls) != 0 {
			t.Errorf("%d calls, want none", len(calls))
		}
	})
	t.Run("an occurrence missed while down is made up for once", func(t *testing.T) {
		state := t.TempDir()
		now := time.Now()
		missed := timerStatus{Schedule: yearly, Last: now.Add(-2 * time.Hour), Next: now.Add(-time.Hour),
			LastUpdated: now.Add(-2 * time.Hour)}
		if err := statusFolder(state).save("T", missed); err != nil {
			t.Fatal(err)
		}
		dir := with(func(o *Options) { o.StateDir = state })
		r := started(t, timerApp(yearly, ""), dir)
		if !r.waitCalls(t, 1)[0].pastDue(t) {
			t.Error("not past due")
		}
		eventually(t, "the next occurrence is saved", func() bool {
			s, ok, err := statusFolder(state).load("T")
			return ok && err == nil && s.Next.After(now)
		})
		r.stop()
		again := started(t, timerApp(yearly, ""), dir)
		again.stop()
		if _, calls, _ := again.snapshot(); len(calls) != 0 {
			t.Errorf("%d calls after a second start, want none", len(calls))
		}
	})
	t.Run("failure neither stops nor repeats, runs do not overlap", func(t *testing.T) {
		eachSecond := func(r *rig, _ *Options) {
			r.loaded = func(h *Host) {
				var err error
				if h.functions[0].schedule, err = parseSchedule("* * * * * *"); err != nil {
					t.Fatal(err)
				}
			}
		}
		r := started(t, timerApp(yearly, ""), eachSecond, withCall(func(int, call) reply {
			return reply{Status: 500, Sleep: 1200 * time.Millisecond}
		}))
		calls := r.waitCalls(t, 3)
		for i := range calls[1:] {
			if gap := calls[i+1].At.Sub(calls[i].At); gap < 1200*time.Millisecond {
				t.Errorf("run %d began %v after the one before, which takes 1.2 s", i+2, gap)
			}
		}
	})
}

func TestTimerBegin(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 10, 2, 0, 0, time.UTC)
	const every5 = "0 */5 * * * *"
	rows := []struct {
		name   string
		saved  *timerStatus
		missed bool
		next   time.Time
	}{
		{"never seen waits for its first occurrence", nil, false, now.Add(3 * time.Minute)},
		{"on time", &timerStatus{Schedule: every5, Next: now.Add(3 * time.Minute)}, false, now.Add(3 * time.Minute)},
		{"past due", &timerStatus{Schedule: every5, Next: now.Add(-7 * time.Minute)}, true, now.Add(-7 * time.Minute)},
		{"changed schedule is not past due", &timerStatus{Schedule: "0 0 * * * *", Next: now.Add(-7 * time.Minute)},
			false, now.Add(3 * time.Minute)},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s, err := parseSchedule(every5)
			if err != nil {
				t.Fatal(err)
			}
			loop := &timerLoop{f: &function{name: "T", schedule: s}, store: statusFolder(t.TempDir())}
			if row.saved != nil {
				loop.store.save("T", *row.saved)
			}
			if missed := loop.begin(now); missed != row.missed || !loop.status.Next.Equal(row.next) {
				t.Errorf("have %v %v, want %v %v", missed, loop.status.Next, row.missed, row.next)
			}
			if saved, ok, _ := loop.store.load("T"); !ok || !saved.Next.Equal(row.next) {
				t.Errorf("saved %+v", saved)
			}
		})
	}
}

package funchost

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// maxNap bounds one sleep, so that a timer fires soon after its time even if the machine was suspended or its clock
// was set.
const maxNap = 10 * time.Second

// A timerLoop fires one function. Runs never overlap, a failure neither stops the schedule nor is retried, and
// occurrences during a run are skipped.
type timerLoop struct {
	invoker *invoker
	tasks   *tasks
	f       *function
	store   statusFolder // keeps the status, so that an occurrence missed while the host was down runs later
	log     *slog.Logger
	status  timerStatus
}

func newTimerLoop(o Options, i *invoker, t *tasks, f *function) *timerLoop {
	return &timerLoop{invoker: i, tasks: t, f: f, store: statusFolder(o.StateDir), log: o.Log.With("function", f.name)}
}

// listen fires the timer until ctx ends.
func (t *timerLoop) listen(ctx context.Context) {
	if t.begin(time.Now()) {
		t.fire(true)
	}
	for t.sleepUntil(ctx, t.status.Next) {
		t.fire(false)
	}
}

// begin finds out when the timer is next due and whether an occurrence was missed. A new timer, or one with a changed
// schedule, has missed nothing.
func (t *timerLoop) begin(now time.Time) (missed bool) {
	fresh := timerStatus{Schedule: t.f.schedule.text, Next: t.f.schedule.next(now)}
	t.status = fresh
	saved, ok, err := t.store.load(t.f.name)
	if err != nil {
		t.log.Warn("timer status not read", "err", err)
	}
	if ok && saved.Schedule == t.f.schedule.text {
		t.status = saved
		return now.After(saved.Next)
	}
	// The status is written before the first run, so that even a missed first run is made up for.
	fresh.LastUpdated = now
	t.save(fresh)
	return false
}

// fire runs the function and records when it is due again.
func (t *timerLoop) fire(missed bool) {
	begin := time.Now()
	done := make(chan struct{})
	e := timerEnvelope(t.f, t.status, missed, begin)
	t.tasks.run(func(ctx context.Context) {
		defer close(done)
		// invoke logs the outcome, which changes nothing here.
		t.invoker.invoke(ctx, t.f, e)
	})
	<-done
	t.status = timerStatus{
		Schedule: t.f.schedule.text, Last: begin, LastUpdated: begin,
		Next: t.f.schedule.next(time.Now()),
	}
	t.save(t.status)
}

func (t *timerLoop) save(s timerStatus) {
	if err := t.store.save(t.f.name, s); err != nil {
		t.log.Warn("timer status not written", "err", err)
	}
}

// sleepUntil waits until a time, and returns false if ctx ends first.
func (t *timerLoop) sleepUntil(ctx context.Context, at time.Time) bool {
	for {
		left := at.Sub(time.Now())
		if left <= 0 {
			return ctx.Err() == nil
		}
		if defaults.Pause(ctx, min(left, maxNap)) != nil {
			return false
		}
	}
}

// timerInfo is the description of a timer's run that the handler receives.
type timerInfo struct {
	Schedule       struct{ AdjustForDST bool }
	ScheduleStatus scheduleStatus
	IsPastDue      bool
}

type scheduleStatus struct{ Last, Next, LastUpdated string }

// isoTicks is the format of a date with the fraction that .NET keeps.
const isoTicks = "2006-01-02T15:04:05.9999999-07:00"

// timerEnvelope encodes one run.
func timerEnvelope(f *function, s timerStatus, missed bool, now time.Time) envelope {
	last := s.Last.UTC().Format(isoTicks)
	info := timerInfo{
		ScheduleStatus: scheduleStatus{Last: last, Next: s.Next.UTC().Format(isoTicks), LastUpdated: last}, IsPastDue: missed,
	}
	info.Schedule.AdjustForDST = true
	return envelope{Data: map[string]any{f.trigger.Name: info}, Metadata: withSys(map[string]any{}, f.name, now)}
}

// timerStatus is the state of a timer that survives a restart of the host.
type timerStatus struct {
	Schedule    string // the expression that Next was computed from
	Last        time.Time
	Next        time.Time
	LastUpdated time.Time
}

// statusFolder keeps one JSON file per timer, as the real host keeps one blob; "" keeps nothing.
type statusFolder string

func (f statusFolder) path(function string) string {
	return filepath.Join(string(f), "Host.Functions."+function+".json")
}

// load treats a file that cannot be parsed as missing, because a damaged file must not stop its timer.
func (f statusFolder) load(function string) (s timerStatus, ok bool, err error) {
	if f == "" {
		return s, false, nil
	}
	data, err := os.ReadFile(f.path(function))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return timerStatus{}, false, fault.New(fault.Invalid, "timer status of %s: %w", function, err)
	}
	return s, true, nil
}

// save replaces the file in one step, so that after a kill the file has the old or the new status.
func (f statusFolder) save(function string, s timerStatus) error {
	if f == "" {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(f), 0o755); err != nil {
		return err
	}
	temp := f.path(function) + ".new"
	if err := os.WriteFile(temp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(temp, f.path(function))
}

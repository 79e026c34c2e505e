package funchost

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// timerSpec is what a timerTrigger says.
type timerSpec struct {
	schedule  schedule
	onStartup bool
	monitor   bool // keep a status, so that an occurrence missed while down is made up for
}

// maxNap bounds one sleep, so that a machine that was suspended, or whose clock was set, fires soon
// after it should have.
const maxNap = 10 * time.Second

// timerLoop fires one function. Runs never overlap, failures neither stop the schedule nor are
// repeated, and occurrences that pass during a run are skipped.
type timerLoop struct {
	host   *Host
	f      *function
	spec   timerSpec
	store  statusStore
	log    *slog.Logger
	loop   sync.Mutex // held by the one loop that runs
	status timerStatus
}

func newTimerLoop(h *Host, f *function) *timerLoop {
	t := &timerLoop{host: h, f: f, spec: f.timer, log: h.log.With("function", f.name), store: h.statuses}
	t.spec.monitor = t.spec.monitor && !t.spec.schedule.frequent(h.opt.Now())
	return t
}

// listen fires the timer until ctx ends.
func (t *timerLoop) listen(ctx context.Context) {
	t.loop.Lock()
	defer t.loop.Unlock()
	if ctx.Err() != nil {
		return
	}
	missed := t.begin(t.host.opt.Now())
	if missed || t.spec.onStartup {
		t.fire(missed)
	}
	for t.sleepUntil(ctx, t.status.Next) {
		t.fire(false)
	}
}

// begin finds out when the timer is next due and whether an occurrence was missed. A timer never
// seen before, or whose schedule was changed, has missed nothing.
func (t *timerLoop) begin(now time.Time) (missed bool) {
	fresh := timerStatus{Schedule: t.spec.schedule.text, Next: t.spec.schedule.next(now)}
	t.status = fresh
	if !t.spec.monitor {
		return false
	}
	saved, ok, err := t.store.load(t.f.name)
	if err != nil {
		t.log.Warn("timer status not read", "err", err)
	}
	if ok && saved.Schedule == t.spec.schedule.text {
		t.status = saved
		return now.After(saved.Next)
	}
	// Written before the first run, so that even that one cannot be missed unnoticed.
	fresh.LastUpdated = now
	t.save(fresh)
	return false
}

// fire runs the function and notes when it is due again.
func (t *timerLoop) fire(missed bool) {
	begin := t.host.opt.Now()
	done := make(chan struct{})
	e := timerEnvelope(t.f, t.spec, t.status, missed, begin)
	t.host.work(func(ctx context.Context) {
		defer close(done)
		// The outcome is logged by invoke and changes nothing here.
		t.host.invoke(ctx, t.f, e)
	})
	<-done
	t.status = timerStatus{
		Schedule: t.spec.schedule.text, Last: begin, LastUpdated: begin,
		Next: t.spec.schedule.next(t.host.opt.Now()),
	}
	if t.spec.monitor {
		t.save(t.status)
	}
}

func (t *timerLoop) save(s timerStatus) {
	if err := t.store.save(t.f.name, s); err != nil {
		t.log.Warn("timer status not written", "err", err)
	}
}

// sleepUntil reports whether the time came before ctx ended.
func (t *timerLoop) sleepUntil(ctx context.Context, at time.Time) bool {
	for {
		left := at.Sub(t.host.opt.Now())
		if left <= 0 {
			return ctx.Err() == nil
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(min(left, maxNap)):
		}
	}
}

// timerInfo is what the handler receives.
type timerInfo struct {
	Schedule       struct{ AdjustForDST bool }
	ScheduleStatus *scheduleStatus
	IsPastDue      bool
}

type scheduleStatus struct{ Last, Next, LastUpdated string }

// isoTicks is a date with the fraction that .NET keeps.
const isoTicks = "2006-01-02T15:04:05.9999999-07:00"

// timerEnvelope encodes one run. A timer without monitor has no ScheduleStatus.
func timerEnvelope(f *function, spec timerSpec, s timerStatus, missed bool, now time.Time) envelope {
	info := timerInfo{IsPastDue: missed}
	info.Schedule.AdjustForDST = spec.schedule.cron != nil
	if spec.monitor {
		last := s.Last.UTC().Format(isoTicks)
		info.ScheduleStatus = &scheduleStatus{Last: last, Next: s.Next.UTC().Format(isoTicks), LastUpdated: last}
	}
	return envelope{Data: map[string]any{f.trigger.name: info}, Metadata: newBindingData().wire(f.name, now)}
}

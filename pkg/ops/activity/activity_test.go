package activity_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// rig is a store to which several processes write, with one clock.
type rig struct {
	t      *testing.T
	now    time.Time
	store  storage.Store
	fail   func(storagetest.Call) (before, after error)
	writes int
}

// process is one instance of the app.
type process struct {
	*activity.Log
	m *telemetry.Metrics
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		fail: func(storagetest.Call) (_, _ error) { return }}
	r.store = storagetest.Hooked(mem.New(func() time.Time { return r.now }), storagetest.Hooks{
		OnBefore: func(_ context.Context, c storagetest.Call) error {
			if c.Op == "table.Transact" {
				r.writes++
			}
			before, _ := r.fail(c)
			return before
		},
		OnAfter: func(_ context.Context, c storagetest.Call, err error) error {
			_, after := r.fail(c)
			return errors.Join(err, after)
		},
	})
	return r
}

func (r *rig) process(name string) *process {
	m := telemetry.New()
	p := &process{activity.New(r.store, m, activity.Options{Clock: func() time.Time { return r.now }, Process: name}), m}
	must(r.t, p.Create(r.t.Context()))
	return p
}

// work does n checks: the first finds a change and the second fails.
func (p *process) work(n int) {
	for i := range n {
		switch i {
		case 0:
			p.m.Checks.Add(1, "changed")
			p.m.Changes.Add(1)
			p.m.Bytes.Add(1000)
			p.m.IndexPages.Add(1, "put")
		case 1:
			p.m.Checks.Add(1, "failed")
		default:
			p.m.Checks.Add(1, "unchanged")
		}
	}
}

func (r *rig) pass(d time.Duration) { r.now = r.now.Add(d) }

func (r *rig) report(hours int) activity.Report {
	r.t.Helper()
	got, err := r.process("reader").Read(r.t.Context(), hours)
	must(r.t, err)
	return got
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestHoursOfAllProcesses checks that the work of two instances is added up under the hour in which it was done. One
// of them restarts, and the work crosses the end of an hour.
func TestHoursOfAllProcesses(t *testing.T) {
	r := newRig(t)
	ctx, a, b := t.Context(), r.process("a"), r.process("b")
	a.work(3)
	must(t, a.Flush(ctx))
	b.work(2)
	must(t, b.Flush(ctx))
	a = r.process("a2") // process a has died
	r.pass(59 * time.Minute)
	a.work(1)
	must(t, a.Flush(ctx))
	b.work(1)
	must(t, b.Flush(ctx))
	r.pass(10 * time.Second)
	a.work(4)
	must(t, a.Flush(ctx)) // too early for a write
	r.pass(2 * time.Hour)
	must(t, a.Flush(ctx)) // written now, under the hour in which the work was done
	b.work(1)
	must(t, b.Flush(ctx))
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	want := activity.Report{
		From:  noon.Add(-21 * time.Hour),
		Total: activity.Counts{Checks: 12, Changes: 6, Errors: 3, Bytes: 6000, Indexed: 6},
		Hours: []activity.Hour{
			{Begins: noon, Counts: activity.Counts{Checks: 11, Changes: 5, Errors: 3, Bytes: 5000, Indexed: 5}},
			{Begins: noon.Add(2 * time.Hour), Counts: activity.Counts{Checks: 1, Changes: 1, Bytes: 1000, Indexed: 1}},
		},
	}
	if diff := cmp.Diff(want, r.report(24)); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	if have := r.report(2); len(have.Hours) != 1 || have.Total.Checks != 1 || !have.From.Equal(noon.Add(time.Hour)) {
		t.Errorf("two hours: %+v", have)
	}
}

// TestWritesPerMinute checks that a minute with work costs one write, and a minute without work none.
func TestWritesPerMinute(t *testing.T) {
	r := newRig(t)
	p, ctx := r.process("a"), t.Context()
	for range 10 * 60 { // ten busy minutes, one job per second
		p.work(1)
		must(t, p.Flush(ctx))
		r.pass(time.Second)
	}
	if r.writes != 10 {
		t.Errorf("%d writes in ten minutes", r.writes)
	}
	r.pass(time.Minute)
	must(t, p.Flush(ctx)) // the last minute
	r.writes = 0
	for range 60 { // an idle hour with the timer
		must(t, p.Flush(ctx))
		r.pass(time.Minute)
	}
	if r.writes != 0 {
		t.Errorf("%d writes in an idle hour", r.writes)
	}
	if have := r.report(24).Total; have.Checks != 600 {
		t.Errorf("%+v", have)
	}
}

// TestFlushUnderFaults checks that a write that fails, before or after it is persisted, neither loses nor doubles
// counts.
func TestFlushUnderFaults(t *testing.T) {
	down := fault.New(fault.Unavailable, "storage is down")
	for name, fails := range map[string]func(storagetest.Call) (before, after error){
		"before persisting": func(storagetest.Call) (error, error) { return down, nil },
		"after persisting":  func(storagetest.Call) (error, error) { return nil, down },
	} {
		r := newRig(t)
		p, ctx := r.process("a"), t.Context()
		p.work(3)
		r.fail = fails
		if err := p.Flush(ctx); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
		p.work(1)
		if must(t, p.Flush(ctx)); r.writes != 1 {
			t.Errorf("%s: tried %d times in a minute", name, r.writes)
		}
		r.fail = func(storagetest.Call) (_, _ error) { return }
		r.pass(time.Minute)
		must(t, p.Flush(ctx))
		if have := r.report(1).Total.Checks; have != 4 {
			t.Errorf("%s: %d checks of 4", name, have)
		}
	}
}

// TestS13SaveAtTheEnd checks that a process that stops writes the work since its last write, however recent that
// write is. Otherwise the failures of a first minute would be lost.
func TestS13SaveAtTheEnd(t *testing.T) {
	down := fault.New(fault.Unavailable, "storage is down")
	for name, fails := range map[string]func(storagetest.Call) (before, after error){
		"no fault":          func(storagetest.Call) (error, error) { return nil, nil },
		"before persisting": func(storagetest.Call) (error, error) { return down, nil },
		"after persisting":  func(storagetest.Call) (error, error) { return nil, down },
	} {
		r := newRig(t)
		p, ctx := r.process("a"), t.Context()
		p.work(1)
		must(t, p.Flush(ctx))
		p.m.Checks.Add(2, "failed")
		must(t, p.Flush(ctx)) // too early for a write
		r.fail = fails
		if err := p.Save(ctx); fault.Is(err, fault.Unavailable) != (name != "no fault") {
			t.Errorf("%s: %v", name, err)
		}
		r.fail = func(storagetest.Call) (_, _ error) { return }
		must(t, p.Save(ctx))
		if have := r.report(1).Total; have.Errors != 2 || have.Checks != 3 {
			t.Errorf("%s: %+v", name, have)
		}
		before := r.writes
		if must(t, p.Save(ctx)); r.writes != before {
			t.Errorf("%s: written again though nothing is new", name)
		}
	}
}

// TestFlushIsSafeForConcurrentUse checks that workers of one process may flush at once. Counts that are added during
// a write are written later.
func TestFlushIsSafeForConcurrentUse(t *testing.T) {
	r := newRig(t)
	p := r.process("a")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				p.m.Checks.Add(1, "unchanged")
				_ = p.Flush(t.Context())
			}
		})
	}
	wg.Wait()
	r.pass(time.Minute)
	must(t, p.Flush(t.Context()))
	if have := r.report(1).Total.Checks; have != 400 {
		t.Errorf("%d checks of 400", have)
	}
}

// TestTrim checks that exactly the rows older than 90 days are removed, in portions.
func TestTrim(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	rows := r.store.Table(activity.Table)
	p := r.process("a")
	for _, day := range []string{"2025-11-28", "2025-11-29", "2025-12-01"} { // 93, 92 and 90 days before
		for i := range 150 {
			_, err := rows.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: storage.Entity{
				Key: storage.Key{Partition: day, Row: fmt.Sprintf("05|%d", i)}, Props: storage.Properties{"checks": int64(1)}}})
			must(t, err)
		}
	}
	r.writes = 0
	n, err := p.Trim(ctx)
	if must(t, err); n != 300 || r.writes != 4 {
		t.Errorf("%d rows in %d transactions", n, r.writes)
	}
	n, err = p.Trim(ctx)
	if must(t, err); n != 0 || r.writes != 4 {
		t.Errorf("%d rows again", n)
	}
	left, err := storagetest.Dump(ctx, r.store, activity.Table)
	if must(t, err); len(left) != 150 {
		t.Errorf("%d rows are left", len(left))
	}
}

// TestStrangeRows checks that a row of another kind is skipped.
func TestStrangeRows(t *testing.T) {
	r := newRig(t)
	r.process("a")
	for _, row := range []string{"99|x", "zz|x", "12"} {
		_, err := r.store.Table(activity.Table).Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: storage.Entity{
			Key: storage.Key{Partition: "2026-03-01", Row: row}, Props: storage.Properties{"checks": "many"}}})
		must(t, err)
	}
	if have := r.report(24).Total; have != (activity.Counts{}) {
		t.Errorf("%+v", have)
	}
}

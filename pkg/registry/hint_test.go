package registry

import (
	"context"
	"testing"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// S12: a hint and the rows that it announces are in two tables, and anything may happen between the two writes. These
// tests run a sweep of another process between them. All of them register pages of a host that is full, so that only
// the hint makes anything scan the rows within ten minutes.

// hintRace is a process that registers and another process that sweeps, over one store.
type hintRace struct {
	bench                 // the process that registers
	sweeper *Registry     // the process that sweeps
	rows    chan struct{} // closed when rows are about to be written
	land    chan struct{} // closed to let them be written
	done    chan struct{} // closed when they are written

	armed     bool                      // stop the registering process before it writes rows
	afterHint func()                    // called after a hint was written
	onSweep   func(op storagetest.Call) // called before each operation of the sweeping process
}

// openHintRace starts the clock at noon plus at.
func openHintRace(t *testing.T, at time.Duration) *hintRace {
	c := newClock()
	c.Advance(at)
	r := &hintRace{rows: make(chan struct{}), land: make(chan struct{}), done: make(chan struct{})}
	under := mem.New(c.Now)
	o := Options{Parallel: 1, Politeness: func(string) policy.Politeness {
		return policy.Politeness{MinDelay: 10 * time.Second, MaxDelay: 10 * time.Second, MaxConcurrent: 1}
	}}
	r.bench = openOn(t, func() storage.Store { return storagetest.Hooked(under, (*registering)(r)) }, c, o)
	o.Clock = c.Now
	r.sweeper = New(storagetest.Hooked(under, storagetest.Hooks{OnBefore: func(_ context.Context,
		op storagetest.Call) error {
		if r.onSweep != nil {
			r.onSweep(op)
		}
		return nil
	}}), o)
	return r
}

// registering is the hook of the registering process.
type registering hintRace

func (r *registering) Before(_ context.Context, op storagetest.Call) error {
	if r.armed && op.Op == "table.Transact" && op.Name == DefaultTable {
		r.armed = false
		close(r.rows)
		<-r.land
	}
	return nil
}

func (r *registering) After(_ context.Context, op storagetest.Call, err error) error {
	if r.armed && r.afterHint != nil && op.Op == "table.Transact" && op.Name == "DueHints" {
		r.afterHint()
	}
	return err
}

// fill makes the host full: a third process claims items, with a hint a few minutes from now.
func (r *hintRace) fill(t *testing.T) {
	t.Helper()
	bench{r.another(), r.clock, nil}.register(t, RegisterOptions{}, pages("a.example", policy.JobItems)...)
	r.take(t)
}

// remember makes the registering process write a hint a few minutes from now, with nothing due.
func (r *hintRace) remember(t *testing.T) {
	t.Helper()
	r.register(t, RegisterOptions{}, "https://a.example/first")
	r.finish(t, r.begin(t, r.take(t)[0]))
}

// registerUntilRows begins to register eight pages, and returns after their hints and before their rows are written.
func (r *hintRace) registerUntilRows(t *testing.T) {
	r.armed = true
	go func() {
		defer close(r.done)
		late := pages("a.example", policy.JobItems+8)[policy.JobItems:]
		r.Items.Register(context.Background(), parse(t, late...), RegisterOptions{})
	}()
	<-r.rows
}

// rowsLand lets the rows be written.
func (r *hintRace) rowsLand() {
	close(r.land)
	<-r.done
}

// sweep runs a sweep of the other process, and returns how many hints it read.
func (r *hintRace) sweep(t *testing.T) (hints int) {
	t.Helper()
	report, err := r.sweeper.Jobs.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report.Hints
}

// S12: a sweep between the two writes does not delete the hint.
func TestS12SweepBeforeTheRows(t *testing.T) {
	r := openHintRace(t, 50*time.Second)
	r.fill(t)
	r.registerUntilRows(t)
	r.clock.Advance(15 * time.Second)
	if n := r.sweep(t); n != 1 {
		t.Fatalf("the sweep met %d hints, want that of the rows", n)
	}
	r.rowsLand()
	r.check(t)
}

// S12: a cached hint is written again when its minute is near, because the sweep of another process may have deleted
// it.
func TestS12RememberedHintIsSwept(t *testing.T) {
	r := openHintRace(t, 0)
	r.remember(t)
	r.clock.Advance(ClaimHint - 15*time.Second)
	r.fill(t)
	r.registerUntilRows(t)
	r.clock.Advance(20 * time.Second) // past the hint's minute
	if n := r.sweep(t); n != 1 {
		t.Fatalf("the sweep met %d hints, want that of the rows", n)
	}
	r.rowsLand()
	r.check(t)
}

// S12: a sweep deletes a hint only at the revision that it read.
func TestS12HintIsWrittenAgainDuringTheSweep(t *testing.T) {
	r := openHintRace(t, 0)
	r.remember(t)
	r.clock.Advance(ClaimHint)
	r.fill(t)
	began := false
	r.onSweep = func(op storagetest.Call) {
		if !began && op.Op == "table.Query" && op.Name == DefaultTable { // the sweep has read the hints
			began = true
			r.registerUntilRows(t)
		}
	}
	if n := r.sweep(t); n != 1 || !began {
		t.Fatalf("the sweep met %d hints, want that of the rows", n)
	}
	r.rowsLand()
	r.check(t)
}

// S12: a hint that took long to write is written again before the rows are.
func TestS12SlowHint(t *testing.T) {
	r := openHintRace(t, 50*time.Second)
	r.fill(t)
	slow := true
	r.afterHint = func() {
		if slow {
			slow = false
			r.clock.Advance(40 * time.Second)
		}
	}
	r.registerUntilRows(t)
	r.clock.Advance(25 * time.Second)
	if n := r.sweep(t); n != 1 {
		t.Fatalf("the sweep met %d hints, want that of the rows", n)
	}
	r.rowsLand()
	r.check(t)
}

// S12: the age of a hint is measured at the time when the sweep scanned for rows, not when the sweep ends, because
// rows may be written in between.
func TestS12SlowSweep(t *testing.T) {
	r := openHintRace(t, 50*time.Second)
	r.fill(t)
	r.registerUntilRows(t)
	r.clock.Advance(15 * time.Second)
	landed := false
	r.onSweep = func(op storagetest.Call) {
		if !landed && op.Op == "table.Transact" && op.Name == "DueHints" { // the sweep has scanned for rows
			landed = true
			r.rowsLand()
			r.clock.Advance(hintGrace)
		}
	}
	if n := r.sweep(t); n != 1 || !landed {
		t.Fatalf("the sweep met %d hints, want that of the rows", n)
	}
	r.check(t)
}

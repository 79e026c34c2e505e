package registry

import (
	"context"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// Two operations at once: the second runs between two requests of the first (K12).

// openBetween opens a registry that calls *next at the next read of the row of a.example. The rows that are used
// together with it have been read by then.
func openBetween(t *testing.T) (b bench, next *func()) {
	next = new(func())
	return openHooked(t, Options{}, &storagetest.Hooks{OnBefore: func(_ context.Context,
		call storagetest.Call) error {
		if do := *next; do != nil && call.Op == "table.Get" && call.Key == "a.example/"+hostRow("a.example") {
			*next = nil
			do()
		}
		return nil
	}}), next
}

// K12: only one of two concurrent claims of a due row succeeds.
func TestK12ClaimedOnce(t *testing.T) {
	b, next := openBetween(t)
	b.overdue(t, "https://a.example/x")
	refill := func(r *Registry) (jobs int) {
		jobs, err := r.Jobs.Refill(t.Context(), "a.example")
		if err != nil {
			t.Error(err)
		}
		return jobs
	}
	theirs := 0
	*next = func() { theirs = refill(b.another()) }
	ours := refill(b.Registry)
	if jobs := b.take(t); theirs != 1 || ours != 0 || len(jobs) != 1 {
		t.Errorf("they send %d, we %d, there are %d jobs; want theirs only", theirs, ours, len(jobs))
	}
	b.check(t)
}

// K12: only one of two concurrent locks of an item succeeds.
func TestK12LockedOnce(t *testing.T) {
	b, next := openBetween(t)
	b.register(t, RegisterOptions{}, "https://a.example/x")
	job := b.take(t)[0]
	var theirs *Batch
	*next = func() {
		var err error
		if theirs, err = b.another().Jobs.Begin(t.Context(), job); err != nil {
			t.Error(err)
		}
	}
	ours := b.begin(t, job)
	if theirs == nil || len(theirs.Items) != 1 || ours != nil && len(ours.Items) > 0 {
		t.Fatalf("they have %+v, we have %+v", theirs, ours)
	}
	b.check(t)
}

// purging registers a page, requests its removal and begins the purge.
func (b bench) purging(t *testing.T) (*Batch, []Finding) {
	t.Helper()
	it := b.register(t, RegisterOptions{}, "https://a.example/x")[0].Item
	b.finish(t, b.begin(t, b.take(t)[0]))
	b.clock.Advance(time.Second)
	if _, err := b.Items.Remove(t.Context(), it.ID); err != nil {
		t.Fatal(err)
	}
	batch := b.begin(t, b.take(t)[0])
	b.clock.Advance(time.Second)
	return batch, []Finding{{Item: *batch.Items[0], Purge: true}}
}

// wanted fails the test unless the id finds the page in the state after a registration.
func (b bench) wanted(t *testing.T, id source.ID) {
	t.Helper()
	it, err := b.Items.Find(t.Context(), id)
	if err != nil || it.RemoveRequested || it.LockOwner != "" {
		t.Errorf("what was registered while it was purged: %+v, %v", it, err)
	}
	b.check(t)
}

// K12: an item that is registered during its purge is kept.
func TestK12WantedWhilePurged(t *testing.T) {
	b := openMem(t, Options{})
	batch, done := b.purging(t)
	b.register(t, RegisterOptions{}, "https://a.example/x")
	if err := b.Jobs.Commit(t.Context(), batch, done, HostFinding{}, true); err != nil {
		t.Fatal(err)
	}
	b.wanted(t, done[0].Item.ID)
}

// K12: the pointer of a purged item is kept if the item was registered again meanwhile.
func TestK12WantedAfterThePurge(t *testing.T) {
	var purged func()
	hooks := &storagetest.Hooks{OnBefore: func(_ context.Context, call storagetest.Call) error {
		dropsPointer := call.Op == "table.Transact" && call.Name != DefaultTable && call.Ops[0].Kind == storage.Delete
		if do := purged; do != nil && dropsPointer {
			purged = nil
			do()
		}
		return nil
	}}
	b := openHooked(t, Options{}, hooks)
	batch, done := b.purging(t)
	purged = func() {
		got := b.another().Items.Register(t.Context(), parse(t, "https://a.example/x"), RegisterOptions{})
		if got[0].Err != nil || !got[0].Created {
			t.Errorf("registered again: %+v", got[0])
		}
	}
	if err := b.Jobs.Commit(t.Context(), batch, done, HostFinding{}, true); err != nil || purged != nil {
		t.Fatal(err, purged == nil)
	}
	b.wanted(t, done[0].Item.ID)
}

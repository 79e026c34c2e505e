package activity_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// fleet is a storage with instances on it.
type fleet struct {
	*testing.T
	now   time.Time
	store storage.Store
}

func newFleet(t *testing.T) *fleet {
	f := &fleet{T: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	f.store = mem.New(func() time.Time { return f.now })
	if err := f.store.Table(activity.Table).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

// start returns a new process with the given index. Its clock is ahead by some time.
func (f *fleet) start(index, process string, ahead time.Duration) *activity.Indexes {
	return activity.NewIndexes(f.store, index, activity.IndexesOptions{Process: process,
		Clock: func() time.Time { return f.now.Add(ahead) }})
}

// work lets all instances check every half minute for a time, and returns how many of the checks warned.
func (f *fleet) work(d time.Duration, all ...*activity.Indexes) (warned int) {
	f.Helper()
	for end := f.now.Add(d); f.now.Before(end); f.now = f.now.Add(30 * time.Second) {
		for _, x := range all {
			text, err := x.Check(f.Context())
			if err != nil {
				f.Fatal(err)
			}
			if text != "" {
				warned++
			}
		}
	}
	return warned
}

// TestAZ13OneMachine checks that nothing that happens to one machine is reported as a second instance.
func TestAZ13OneMachine(t *testing.T) {
	f := newFleet(t)
	warned := 0
	for i, index := range []string{"a", "a", "a", "b", "b", "a", "c"} { // restarts, a new index, an old one restored
		ahead := []time.Duration{0, -time.Hour, time.Hour}[i%3] // the clock is set, or the folder moves to another machine
		before := f.start(index, string(rune('p'+i)), ahead)
		warned += f.work(5*time.Minute, before)
		next := f.start(index, string(rune('P'+i)), 0) // the host starts a handler while the one before ends its work
		warned += f.work(30*time.Second, next, before) + f.work(5*time.Minute, next)
	}
	if warned > 0 {
		t.Errorf("%d false alarms", warned)
	}
	f.now = f.now.Add(8 * 24 * time.Hour)
	f.work(time.Minute, f.start("d", "z", 0))
	rows := 0
	for _, err := range f.store.Table(activity.Table).Query(t.Context(), storage.Query{}) {
		if rows++; err != nil {
			t.Fatal(err)
		}
	}
	if rows != 1 {
		t.Errorf("%d rows are left", rows)
	}
}

// TestAZ13TwoInstances checks that two instances notice each other whatever their clocks say, also when one has a copy
// of the other's data folder, and that the warning ends with one of them.
func TestAZ13TwoInstances(t *testing.T) {
	for name, other := range map[string]string{"an index of its own": "b", "a copied folder": "a"} {
		for _, ahead := range []time.Duration{0, -time.Hour, time.Hour} {
			f := newFleet(t)
			x, y := f.start("a", "p", 0), f.start(other, "q", ahead)
			f.work(2*time.Minute, x, y)
			for _, one := range []*activity.Indexes{x, y} {
				if text, err := one.Check(t.Context()); err != nil || !strings.Contains(text, "SEARCH_ENDPOINT") {
					t.Errorf("%s, %v ahead: %q, %v", name, ahead, text, err)
				}
			}
			if f.work(20*time.Minute, x); f.work(time.Minute, x) > 0 {
				t.Errorf("%s: the warning stays", name)
			}
		}
	}
}

// TestAZ13FailingStorage checks that an error is reported and not repeated within half a minute, and that what was
// noticed before stays known.
func TestAZ13FailingStorage(t *testing.T) {
	f := newFleet(t)
	broken, operations := false, 0
	f.store = storagetest.Hooked(f.store, storagetest.Hooks{OnBefore: func(context.Context, storagetest.Call) error {
		if operations++; broken {
			return fault.New(fault.Unavailable, "storage is down")
		}
		return nil
	}})
	x, y := f.start("a", "p", 0), f.start("b", "q", 0)
	f.work(2*time.Minute, x, y)
	broken = true
	if text, err := x.Check(t.Context()); !fault.Is(err, fault.Unavailable) || text == "" {
		t.Errorf("%q, %v", text, err)
	}
	before := operations
	for range 9 {
		if text, err := x.Check(t.Context()); err != nil || text == "" {
			t.Errorf("%q, %v", text, err)
		}
	}
	if operations != before {
		t.Errorf("%d operations within half a minute", operations-before)
	}
	broken = false
	if f.now = f.now.Add(time.Hour); f.work(2*time.Minute, x, y) == 0 {
		t.Error("nothing is noticed afterwards")
	}
	var none *activity.Indexes
	if text, err := none.Check(t.Context()); text != "" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

package registry

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// done registers pages and indexes them all. They are due again in a day.
func (b bench) done(t *testing.T, urls ...string) {
	t.Helper()
	b.register(t, RegisterOptions{}, urls...)
	b.work(t)
}

// work finishes jobs, each item as indexed, until nothing is due.
func (b bench) work(t *testing.T) (items int) {
	t.Helper()
	for {
		jobs := b.take(t)
		for _, job := range jobs {
			if batch := b.begin(t, job); batch != nil {
				for _, it := range batch.Items {
					it.IndexedHash, it.IndexPending = "sha256:1", false
					it.Rebuilt(true)
				}
				items += len(batch.Items)
				b.finishRebuilt(t, batch)
			}
		}
		if len(jobs) > 0 {
			continue
		}
		if r, err := b.Jobs.Sweep(t.Context()); err != nil || r.Claimed == 0 {
			if err != nil {
				t.Fatal(err)
			}
			return items
		}
	}
}

// finishRebuilt is finish for items whose part in a rebuild ends. It sets them as the batch has read them.
func (b bench) finishRebuilt(t *testing.T, batch *Batch) {
	t.Helper()
	var done []Finding
	for _, it := range batch.Items {
		f := *it
		f.Status = Indexed
		f.ProcessedGeneration, f.ReindexRequested = f.ReindexGeneration, false
		f.CheckAt(b.clock.Now().Add(24 * time.Hour))
		it.RebuildPending = it.RebuildRun != "" // as it was read
		done = append(done, Finding{Item: f})
	}
	if err := b.Jobs.Commit(t.Context(), batch, done, HostFinding{}, true); err != nil {
		t.Fatal(err)
	}
}

// steps walks to the end of a rebuild and adds up the results of its steps.
func (b bench) steps(t *testing.T, o Rebuild) (items, marked, steps int) {
	t.Helper()
	for step := (RebuildStep{}); !step.Done; {
		var err error
		if step, err = b.Rebuilds.Request(t.Context(), o, step.Next); err != nil {
			t.Fatal(err)
		}
		if step.Items > stepItems {
			t.Errorf("a step of %d items", step.Items)
		}
		items, marked, steps = items+step.Items, marked+step.Marked, steps+1
		b.check(t)
	}
	return items, marked, steps
}

func (b bench) left(t *testing.T, host string) int {
	t.Helper()
	n, _, end, err := b.Rebuilds.Waiting(t.Context(), host, "")
	if err != nil || !end {
		t.Fatal(end, err)
	}
	return n
}

// A19: the steps of a run visit every item once, in bounded pieces, and skip the other rows. A repeated run requests
// no item twice.
func TestA19RebuildWalksOverEverything(t *testing.T) {
	for _, strategy := range []source.Strategy{source.ByHost, source.ByScheme} {
		t.Run(string(strategy), func(t *testing.T) {
			onStores(t, func(t *testing.T, open opener) {
				b := open(t, Options{Strategy: strategy})
				urls := pages("big.example", 300)
				for i := range 40 {
					urls = append(urls, fmt.Sprintf("https://h%02d.example/", i))
				}
				b.done(t, urls...)
				run := Rebuild{Run: "r1"}
				if items, marked, steps := b.steps(t, run); items != 340 || marked != 340 || steps < 2 {
					t.Errorf("%d items, %d marked in %d steps", items, marked, steps)
				}
				if n := b.left(t, ""); n != 340 {
					t.Errorf("%d left", n)
				}
				if n := b.work(t); n != 340 {
					t.Errorf("%d items worked on", n)
				}
				if items, marked, _ := b.steps(t, run); items != 340 || marked != 340 {
					t.Errorf("again: %d items, %d marked", items, marked)
				}
				if n, left := b.work(t), b.left(t, ""); n != 0 || left != 0 {
					t.Errorf("the same run asked %d items twice, %d left", n, left)
				}
				run = Rebuild{Run: "r2", Host: "h07.example"}
				if items, marked, _ := b.steps(t, run); items != 1 || marked != 1 || b.left(t, "h07.example") != 1 ||
					b.left(t, "") != 1 {
					t.Errorf("one host: %d items, %d marked", items, marked)
				}
			})
		})
	}
}

// Items that wait for a rebuild are counted once, whatever else happens to them.
func TestRebuildCountsWhoWaits(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.done(t, pages("a.example", 3)...)
		b.steps(t, Rebuild{Run: "r1"})
		b.steps(t, Rebuild{Run: "r2", Refetch: true})
		if n := b.left(t, ""); n != 3 {
			t.Errorf("two runs: %d wait", n)
		}
		job := b.take(t)[0]
		err := b.Jobs.Fail(t.Context(), job, func(it *Item, now time.Time) {
			it.Status = Error
			it.CheckAt(now.Add(time.Hour))
		})
		if err != nil {
			t.Fatal(err)
		}
		b.check(t)
		for _, it := range job.Items {
			if it, err := b.Items.Find(t.Context(), it.ID); err != nil || it.IndexedHash != Outdated || it.RebuildPending ||
				it.IndexPending {
				t.Errorf("given up: index %q, waits %v (%v)", it.IndexedHash, it.RebuildPending, err)
			}
		}
		if n := b.left(t, ""); n != 0 {
			t.Errorf("given up: %d wait", n)
		}
	})
}

// TestKnownRunLeavesRebuildsAlone checks that a run that trusts the index takes no item from a rebuild that waits for
// it, and that a run that selects nothing claims nothing.
func TestKnownRunLeavesRebuildsAlone(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.done(t, pages("a.example", 3)...)
		selects := func(yes bool) Rebuild {
			wanted := func(context.Context, *Item) (bool, error) { return yes, nil }
			return Rebuild{Run: "names", Known: true, Wanted: wanted}
		}
		b.clock.Advance(25 * time.Hour)
		if _, marked, _ := b.steps(t, selects(false)); marked != 0 || len(b.take(t)) != 0 {
			t.Errorf("a dry run requests %d items or sends jobs", marked)
		}
		b.steps(t, Rebuild{Run: "r1"})
		if _, marked, _ := b.steps(t, selects(true)); marked != 3 || b.left(t, "") != 3 {
			t.Errorf("%d items requested, %d wait", marked, b.left(t, ""))
		}
		b.work(t)
		if step, err := b.Rebuilds.Count(t.Context(), Rebuild{Run: "r1"}, Cursor{}); err != nil || step.Indexed != 3 {
			t.Errorf("the rebuild counts %+v, %v", step, err)
		}
	})
}

package registry

import (
	"testing"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

const day = 24 * time.Hour

// bury makes items of a host Gone, next checked in ten years, and returns their paths.
func (b bench) bury(t *testing.T, host string, n int) {
	t.Helper()
	urls := pages(host, n)
	b.register(t, RegisterOptions{}, urls...)
	for _, job := range b.take(t) {
		batch := b.begin(t, job)
		var found []Finding
		for _, it := range batch.Items {
			gone := *it
			gone.Status = Gone
			gone.Reschedule(schedule.Decision{State: schedule.State{Missing: 3, GoneSince: b.s.Now()},
				Next: b.s.Now().Add(3650 * day)})
			found = append(found, Finding{Item: gone})
		}
		if err := b.Jobs.Commit(t.Context(), batch, found, HostFinding{}, true); err != nil {
			t.Fatal(err)
		}
	}
}

// dueIn counts the items of a host by the number of days until they are due.
func (b bench) dueIn(t *testing.T, host string) (days map[int]int) {
	t.Helper()
	items, err := b.Items.List(t.Context(), ListQuery{Host: host, Top: 1000})
	if err != nil {
		t.Fatal(err)
	}
	days = map[int]int{}
	for _, it := range items {
		days[int(it.NextCrawlAt.Sub(b.s.Now())/day)]++
	}
	return days
}

// A19: a limit that is set or lowered applies to older tombstones, once.
func TestA19ExpeditePurge(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{Politeness: func(string) policy.Politeness { return policy.Politeness{MaxConcurrent: 4} }})
		b.bury(t, "a.example", 40)
		b.bury(t, "c.example", 2)
		b.register(t, RegisterOptions{}, pages("b.example", 3)...)
		b.clock.Advance(50 * day)
		for _, step := range []struct {
			keep  time.Duration
			moved int
			due   int // days until the Gone items are due
		}{
			{0, 0, 3600},
			{1000 * day, 42, 950},
			{1000 * day, 0, 950},
			{2000 * day, 0, 950}, // the check that comes too early notices
			{60 * day, 42, 10},
			{0, 0, 10},
			{30 * day, 42, 0},
			{30 * day, 0, 0},
		} {
			moved, err := b.Items.ExpeditePurge(t.Context(), step.keep)
			if err != nil || moved != step.moved {
				t.Fatalf("keep %v: moved %d, %v; want %d", step.keep, moved, err, step.moved)
			}
			for host, n := range map[string]int{"a.example": 40, "c.example": 2} {
				if due := b.dueIn(t, host); due[step.due] != n {
					t.Errorf("keep %v: days until due of %s are %v", step.keep, host, due)
				}
			}
			b.check(t)
		}
	})
}

// A19: one call reads a bounded number of rows, and the next call continues there.
func TestA19ExpeditePurgeGoesOn(t *testing.T) {
	b := openMem(t, Options{})
	b.bury(t, "a.example", 10)
	b.bury(t, "b.example", 1)
	b.bury(t, "c.example", 10)
	moved, at := 0, purgeCursor{}
	for calls := 1; !at.Done; calls++ {
		n, err := b.Items.expeditePurge(t.Context(), &at, day, 4)
		if err != nil {
			t.Fatal(err)
		}
		if moved += n; n > 4 || calls > 20 {
			t.Fatalf("call %d moved %d", calls, n)
		}
	}
	if moved != 21 {
		t.Errorf("moved %d", moved)
	}
	b.check(t)
}

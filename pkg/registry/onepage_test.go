package registry

import (
	"context"
	"fmt"
	"testing"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// TestCostOfOnePage counts the table requests for a check at a host with one due page, without the sweep's reading of
// hints.
func TestCostOfOnePage(t *testing.T) {
	var asked map[string]int
	c := newClock()
	count := func(_ context.Context, call storagetest.Call) error {
		if call.Key != "" || call.Op == "table.Transact" {
			asked[call.Name+" "+call.Op]++
		}
		return nil
	}
	under := storagetest.Hooked(mem.New(c.Now), storagetest.Hooks{OnBefore: count})
	b := openOn(t, func() storage.Store { return under }, c, Options{})
	asked = map[string]int{}
	b.register(t, RegisterOptions{}, "https://a.example/")
	b.finish(t, b.begin(t, b.take(t)[0]))
	c.Advance(25 * time.Hour)
	clear(asked)
	if _, err := b.Jobs.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	batch := b.begin(t, b.take(t)[0])
	b.finish(t, batch)
	if batch.More {
		t.Error("more is said to be due")
	}
	// Sweep: due rows, the host row, the claim. Begin: the item, the host row, the lock. Then the commit. One hint is
	// written, and one is deleted.
	want := map[string]int{"IngestItems table.Query": 1, "IngestItems table.Get": 3, "IngestItems table.Transact": 3,
		"DueHints table.Transact": 2}
	if have := fmt.Sprint(asked); have != fmt.Sprint(want) {
		t.Errorf("have %s, want %v", have, want)
	}
}

// TestMoreIsDue checks that a worker at the end of a job scans for more due rows exactly if some remain.
func TestMoreIsDue(t *testing.T) {
	for _, tt := range []struct {
		name string
		left func(t *testing.T, b bench) *Batch
		want bool
	}{
		{"everything is claimed", func(t *testing.T, b bench) *Batch {
			b.register(t, RegisterOptions{}, pages("a.example", 3)...)
			return b.begin(t, b.take(t)[0])
		}, false},
		{"more are registered than there is room for", func(t *testing.T, b bench) *Batch {
			b.register(t, RegisterOptions{}, pages("a.example", 10*policy.JobItems)...)
			return b.begin(t, b.take(t)[0])
		}, true},
		{"more are due than there is room for", func(t *testing.T, b bench) *Batch {
			b.register(t, RegisterOptions{}, pages("a.example", 10*policy.JobItems)...)
			b.take(t)
			b.clock.Advance(JobTTL + time.Minute)
			return b.begin(t, b.swept(t, policy.JobItems)[0])
		}, true},
		{"what was left is claimed", func(t *testing.T, b bench) *Batch {
			b.register(t, RegisterOptions{}, pages("a.example", policy.JobItems+1)...)
			b.finish(t, b.begin(t, b.take(t)[0]))
			if n, err := b.Jobs.Refill(t.Context(), "a.example"); n != 1 || err != nil {
				t.Fatalf("%d jobs, %v", n, err)
			}
			return b.begin(t, b.take(t)[0])
		}, false},
		{"one is given back", func(t *testing.T, b bench) *Batch {
			b.register(t, RegisterOptions{}, pages("a.example", 2)...)
			batch := b.begin(t, b.take(t)[0])
			b.close(t, batch, 1, true, func(*Item) {})
			return batch
		}, true},
		{"another job came while the host was busy", func(t *testing.T, b bench) *Batch {
			b.register(t, RegisterOptions{}, "https://a.example/1")
			batch := b.begin(t, b.take(t)[0])
			b.register(t, RegisterOptions{}, "https://a.example/2")
			if other := b.begin(t, b.take(t)[0]); other != nil {
				t.Fatal("the host was not busy")
			}
			return batch
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Politeness: func(string) policy.Politeness {
				return policy.Politeness{MinDelay: time.Second, MaxConcurrent: 1}
			}}
			b := openMem(t, o)
			batch := tt.left(t, b)
			b.finish(t, batch)
			if batch.More != tt.want {
				t.Errorf("more is due: %v", batch.More)
			}
		})
	}
}

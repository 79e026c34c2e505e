package registry

import (
	"context"
	"sync"
	"testing"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// overdue registers a page, checks it, and advances the clock until it is due again and unclaimed.
func (b bench) overdue(t *testing.T, url string) {
	t.Helper()
	b.register(t, RegisterOptions{}, url)
	b.finish(t, b.begin(t, b.take(t)[0]))
	b.clock.Advance(25 * time.Hour)
}

// A7: a registration of a page that is due and unclaimed claims it, once. It does not wait for a sweep, and no sweep
// sends a second job.
func TestA7OverdueIsClaimed(t *testing.T) {
	const url = "https://a.example/x"
	for name, ask := range map[string]func(b bench, t *testing.T){
		"registered": func(b bench, t *testing.T) { b.register(t, RegisterOptions{}, url) },
		"reindexed": func(b bench, t *testing.T) {
			it, err := b.Items.Find(t.Context(), parse(t, url)[0].ID())
			if err == nil {
				_, err = b.Items.Reindex(t.Context(), it, false)
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			onStores(t, func(t *testing.T, open opener) {
				b := open(t, Options{})
				b.overdue(t, url)
				ask(b, t)
				jobs := b.take(t)
				if len(jobs) != 1 || len(jobs[0].Items) != 1 {
					t.Fatalf("jobs %+v, want one", jobs)
				}
				b.check(t)
				ask(b, t)
				if _, err := b.Jobs.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				if more := b.take(t); len(more) != 0 {
					t.Errorf("%d more jobs for what is on its way", len(more))
				}
				b.check(t)
				b.finish(t, b.begin(t, jobs[0]))
				b.check(t)
			})
		})
	}
}

// A7: of many concurrent registrations of a due page, one claims it.
func TestA7OverdueIsClaimedOnce(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.overdue(t, "https://a.example/x")
		var wg sync.WaitGroup
		for _, process := range []*Registry{b.Registry, b.another(), b.another()} {
			for range 3 {
				wg.Go(func() {
					if got := process.Items.Register(context.Background(), parse(t, "https://a.example/x"),
						RegisterOptions{})[0]; got.Err != nil {
						t.Error(got.Err)
					}
				})
			}
		}
		wg.Wait()
		if jobs := b.take(t); len(jobs) != 1 {
			t.Errorf("%d jobs, want 1", len(jobs))
		}
		b.check(t)
	})
}

// A7: a due page waits while its host is full, and stays with the job that has claimed it.
func TestA7OverdueIsNotClaimed(t *testing.T) {
	for name, occupy := range map[string]func(b bench, t *testing.T){
		"paused": func(b bench, t *testing.T) {
			if err := b.Hosts.Pause(t.Context(), "a.example", "a.example", b.clock.Now().Add(time.Hour),
				"HTTP 503"); err != nil {
				t.Fatal(err)
			}
		},
		"swept": func(b bench, t *testing.T) {
			if r, err := b.Jobs.Sweep(t.Context()); err != nil || r.Claimed != 1 {
				t.Fatalf("%+v, %v", r, err)
			}
			b.take(t)
		},
		"host full": func(b bench, t *testing.T) {
			b.register(t, RegisterOptions{}, pages("a.example", 2*policy.JobItems)...)
			b.take(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := openMem(t, Options{})
			b.overdue(t, "https://a.example/x")
			occupy(b, t)
			b.register(t, RegisterOptions{}, "https://a.example/x")
			if jobs := b.take(t); len(jobs) != 0 {
				t.Errorf("%d jobs, want none", len(jobs))
			}
			b.check(t)
		})
	}
}

// A15: a check that is requested during a check is left to the commit of the running one.
func TestA15OverdueAndLockedIsNotClaimed(t *testing.T) {
	paced := func(string) policy.Politeness { return policy.Politeness{MinDelay: time.Second, MaxConcurrent: 1} }
	b := openMem(t, Options{Politeness: paced})
	b.register(t, RegisterOptions{}, pages("a.example", policy.JobItems)...)
	batch := b.begin(t, b.take(t)[0])
	b.clock.Advance(time.Second / 2) // the host is full
	url := batch.Items[0].NormalizedSource
	for range 2 {
		b.register(t, RegisterOptions{}, url)
		if jobs := b.take(t); len(jobs) != 0 {
			t.Errorf("%d jobs for an item that is held", len(jobs))
		}
		b.clock.Advance(5 * time.Second) // there is room again
	}
	b.check(t)
	b.finish(t, batch)
	if jobs := b.take(t); len(jobs) != 1 {
		t.Errorf("%d jobs after the commit", len(jobs))
	}
}

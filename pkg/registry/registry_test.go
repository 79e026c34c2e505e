package registry

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/source"
)

// A4, A5, A7: one source, however written and however often and concurrently registered, by
// several processes at once, is one item that its id finds.
func TestA7ConcurrentRegistrationsGiveOneItem(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		forms := []string{"https://Example.com/a?utm_source=x", "https://example.com/a/", "https://example.com:443/a#top"}
		processes := []*Registry{b.Registry, b.another(), b.another()}
		const forced = 60
		var wg sync.WaitGroup
		for i := range 90 {
			wg.Go(func() {
				got := processes[i/3%3].Register(context.Background(), parse(t, forms[i%3]), RegisterOptions{Force: i < forced})
				if got[0].Err != nil {
					t.Error(got[0].Err)
				}
			})
		}
		wg.Wait()
		items, err := b.List(t.Context(), ListQuery{Top: 10})
		if err != nil || len(items) != 1 {
			t.Fatalf("items: %v, %v; want one", items, err)
		}
		if items[0].ReindexGeneration != forced {
			t.Errorf("generation %d, want %d: a force request was lost", items[0].ReindexGeneration, forced)
		}
		found, err := b.Find(t.Context(), items[0].ID)
		if err != nil || found.NormalizedSource != "https://example.com/a" {
			t.Errorf("Find: %v, %v", found.NormalizedSource, err)
		}
		b.check(t)
	})
}

func TestRegisterManyHostsAndRepeats(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		urls := append(pages("a.example", 40), pages("b.example", 3)...)
		urls = append(urls, "https://a.example/page/0#again")
		got := b.register(t, RegisterOptions{}, urls...)
		if got[0].Item.ID != got[len(got)-1].Item.ID || !got[0].Created {
			t.Error("a repeated source has another outcome than the first")
		}
		stats, err := b.Stats(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{40, 3} {
			if n := stats[i].Items[Pending]; n != want {
				t.Errorf("%s has %d Pending, want %d", stats[i].Host, n, want)
			}
		}
		b.check(t)
	})
}

// The frontier waits in due rows: no more than the host can bear is in the queue.
func TestBacklogStaysOutOfTheQueue(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		slow := func(string) Politeness {
			return Politeness{MinDelay: time.Second, MaxDelay: time.Second, MaxConcurrent: 1}
		}
		b := open(t, Options{Politeness: slow})
		b.register(t, RegisterOptions{}, pages("a.example", 500)...)
		if jobs := b.take(t); len(jobs) != 1 || len(jobs[0].Items) != JobItems {
			t.Fatalf("%d jobs for a host that bears one", len(jobs))
		}
		b.check(t)
		for range 5 { // sweeps find the host taken
			b.clock.Advance(20 * time.Second)
			if _, err := b.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.check(t)
		}
	})
}

func TestRegisterAgainWhileOnItsWayDoesNothing(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, "https://a.example/x")
		b.clock.Advance(time.Second)
		b.register(t, RegisterOptions{}, "https://a.example/x")
		if jobs := b.take(t); len(jobs) != 1 {
			t.Errorf("%d jobs, want 1", len(jobs))
		}
		b.check(t)
	})
}

// A24: a credential that is given while a check is still to begin is taken.
func TestA24CredentialGivenLate(t *testing.T) {
	b := openMem(t, Options{})
	b.register(t, RegisterOptions{}, "https://a.example/x")
	b.clock.Advance(time.Second)
	got := b.register(t, RegisterOptions{Credential: "WIKI"}, "https://a.example/x")
	it, err := b.Find(t.Context(), got[0].Item.ID)
	if err != nil {
		t.Fatal(err)
	}
	if it.Credential != "WIKI" {
		t.Errorf("the credential is %q", it.Credential)
	}
	b.check(t)
}

// A24: so is one that is given while the check runs, which may fail for the lack of it.
func TestA24CredentialGivenDuringTheCheck(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{Credential: "OLD"}, "https://a.example/x")
		batch := b.begin(t, b.take(t)[0])
		b.clock.Advance(time.Second)
		b.register(t, RegisterOptions{Credential: "WIKI"}, "https://a.example/x")
		b.take(t)
		b.finish(t, batch)
		jobs := b.take(t)
		if len(jobs) != 1 {
			t.Fatalf("%d jobs after the commit, want one", len(jobs))
		}
		if again := b.begin(t, jobs[0]); again == nil || again.Items[0].Credential != "WIKI" {
			t.Errorf("the check that follows: %+v", again)
		}
		b.check(t)
	})
}

// A20: who comes second finds nothing to do.
func TestA20DoubledJobDoesNothing(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, pages("a.example", 3)...)
		job := b.take(t)[0]
		first := b.begin(t, job)
		if second := b.begin(t, job); second != nil {
			t.Fatal("locked items were given out twice")
		}
		b.finish(t, first)
		if again := b.begin(t, job); again != nil {
			t.Fatal("done items were given out again")
		}
		b.check(t)
	})
}

// A15: a force that arrives while the item is being processed is not lost.
func TestA15ForceDuringProcessing(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, "https://a.example/x")
		batch := b.begin(t, b.take(t)[0])
		b.clock.Advance(time.Second)
		b.register(t, RegisterOptions{Force: true}, "https://a.example/x")
		if dropped := b.begin(t, b.take(t)[0]); dropped != nil {
			t.Fatal("a locked item was given out")
		}
		b.finish(t, batch)
		jobs := b.take(t)
		if len(jobs) != 1 {
			t.Fatalf("%d jobs after the commit, want the forced one", len(jobs))
		}
		again := b.begin(t, jobs[0])
		if again == nil || !again.Items[0].Forced() || again.Items[0].Status != Indexed {
			t.Fatalf("forced item: %+v", again)
		}
		id := again.Items[0].ID
		b.finish(t, again)
		it, _ := b.Find(t.Context(), id)
		if it.Forced() || it.ReindexGeneration != 1 {
			t.Errorf("after processing: %+v", it)
		}
		b.check(t)
	})
}

// A7: whoever registers a page during its check may have changed it since it was fetched, so it is
// checked once more, and only once.
func TestA7RegisterAgainDuringTheCheck(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, "https://a.example/x")
		batch := b.begin(t, b.take(t)[0])
		for range 3 {
			b.clock.Advance(time.Second)
			b.register(t, RegisterOptions{}, "https://a.example/x")
		}
		if jobs := b.take(t); len(jobs) != 1 || b.begin(t, jobs[0]) != nil {
			t.Fatalf("%d jobs for three registrations of a locked item, want one that finds nothing to do", len(jobs))
		}
		b.finish(t, batch)
		jobs := b.take(t)
		if len(jobs) != 1 {
			t.Fatalf("%d jobs after the commit, want one", len(jobs))
		}
		b.finish(t, b.begin(t, jobs[0]))
		if jobs := b.take(t); len(jobs) != 0 {
			t.Errorf("%d jobs after the second check", len(jobs))
		}
		b.check(t)
	})
}

// A worker that lost its lock commits nothing (invariant 3).
func TestLostLockCommitsNothing(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, "https://a.example/x")
		job := b.take(t)[0]
		slow := b.begin(t, job)
		b.clock.Advance(lockTime + time.Second)
		if b.begin(t, job) != nil {
			t.Fatal("an item was taken while a request of its last holder may be on its way")
		}
		b.clock.Advance(requestTime)
		quick := b.begin(t, job)
		if quick == nil {
			t.Fatal("an expired lock was not taken over")
		}
		slow.Items[0].Title = "stale"
		b.finish(t, slow)
		it, _ := b.Find(t.Context(), quick.Items[0].ID)
		if it.Title == "stale" || it.Status != Pending {
			t.Fatalf("a lost lock committed: %s %s", it.Title, it.Status)
		}
		b.finish(t, quick)
		b.check(t)
	})
}

// Invariant 5: a lost job comes again by the sweep, after it has been trusted for a while.
func TestLostJobIsSweptAgain(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, pages("a.example", 3)...)
		b.take(t) // lost
		b.clock.Advance(trust / 2)
		if r, _ := b.Sweep(t.Context()); r.Claimed != 0 {
			t.Fatalf("claimed %d while the job was trusted", r.Claimed)
		}
		b.clock.Advance(trust)
		r, err := b.Sweep(t.Context())
		if err != nil || r.Claimed != 3 || r.Late != trust+trust/2 {
			t.Fatalf("claimed %d that were due for %v, %v; want 3, due since they were registered", r.Claimed, r.Late, err)
		}
		b.finish(t, b.begin(t, b.take(t)[0]))
		b.check(t)
	})
}

// What a batch does not finish goes back to the due rows at once.
func TestUnfinishedItemsAreGivenBack(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, pages("a.example", 4)...)
		batch := b.begin(t, b.take(t)[0])
		done := *batch.Items[0]
		done.Status = Indexed
		done.Bring(b.clock.Now().Add(time.Hour))
		if err := b.Commit(t.Context(), batch, []Finding{{Item: done}}, HostFinding{}, true); err != nil {
			t.Fatal(err)
		}
		b.check(t)
		if n, err := b.Refill(t.Context(), "a.example"); err != nil || n != 1 {
			t.Fatalf("refill: %d, %v", n, err)
		}
		if again := b.begin(t, b.take(t)[0]); again == nil || len(again.Items) != 3 {
			t.Fatal("the rest did not come back")
		}
	})
}

// A13: a host that asked for a pause is left alone until it is over, and comes back.
func TestA13PausedHost(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, pages("a.example", 4)...)
		batch := b.begin(t, b.take(t)[0])
		until := b.clock.Now().Add(30 * time.Minute)
		if err := b.Commit(t.Context(), batch, nil, HostFinding{PauseUntil: until, PauseWhy: "HTTP 429"}, true); err != nil {
			t.Fatal(err)
		}
		for range 29 {
			b.clock.Advance(time.Minute)
			if _, err := b.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.check(t)
			if jobs := b.take(t); len(jobs) != 0 {
				t.Fatal("a job during the pause")
			}
		}
		b.clock.Advance(3 * time.Minute)
		if r, err := b.Sweep(t.Context()); err != nil || r.Claimed != 4 {
			t.Fatalf("after the pause: %+v, %v", r, err)
		}
	})
}

func TestFindUnknown(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		id := parse(t, "https://nowhere.example/")[0].ID()
		if _, err := b.Find(t.Context(), id); !fault.Is(err, fault.NotFound) {
			t.Errorf("unknown id: %v", err)
		}
		if _, err := b.Find(t.Context(), "nonsense"); !fault.Is(err, fault.Invalid) {
			t.Errorf("malformed id: %v", err)
		}
	})
}

// A16: a source finds its item by one point read, under either strategy.
func TestA16Lookup(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, strategy := range []source.Strategy{source.ByHost, source.ByScheme} {
			b := open(t, Options{Strategy: strategy})
			there := parse(t, "https://a.example/page")[0]
			b.register(t, RegisterOptions{}, there.Normalized)
			if it, found, err := b.Lookup(t.Context(), there); err != nil || !found || it.ID != there.ID() {
				t.Errorf("%s: found %v, item %s (%v)", strategy, found, it.ID, err)
			}
			if _, found, err := b.Lookup(t.Context(), parse(t, "https://a.example/nowhere")[0]); err != nil || found {
				t.Errorf("%s: found what nobody registered (%v)", strategy, err)
			}
		}
	})
}

func TestListPagesThroughEverything(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, strategy := range []source.Strategy{source.ByHost, source.ByScheme} {
			b := open(t, Options{Strategy: strategy})
			b.register(t, RegisterOptions{}, append(pages("a.example", 30), pages("b.example", 7)...)...)
			for _, c := range []struct {
				host string
				want int
			}{{"", 37}, {"a.example", 30}, {"b.example", 7}, {"c.example", 0}} {
				seen := map[source.ID]bool{}
				after := ""
				for {
					items, err := b.List(t.Context(), ListQuery{Host: c.host, Top: 4, After: after})
					if err != nil {
						t.Fatal(err)
					}
					for _, it := range items {
						if seen[it.ID] {
							t.Fatalf("%s is listed twice", it.ID)
						}
						seen[it.ID] = true
					}
					if len(items) < 4 {
						break
					}
					after = string(items[3].ID)
				}
				if len(seen) != c.want {
					t.Errorf("%s, host %q: %d items, want %d", strategy, c.host, len(seen), c.want)
				}
			}
			b.check(t)
		}
	})
}

// A5: with the scheme as partition, the hosts in it still have their own pace.
func TestA5SchemePartition(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{Strategy: source.ByScheme})
		b.register(t, RegisterOptions{}, append(pages("a.example", 2), pages("b.example", 2)...)...)
		b.take(t)
		b.clock.Advance(2 * trust)
		if r, err := b.Sweep(t.Context()); err != nil || r.Claimed != 4 || r.Jobs != 2 {
			t.Fatalf("sweep: %+v, %v", r, err)
		}
		for _, j := range b.take(t) {
			b.finish(t, b.begin(t, j))
		}
		b.check(t)
	})
}

// A5, A15: an item is asked for again where it is, whatever its source is called.
func TestA5ReindexStaysInItsPartition(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, strategy := range []source.Strategy{source.ByHost, source.ByScheme} {
			b := open(t, Options{Strategy: strategy})
			for _, place := range []string{"/srv/tides.pdf", "https://acct.blob.core.windows.net/docs/a.md"} {
				s := source.Source{Type: source.File, Scheme: "file", Normalized: place, Display: place, Host: "srv"}
				was := b.Register(t.Context(), []source.Source{s}, RegisterOptions{})[0]
				got, err := b.Reindex(t.Context(), was.Item, true)
				if err != nil || was.Err != nil || got.key != was.Item.key || got.ReindexGeneration != 1 {
					t.Errorf("%s: %v is %v in generation %d (%v, %v)", strategy, was.Item.key, got.key, got.ReindexGeneration, was.Err, err)
				}
			}
			b.check(t)
		}
	})
}

// A finding that no row can take spoils only itself.
func TestUnstorableFindingSpoilsOnlyItself(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, pages("a.example", 3)...)
		batch := b.begin(t, b.take(t)[0])
		var done []Finding
		for i, it := range batch.Items {
			f := *it
			f.Status = Indexed
			f.Bring(b.clock.Now().Add(time.Hour))
			if i == 1 {
				for range 3000 { // encodes to far more than a column holds
					f.HTTPRedirectChain = append(f.HTTPRedirectChain, "302 https://a.example/"+strings.Repeat("x", 50))
				}
			}
			done = append(done, Finding{Item: f})
		}
		if err := b.Commit(t.Context(), batch, done, HostFinding{}, true); err != nil {
			t.Fatal(err)
		}
		b.check(t)
		items, err := b.List(t.Context(), ListQuery{Top: 10})
		if err != nil {
			t.Fatal(err)
		}
		byStatus := map[Status]int{}
		for _, it := range items {
			byStatus[it.Status]++
		}
		if byStatus[Indexed] != 2 || byStatus[Error] != 1 {
			t.Errorf("statuses %v, want two Indexed and one Error", byStatus)
		}
	})
}

// Many writers of one host in one process wait for each other instead of losing.
func TestManySingleRegistrationsOfOneHost(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		var wg sync.WaitGroup
		for _, u := range pages("a.example", 200) {
			wg.Go(func() {
				if got := b.Register(context.Background(), parse(t, u), RegisterOptions{})[0]; got.Err != nil {
					t.Error(got.Err)
				}
			})
		}
		wg.Wait()
		b.check(t)
	})
}

func TestHostLockIsWaitedForWithAContext(t *testing.T) {
	var l hostLocks
	unlock, err := l.lock(t.Context(), hostID{"p", "h"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.lock(ctx, hostID{"p", "h"}); err == nil {
		t.Error("a held lock was given out")
	}
	if free, err := l.lock(t.Context(), hostID{"p", "other"}); err != nil {
		t.Error(err)
	} else {
		free()
	}
	unlock()
	if len(l.held) != 0 {
		t.Errorf("%d locks are remembered", len(l.held))
	}
}

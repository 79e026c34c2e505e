package registry

import (
	"strings"
	"testing"
	"time"
)

// A20: the second worker of a doubled job finds nothing to do.
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
		it, _ := b.Items.Find(t.Context(), id)
		if it.Forced() || it.ReindexGeneration != 1 {
			t.Errorf("after processing: %+v", it)
		}
		b.check(t)
	})
}

// A7: a registration during a check may follow a change that the check has missed. So the page is checked once more,
// and only once.
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
		b.clock.Advance(LockTime + time.Second)
		if b.begin(t, job) != nil {
			t.Fatal("an item was taken while a request of its last holder may be on its way")
		}
		b.clock.Advance(RequestTime)
		quick := b.begin(t, job)
		if quick == nil {
			t.Fatal("an expired lock was not taken over")
		}
		slow.Items[0].Title = "stale"
		b.finish(t, slow)
		it, _ := b.Items.Find(t.Context(), quick.Items[0].ID)
		if it.Title == "stale" || it.Status != Pending {
			t.Fatalf("a lost lock committed: %s %s", it.Title, it.Status)
		}
		b.finish(t, quick)
		b.check(t)
	})
}

// Invariant 5: the items of a lost job are swept again after two minutes, when no job waits in the queue.
func TestLostJobIsSweptAgain(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, pages("a.example", 3)...)
		b.take(t) // lost
		b.clock.Advance(ClaimHint - time.Second)
		if r, _ := b.Jobs.Sweep(t.Context()); r.Claimed != 0 {
			t.Fatalf("claimed %d while the job was trusted", r.Claimed)
		}
		b.clock.Advance(JobTTL)
		r, err := b.Jobs.Sweep(t.Context())
		if err != nil || r.Claimed != 3 || r.Late != JobTTL+ClaimHint-time.Second {
			t.Fatalf("claimed %d that were due for %v, %v; want 3, due since they were registered", r.Claimed, r.Late, err)
		}
		b.finish(t, b.begin(t, b.take(t)[0]))
		b.check(t)
	})
}

// Items that a batch does not finish go back to the due rows at once.
func TestUnfinishedItemsAreGivenBack(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, pages("a.example", 4)...)
		batch := b.begin(t, b.take(t)[0])
		done := *batch.Items[0]
		done.Status = Indexed
		done.CheckAt(b.clock.Now().Add(time.Hour))
		if err := b.Jobs.Commit(t.Context(), batch, []Finding{{Item: done}}, HostFinding{}, true); err != nil {
			t.Fatal(err)
		}
		b.check(t)
		if n, err := b.Jobs.Refill(t.Context(), "a.example"); err != nil || n != 1 {
			t.Fatalf("refill: %d, %v", n, err)
		}
		if again := b.begin(t, b.take(t)[0]); again == nil || len(again.Items) != 3 {
			t.Fatal("the rest did not come back")
		}
	})
}

// A13: a host that asked for a pause gets no request until the pause is over, and is checked again afterwards.
func TestA13PausedHost(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, pages("a.example", 4)...)
		batch := b.begin(t, b.take(t)[0])
		until := b.clock.Now().Add(30 * time.Minute)
		if err := b.Jobs.Commit(t.Context(), batch, nil, HostFinding{PauseUntil: until, PauseWhy: "HTTP 429"},
			true); err != nil {
			t.Fatal(err)
		}
		for range 29 {
			b.clock.Advance(time.Minute)
			if _, err := b.Jobs.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.check(t)
			if jobs := b.take(t); len(jobs) != 0 {
				t.Fatal("a job during the pause")
			}
		}
		b.clock.Advance(3 * time.Minute)
		if r, err := b.Jobs.Sweep(t.Context()); err != nil || r.Claimed != 4 {
			t.Fatalf("after the pause: %+v, %v", r, err)
		}
	})
}

// A finding that no row can hold does not prevent the commit of the others.
func TestUnstorableFindingIsQuarantinedAlone(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		b := open(t, Options{})
		b.register(t, RegisterOptions{}, pages("a.example", 3)...)
		batch := b.begin(t, b.take(t)[0])
		var done []Finding
		for i, it := range batch.Items {
			f := *it
			f.Status = Indexed
			f.CheckAt(b.clock.Now().Add(time.Hour))
			if i == 1 {
				for range 3000 { // encodes to far more than a column holds
					f.HTTPRedirectChain = append(f.HTTPRedirectChain, "302 https://a.example/"+strings.Repeat("x", 50))
				}
			}
			done = append(done, Finding{Item: f})
		}
		if err := b.Jobs.Commit(t.Context(), batch, done, HostFinding{}, true); err != nil {
			t.Fatal(err)
		}
		b.check(t)
		items, err := b.Items.List(t.Context(), ListQuery{Top: 10})
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

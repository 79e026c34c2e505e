package registry

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// AZ12: what a dead worker held is claimed again when its lock is over, long before its job would be sent again. The
// job may have begun right after the registration, or minutes later between two sweeps.
func TestAZ12DeadWorkersItemsAreSweptWhenTheirLockIsOver(t *testing.T) {
	for _, waits := range []time.Duration{0, 130 * time.Second, 5 * time.Minute, JobTTL - time.Second} {
		b := openMem(t, Options{})
		b.register(t, RegisterOptions{}, pages("a.example", 3)...)
		for range waits / time.Minute {
			b.clock.Advance(time.Minute)
			b.sweepAll(t, 0)
		}
		b.clock.Advance(waits % time.Minute)
		if len(b.begin(t, b.take(t)[0]).Items) != 3 {
			t.Fatalf("%v: the job did not begin", waits)
		}
		b.check(t)
		b.clock.Advance(HeldTime - time.Second)
		b.sweepAll(t, 0)
		b.check(t)
		b.clock.Advance(time.Minute)
		b.sweepAll(t, 3)
		b.finish(t, b.begin(t, b.take(t)[0]))
		b.check(t)
	}
}

// AZ12: a job that a worker received and did not begin is sent again after two minutes, unless jobs wait in the queue.
// If the worker was only slow, one of the two jobs finds nothing to do.
func TestAZ12JobsThatADeadWorkerHadNotBegun(t *testing.T) {
	b := openMem(t, Options{})
	b.register(t, RegisterOptions{}, pages("a.example", 3)...)
	received := b.take(t)[0]
	b.clock.Advance(ClaimHint - time.Second)
	b.sweepAll(t, 0)
	b.check(t)
	b.register(t, RegisterOptions{}, "https://b.example/waits")
	b.clock.Advance(time.Minute)
	b.sweepAll(t, 0)
	b.check(t)
	b.finish(t, b.begin(t, b.take(t)[0]))
	b.clock.Advance(ClaimHint + time.Minute)
	b.sweepAll(t, 3)
	b.check(t)
	again := b.begin(t, b.take(t)[0])
	if again == nil || len(again.Items) != 3 {
		t.Fatal("the items did not begin again")
	}
	if b.begin(t, received) != nil {
		t.Error("two jobs began the same items")
	}
	b.finish(t, again)
	b.check(t)
}

// sweepAll sweeps, and wants a number of claimed items.
func (b bench) sweepAll(t *testing.T, want int) {
	t.Helper()
	if got, err := b.Jobs.Sweep(t.Context()); err != nil || got.Claimed != want {
		t.Fatalf("the sweep claimed %d, %v; want %d", got.Claimed, err, want)
	}
}

// AZ12: a registration or another request during the work does not put off when the items are claimed again after the
// worker has died. The jobs of such requests find the items locked.
func TestAZ12AskedForDuringTheWorkOfADeadWorker(t *testing.T) {
	ask := map[string]func(b bench, it Item) error{
		"register": func(b bench, it Item) error {
			return b.Items.Register(t.Context(), parse(t, it.NormalizedSource), RegisterOptions{})[0].Err
		},
		"force": func(b bench, it Item) error { return b.Items.ForceCheck(t.Context(), it) },
		"remove": func(b bench, it Item) error {
			_, err := b.Items.Remove(t.Context(), it.ID)
			return err
		},
	}
	for name, request := range ask {
		b := openMem(t, Options{})
		b.register(t, RegisterOptions{}, "https://a.example/x")
		it := *b.begin(t, b.take(t)[0]).Items[0]
		b.clock.Advance(100 * time.Second)
		if err := request(b, it); err != nil {
			t.Fatal(name, err)
		}
		if jobs := b.take(t); len(jobs) != 1 || b.begin(t, jobs[0]) != nil {
			t.Fatalf("%s: %d jobs; want one that finds the item locked", name, len(jobs))
		}
		b.check(t)
		b.clock.Advance(HeldTime - 100*time.Second + time.Minute)
		if got, err := b.Jobs.Sweep(t.Context()); err != nil || got.Claimed != 1 {
			t.Errorf("%s: the sweep claimed %d, %v", name, got.Claimed, err)
		}
	}
}

// AZ12: an item whose due row is missing, which only damage explains, is still worked on, and the lock restores the
// row.
func TestAZ12LockRestoresAMissingDueRow(t *testing.T) {
	b := openMem(t, Options{})
	it := b.register(t, RegisterOptions{}, "https://a.example/x")[0].Item
	if _, err := b.s.Items.Transact(t.Context(), deleteDue(it.Key(), it.NextCrawlAt)); err != nil {
		t.Fatal(err)
	}
	batch := b.begin(t, b.take(t)[0])
	if batch == nil || len(batch.Items) != 1 {
		t.Fatal("the item was dropped")
	}
	if got, err := b.s.Items.Get(t.Context(), dueKey(it.Key(), it.NextCrawlAt)); err != nil ||
		got.Props["host"] != "a.example" || got.Props["id"] != string(it.ID) {
		t.Errorf("the due row is %v, %v", storage.Properties(got.Props), err)
	}
	b.finish(t, batch)
	b.check(t)
}

package registry

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// try returns a job as an attempt gets it.
func try(job Job, instance, process string) Job {
	job.Attempt = Attempt{Message: "8f0c", Instance: instance, Process: process}
	job.Counts = &JobCounts{}
	return job
}

// AZ2: a message that comes again after its handler was killed takes over the items at once. Its first handler,
// should it still run, notices that before it changes the index, and commits nothing. Nobody else takes them over.
func TestAZ2SameMessageTakesOver(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		pace := policy.Politeness{MinDelay: time.Second, MaxDelay: time.Second, MaxConcurrent: 1}
		b := open(t, Options{Politeness: func(string) policy.Politeness { return pace }})
		b.register(t, RegisterOptions{}, pages("a.example", 3)...)
		job := b.take(t)[0]
		first := b.begin(t, try(job, "one", "p1"))
		b.clock.Advance(10 * time.Second)
		for name, other := range map[string]Job{
			"the same process": try(job, "one", "p1"), "another instance": try(job, "two", "p2"),
			"another message": {PartitionKey: job.PartitionKey, Host: job.Host, Items: job.Items, Counts: &JobCounts{},
				Attempt: Attempt{Message: "77", Instance: "one", Process: "p2"}},
			"no message": {PartitionKey: job.PartitionKey, Host: job.Host, Items: job.Items, Counts: &JobCounts{}},
		} {
			if b.begin(t, other) != nil || other.Counts.Locked != 3 {
				t.Fatalf("%s: items are taken over, or %d are reported as locked", name, other.Counts.Locked)
			}
		}
		if err := b.Hosts.Holds(t.Context(), first); err != nil {
			t.Fatalf("the holder: %v", err)
		}
		again := try(job, "one", "p2")
		second := b.begin(t, again)
		if second == nil || len(second.Items) != 3 || again.Counts.Locked != 0 {
			t.Fatal("the items were not taken over")
		}
		if second.Items[0].Deaths != 1 || !second.Items[0].Interrupted {
			t.Errorf("the death of the first handler is forgotten: %+v", second.Items[0].Lock)
		}
		if last := first.Starts[len(first.Starts)-1]; second.Starts[0].Before(last) {
			t.Errorf("a request may start at %v, before %v, which the first attempt reserved", second.Starts[0], last)
		}
		b.clock.Advance(10 * time.Second)
		if err := b.Hosts.Holds(t.Context(), first); !fault.Is(err, fault.Conflict) {
			t.Errorf("the first attempt may write the index: %v", err)
		}
		if err := b.Hosts.Holds(t.Context(), second); err != nil {
			t.Errorf("the second attempt may not write the index: %v", err)
		}
		for _, it := range first.Items {
			it.Title = "stale"
		}
		b.finish(t, first)
		if it, _ := b.Items.Find(t.Context(), second.Items[0].ID); it.Title == "stale" || it.Status != Pending {
			t.Fatalf("the first attempt committed: %s %s", it.Title, it.Status)
		}
		b.finish(t, second)
		if again.Counts.Done != 3 {
			t.Errorf("%d items are reported as done", again.Counts.Done)
		}
		b.check(t)
	})
}

// AZ2: what is known of deaths stays known when a message comes again and again: an item that was in work at two of
// them waits for half a minute, and the others go on.
func TestAZ2DeathsAreKnownAfterTakingOver(t *testing.T) {
	b := openMem(t, Options{})
	b.register(t, RegisterOptions{}, pages("a.example", 3)...)
	job := b.take(t)[0]
	b.begin(t, try(job, "one", "p1"))
	b.clock.Advance(10 * time.Second)
	second := b.begin(t, try(job, "one", "p2"))
	if err := b.Jobs.NoteBegun(t.Context(), second, second.Items[0]); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(10 * time.Second)
	third := b.begin(t, try(job, "one", "p3"))
	for i, it := range third.Items {
		if begun := it.ID == second.Items[0].ID; it.Suspect() != begun || it.NotBefore.IsZero() == begun {
			t.Errorf("item %d: %d deaths, not before %v", i, it.Deaths, it.NotBefore)
		}
		if it.Suspect() && it.NotBefore.Sub(b.clock.Now()) != 30*time.Second {
			t.Errorf("a suspect waits until %v", it.NotBefore)
		}
	}
	b.finish(t, third)
	b.check(t)
}

// AZ2: if the host is paused when the message comes again, the items wait for the end of the dead worker's lock: a job
// that is sent before would find them locked.
func TestAZ2TakenOverWhileTheHostIsPaused(t *testing.T) {
	b := openMem(t, Options{})
	b.register(t, RegisterOptions{}, pages("a.example", 3)...)
	job := b.take(t)[0]
	b.begin(t, try(job, "one", "p1"))
	until := b.clock.Now().Add(30 * time.Second)
	if err := b.Hosts.Pause(t.Context(), "a.example", "a.example", until, "HTTP 503"); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(10 * time.Second)
	if b.begin(t, try(job, "one", "p2")) != nil {
		t.Fatal("a paused host is asked")
	}
	b.check(t)
	b.clock.Advance(time.Minute)
	b.sweepAll(t, 0)
	b.clock.Advance(HeldTime)
	b.sweepAll(t, 3)
	b.finish(t, b.begin(t, b.take(t)[0]))
	b.check(t)
}

// AZ2: work that asks the host for nothing, as the removal of an item, is taken over, too.
func TestAZ2NoRequestNeeded(t *testing.T) {
	b := openMem(t, Options{})
	b.register(t, RegisterOptions{}, pages("a.example", 1)...)
	begun := b.begin(t, b.take(t)[0])
	id := begun.Items[0].ID
	b.finish(t, begun)
	if _, err := b.Items.Remove(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	until := b.clock.Now().Add(time.Hour)
	if err := b.Hosts.Pause(t.Context(), "a.example", "a.example", until, "HTTP 503"); err != nil {
		t.Fatal(err)
	}
	job := b.take(t)[0]
	first := b.begin(t, try(job, "one", "p1"))
	b.clock.Advance(10 * time.Second)
	second := b.begin(t, try(job, "one", "p2"))
	if err := b.Hosts.Holds(t.Context(), first); !fault.Is(err, fault.Conflict) {
		t.Errorf("the first attempt may still remove: %v", err)
	}
	if err := b.Hosts.Holds(t.Context(), second); err != nil {
		t.Errorf("the second attempt may not remove: %v", err)
	}
	b.finish(t, second)
	b.check(t)
}

// AZ2: a job that is moved to the second queue, because its host has not answered yet, takes over what a killed handler
// had begun with the same message.
func TestAZ2MovedJobTakesOver(t *testing.T) {
	b := openMem(t, Options{})
	b.register(t, RegisterOptions{}, pages("a.example", 3)...)
	job := b.take(t)[0]
	b.begin(t, try(job, "one", "p1"))
	if err := b.Jobs.MoveToSlow(t.Context(), try(job, "one", "p2")); err != nil {
		t.Fatal(err)
	}
	messages, err := b.s.Slow.Receive(t.Context(), 1, time.Minute)
	if err != nil || len(messages) != 1 {
		t.Fatal(messages, err)
	}
	moved, err := ParseJob(messages[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	moved.Attempt = moved.AttemptBy(messages[0].ID, "one", "p2")
	if batch := b.begin(t, moved); batch == nil || len(batch.Items) != 3 {
		t.Error("the items were not taken over")
	}
}

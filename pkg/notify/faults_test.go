package notify

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/soaktest"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

var everything = storage.Query{}

func deletion(e storage.Entity) storage.Op {
	return storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: e.Key, ETag: storage.AnyETag}}
}

// TestW6AtLeastOnceWhateverFails checks that each change reaches each receiver, always with the same id, when any
// request of the follower or of a worker fails, before it took effect or after (W6). It runs on each store, because
// the promise depends on their transactions.
func TestW6AtLeastOnceWhateverFails(t *testing.T) {
	dieAtEachRequest(t, false, map[string]opener{"mem": openMem, "embedded": openEmbedded, "azurite": openAzurite})
}

// TestK14ReportedWhateverFails checks the same of a process that follows the feed as soon as it has written to it. What
// it could not write is written by another process, as at the next commit of the host (K14).
func TestK14ReportedWhateverFails(t *testing.T) {
	dieAtEachRequest(t, true, map[string]opener{"mem": openMem, "embedded": openEmbedded})
}

// dieAtEachRequest fails each request of a process in turn. The process follows the feed when it has written to it, or
// when the timer calls it.
func dieAtEachRequest(t *testing.T, prompt bool, stores map[string]opener) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			for _, after := range []bool{false, true} {
				n, step := soaktest.Share(t, 5)
				if name != "mem" {
					n, step = soaktest.Share(t, 15) // there only the store itself can make a difference
				}
				if after {
					n = (n + step/2) % step
				}
				n++
				for toldThoughItDies(t, newRigOn(t, open), n, after, prompt) {
					n += step
				}
				if n < 10 {
					t.Errorf("after %t: only the first %d requests failed", after, n-step)
				}
			}
		})
	}
}

// toldThoughItDies fails the nth request of a process, and lets another process continue. It returns false when the
// process made fewer requests.
func toldThoughItDies(t *testing.T, r *rig, n int, after, prompt bool) (died bool) {
	r.t = t
	r.rule(api.RuleSpec{}, "ops", "chat")
	r.rule(api.RuleSpec{Digest: "hourly"}, "digest")
	dies := r.over(storagetest.Hooked(r.store, dying(n, after, &died)))
	if g := r.changes(2, feed.Content); prompt {
		dies.Follower.feed.OnPublish(dies.Follower.Soon)
		_ = dies.Follower.feed.Publish(t.Context(), g)
		must(t, r.feed.Publish(t.Context(), g))
	} else {
		must(t, r.feed.Publish(t.Context(), g))
		_, _ = dies.Follower.Follow(t.Context())
	}
	got, err := r.Book.queue.Receive(t.Context(), 32, time.Second)
	must(t, err)
	for _, m := range got {
		if id, _ := ParseJob(m.Body); id != "" {
			if _, err := dies.Worker.Deliver(t.Context(), id); err == nil {
				must(t, r.Book.queue.Delete(t.Context(), m))
			}
		}
	}
	r.publish(1, feed.Gone)
	r.settle()
	for channel, want := range map[string]int{"ops": 3, "chat": 3, "digest": 1} {
		ids := map[string]bool{}
		for _, m := range r.to.got[address(channel)] {
			ids[m.ID] = true
		}
		if len(ids) != want {
			t.Fatalf("request %d, after %t: %s got %d different messages, want %d", n, after, channel, len(ids), want)
		}
		if extra := len(r.to.got[address(channel)]) - want; extra > 1 {
			t.Errorf("request %d, after %t: %s got %d messages twice", n, after, channel, extra)
		}
	}
	if left := r.deliveries(Waiting); len(left) > 0 {
		t.Errorf("request %d, after %t: %+v wait", n, after, left)
	}
	return died
}

// dying fails the nth request, before it took effect or after.
func dying(n int, after bool, died *bool) *storagetest.Hooks {
	calls := 0
	fail := func() error {
		if calls++; calls == n {
			*died = true
			return fault.New(fault.Unavailable, "the process died")
		}
		return nil
	}
	if !after {
		return &storagetest.Hooks{OnBefore: func(context.Context, storagetest.Call) error { return fail() }}
	}
	return &storagetest.Hooks{OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
		if err != nil {
			return err
		}
		return fail()
	}}
}

// TestW6TwoAtOnce checks that concurrent followers and workers of several processes deliver each change, and none
// twice while no process dies (W6).
func TestW6TwoAtOnce(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	const changes = 40
	for range changes {
		r.publish(1, feed.Content)
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() { _, _ = r.over(r.store).Follower.Follow(t.Context()) })
		}
		group.Wait()
	}
	got, err := r.Book.queue.Receive(t.Context(), 32, time.Minute)
	must(t, err)
	var group sync.WaitGroup
	for _, m := range got {
		id, err := ParseJob(m.Body)
		must(t, err)
		for range 3 {
			other := r.over(r.store)
			group.Go(func() { _, _ = other.Worker.Deliver(t.Context(), id) })
		}
	}
	group.Wait()
	r.pass(2 * time.Hour)
	seen := map[string]int{}
	for _, m := range r.to.got[address("ops")] {
		seen[m.ID]++
	}
	for id, n := range seen {
		if n > 1 {
			t.Errorf("%s was sent %d times", id, n)
		}
	}
	if _, n := r.told("ops"); n != changes {
		t.Errorf("told of %d changes", n)
	}
}

// TestW6Killed checks that the delivery of a worker that was killed while sending is sent by another (W6).
func TestW6Killed(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	r.publish(1, feed.Content)
	r.follow()
	id := r.deliveries(Waiting)[0].ID
	d, etag, err := r.load(t.Context(), waitingAs, id)
	must(t, err)
	d.Claimed = r.now.Add(sendLease)
	_, err = r.Book.rows.Transact(t.Context(), deliveryRows.Put(deliveryKey(waitingAs, id), etag, &d))
	must(t, err)
	if said, err := r.Deliver(t.Context(), id); said != "another worker has it" || err != nil {
		t.Errorf("%s, %v", said, err)
	}
	got, err := r.Book.queue.Receive(t.Context(), 32, time.Hour)
	must(t, err)
	must(t, r.Book.queue.Delete(t.Context(), got[0])) // the message is lost with the worker
	r.pass(lostAfter + 2*sendLease)
	if m := r.to.got[address("ops")]; len(m) != 1 || m[0].ID != id {
		t.Errorf("%d messages", len(m))
	}
}

// TestW6BusyChannel checks that a channel has a bounded number of messages in flight, and that the others return to
// the queue (W6).
func TestW6BusyChannel(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	r.publish(1, feed.Content)
	r.follow()
	for range perChannel {
		if !r.admit("ops") {
			t.Fatal("no place")
		}
	}
	r.work()
	if n, _ := r.told("ops"); n != 0 {
		t.Error("one too many")
	}
	for range perChannel {
		r.giveBack("ops")
	}
	r.pass(time.Minute)
	if n, _ := r.told("ops"); n != 1 || len(r.busy) != 0 {
		t.Errorf("%d messages, busy %v", n, r.busy)
	}
}

// TestW6ManyRules checks that the deliveries of dozens of rules fit into a transaction (W6).
func TestW6ManyRules(t *testing.T) {
	r := newRig(t)
	for i := range maxTargets / MaxChannels {
		var names []string
		for j := range MaxChannels {
			names = append(names, fmt.Sprintf("c%d-%d", i, j))
		}
		r.rule(api.RuleSpec{}, names...)
	}
	for range 3 {
		r.publish(30, feed.New)
	}
	r.pass(30 * time.Minute)
	for _, name := range []string{"c0-0", "c8-9"} {
		if messages, changes := r.told(name); messages != 11 || changes != 90 {
			t.Errorf("%s: %d messages of %d changes", name, messages, changes)
		}
	}
}

// TestAZ2FreedDelivery checks AZ2: when it is known that nobody works on the store, the delivery of a worker that died
// is sent as soon as its message comes again.
func TestAZ2FreedDelivery(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	r.publish(1, feed.Content)
	r.follow()
	id := r.deliveries(Waiting)[0].ID
	d, etag, err := r.load(t.Context(), waitingAs, id)
	must(t, err)
	d.Claimed = r.now.Add(sendLease)
	_, err = r.Book.rows.Transact(t.Context(), deliveryRows.Put(deliveryKey(waitingAs, id), etag, &d))
	must(t, err)
	must(t, Free(t.Context(), r.store))
	if said, err := r.Deliver(t.Context(), id); said == "another worker has it" || err != nil {
		t.Errorf("%s %v", said, err)
	}
	if n := len(r.deliveries(Waiting)); n != 0 {
		t.Errorf("%d deliveries wait", n)
	}
}

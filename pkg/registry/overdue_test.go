package registry

import (
	"testing"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// TestS16Overdue checks that what is due and unclaimed, the first of it, and the hosts that cannot be reached are known
// after a sweep, and that they are forgotten when they are over (S16).
func TestS16Overdue(t *testing.T) {
	slow := policy.Politeness{MinDelay: time.Second, MaxDelay: time.Second, MaxConcurrent: 1}
	b := openMem(t, Options{Politeness: func(string) policy.Politeness { return slow }})
	began := b.clock.Now()
	b.register(t, RegisterOptions{}, pages("a.example", 500)...)
	b.register(t, RegisterOptions{}, pages("b.example", 1)...)
	first := b.take(t)
	b.clock.Advance(2 * time.Minute)
	sweep := func() Overdue {
		t.Helper()
		if _, err := b.Jobs.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		return b.Jobs.Overdue()
	}
	if have := sweep(); have.Items < 400 || have.Items > 500 || !have.Oldest.Equal(began) || have.Unreached != 0 {
		t.Errorf("%+v of 500 items since %v", have, began)
	}
	for _, job := range first {
		if job.Host != "b.example" {
			continue
		}
		batch := b.begin(t, job)
		down := &policy.UnreachedError{Host: "b.example", Of: "dns", Why: "no such host"}
		if err := b.Jobs.Commit(t.Context(), batch, nil, HostFinding{Unreached: down}, true); err != nil {
			t.Fatal(err)
		}
	}
	b.clock.Advance(time.Minute)
	if have := sweep(); have.Unreached != 1 {
		t.Errorf("a host that cannot be reached: %+v", have)
	}
	for range 40 {
		b.clock.Advance(time.Minute)
		sweep()
		for _, job := range b.take(t) {
			if batch := b.begin(t, job); batch != nil {
				b.finish(t, batch)
			}
		}
	}
	if have := b.Jobs.Overdue(); have != (Overdue{}) {
		t.Errorf("all is done: %+v", have)
	}
}

// TestS16Tally checks that items are counted by status with one request, again only after a change, and after an hour,
// when another process may have changed them (S16).
func TestS16Tally(t *testing.T) {
	b, n := openCounted(t, Options{})
	for i := range 20 {
		b.crawled(t, hostN(i), 3, 1)
	}
	n.Reset()
	tally := func(indexed, failed int) {
		t.Helper()
		have, err := b.Hosts.Tally(t.Context())
		if err != nil || have[Indexed] != indexed || have[Error] != failed || have[Gone] != 0 || len(have) != len(Statuses) {
			t.Errorf("%v, want %d indexed and %d failed (%v)", have, indexed, failed, err)
		}
	}
	tally(40, 20)
	again, err := b.Hosts.Tally(t.Context())
	if again != nil || err != nil || n.Requests.Load() != 1 {
		t.Errorf("unchanged: %v with %d requests (%v)", again, n.Requests.Load(), err)
	}
	b.crawled(t, hostN(20), 1, 0)
	tally(41, 20)
	other := b.another()
	got := other.Items.Register(t.Context(), parse(t, "https://other.example/"), RegisterOptions{})
	if have, err := b.Hosts.Tally(t.Context()); have != nil || err != nil || got[0].Err != nil {
		t.Errorf("what this process does not know of: %v (%v, %v)", have, err, got[0].Err)
	}
	b.clock.Advance(time.Hour)
	if have, err := b.Hosts.Tally(t.Context()); err != nil || have[Pending] != 1 {
		t.Errorf("after an hour: %v (%v)", have, err)
	}
}

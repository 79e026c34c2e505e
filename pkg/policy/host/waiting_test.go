package host

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestE3BatchesAndHostLeases checks that starts are never closer than the pause, and that the permits never exceed
// the host's maximum, for any sequence of batches and host leases (E3).
func TestE3BatchesAndHostLeases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Politeness{
			MinDelay:      time.Duration(rapid.IntRange(0, 10).Draw(t, "min")) * time.Second,
			MaxConcurrent: rapid.IntRange(1, 5).Draw(t, "concurrent"),
		}
		p.MaxDelay = p.MinDelay + time.Duration(rapid.IntRange(0, 10).Draw(t, "spread"))*time.Second
		jitter := func() float64 { return rapid.Float64Range(0, 0.999).Draw(t, "jitter") }
		h, now := &State{}, noon
		var last time.Time
		for i := range rapid.IntRange(1, 30).Draw(t, "comers") {
			now = now.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "wait")) * time.Second)
			owner, itemless := string(rune('a'+i)), rapid.Bool().Draw(t, "lease")
			var g Grant
			var again time.Time
			var ok bool
			if limit := now.Add(20 * time.Second); itemless {
				if g, again, ok = h.ReserveItemless(now, limit, owner, p, jitter); !ok && !again.After(now) {
					t.Fatalf("told to come back at %v, it is %v", again, now)
				}
				if ok && (len(g.Starts) != 1 || g.Starts[0].After(limit) || g.Permits != 1) {
					t.Fatalf("a host lease of %+v", g)
				}
			} else {
				g, _, ok = h.ReserveBatch(now, owner, rapid.IntRange(1, 32).Draw(t, "n"), p, jitter)
			}
			for _, at := range g.Starts {
				if at.Before(now) || !last.IsZero() && at.Sub(last) < p.MinDelay {
					t.Fatalf("a start %v after the last, %v after now; pause %v", at.Sub(last), at.Sub(now), p.MinDelay)
				}
				last = at
			}
			used := 0
			for _, l := range h.Leases {
				used += l.Permits
			}
			if used > p.MaxConcurrent {
				t.Fatalf("%d requests permitted, %d borne", used, p.MaxConcurrent)
			}
			if ok && rapid.Bool().Draw(t, "done") {
				h.ReleaseItemless(now, owner, time.Time{})
			}
		}
	})
}

// TestE3DrawnDelays checks that each pause is min + rand × (max − min): within the bounds, and evenly distributed
// (E3).
func TestE3DrawnDelays(t *testing.T) {
	const draws, bins = 20_000, 10
	rng := rand.New(rand.NewPCG(1, 2))
	p := Politeness{MinDelay: 5 * time.Second, MaxDelay: 10 * time.Second, MaxConcurrent: 1}
	var count [bins]int
	var sum time.Duration
	h, now := &State{}, noon
	for range draws {
		g, _, ok := h.ReserveItemless(now, now, "me", p, rng.Float64)
		if !ok {
			t.Fatal("a free host is refused")
		}
		pause := h.Pace.NextStart.Sub(g.Starts[0])
		if pause < p.MinDelay || pause > p.MaxDelay {
			t.Fatalf("a pause of %v", pause)
		}
		sum += pause
		count[min(bins-1, int(bins*(pause-p.MinDelay)/(p.MaxDelay-p.MinDelay)))]++
		h.ReleaseItemless(now, "me", time.Time{})
		now = h.Pace.NextStart
	}
	if mean := (sum / draws).Seconds(); math.Abs(mean-7.5) > 0.05 {
		t.Errorf("pauses of %v s on average, want 7.5", mean)
	}
	for i, n := range count {
		if n < draws/bins*9/10 || n > draws/bins*11/10 {
			t.Errorf("tenth %d of the range has %d of %d pauses", i, n, draws)
		}
	}
}

// TestBatchesAndHostLeasesTakeTurns checks that a host that is busy all day alternates between batches and host
// leases, however often each asks.
func TestBatchesAndHostLeasesTakeTurns(t *testing.T) {
	p := Politeness{MinDelay: time.Second, MaxDelay: time.Second, MaxConcurrent: 1}
	h, now := &State{}, noon
	batch := func() bool { _, _, ok := h.ReserveBatch(now, "batch", 3, p, half); return ok }
	lease := func() bool { _, _, ok := h.ReserveItemless(now, now.Add(20*time.Second), "lease", p, half); return ok }
	second := func() bool { _, _, ok := h.ReserveItemless(now, now.Add(20*time.Second), "second", p, half); return ok }
	is := func(what string, have, want bool) {
		t.Helper()
		if have != want {
			t.Errorf("%s: %v, want %v", what, have, want)
		}
	}
	is("a batch at a free host", batch(), true)
	is("a host lease beside it", lease(), false)
	now = now.Add(4 * time.Second)
	h.Release("batch", time.Time{})
	is("the next batch before the host lease that waits", batch(), false)
	is("the host lease that waits", lease(), true)
	is("another host lease beside it", second(), false)
	is("a batch beside it", batch(), false)
	now = now.Add(time.Second)
	is("a batch waits for its end", h.ReleaseItemless(now, "lease", time.Time{}), true)
	is("a second host lease before the batch that waits", second(), false)
	is("the batch that waits", batch(), true)
	now = now.Add(4 * time.Second)
	h.Release("batch", time.Time{})
	is("the second lease", second(), true)
	now = now.Add(time.Second)
	is("nobody waits for its end", h.ReleaseItemless(now, "second", time.Time{}), false)
	is("so the next host lease may come", lease(), true)
	is("a batch asks in vain", batch(), false)
	h.ReleaseItemless(now, "lease", time.Time{})
	now = now.Add(batchGrace + time.Second)
	is("a batch that does not come back is forgotten", lease(), true)
	h.ReleaseItemless(now, "lease", time.Time{})
	now = now.Add(time.Second)
	is("a batch again", batch(), true)
	is("a host lease asks in vain", lease(), false)
	h.Release("batch", time.Time{})
	now = now.Add(time.Minute)
	is("a host lease that does not come back is forgotten", batch(), true)
}

// TestHostLeaseEnds checks that the host lease of a dead worker expires, and that a pause leaves no waiter.
func TestHostLeaseEnds(t *testing.T) {
	p := Politeness{MinDelay: time.Second, MaxDelay: time.Second, MaxConcurrent: 1}
	h := &State{}
	if _, _, ok := h.ReserveItemless(noon, noon, "dead", p, half); !ok {
		t.Fatal("a free host is refused")
	}
	if _, _, ok := h.ReserveBatch(noon.Add(LeaseTime-1), "batch", 1, p, half); ok {
		t.Error("a batch beside a lease")
	}
	if _, _, ok := h.ReserveBatch(noon.Add(LeaseTime), "batch", 1, p, half); !ok {
		t.Error("the dead one's pass stands")
	}
	h = &State{}
	h.Pace.Pause(noon, noon.Add(time.Hour), "HTTP 503")
	if _, again, ok := h.ReserveItemless(noon, noon, "me", p, half); ok || !again.Equal(noon.Add(time.Hour)) ||
		!h.Waiting.ItemlessUntil.IsZero() {
		t.Errorf("paused: %v, again at %v, waiter until %v", ok, again, h.Waiting.ItemlessUntil)
	}
}

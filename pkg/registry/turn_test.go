package registry

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// E3: whatever batches and passes reserve and give back, starts are never closer than the pause, and
// never more requests are permitted than the host bears.
func TestE3BatchesAndPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Politeness{
			MinDelay:      time.Duration(rapid.IntRange(0, 10).Draw(t, "min")) * time.Second,
			MaxConcurrent: rapid.IntRange(1, 5).Draw(t, "concurrent"),
		}
		p.MaxDelay = p.MinDelay + time.Duration(rapid.IntRange(0, 10).Draw(t, "spread"))*time.Second
		jitter := func() float64 { return rapid.Float64Range(0, 0.999).Draw(t, "jitter") }
		h, now := &hostState{}, noon
		var last time.Time
		for i := range rapid.IntRange(1, 30).Draw(t, "comers") {
			now = now.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "wait")) * time.Second)
			owner, pass := string(rune('a'+i)), rapid.Bool().Draw(t, "pass")
			var g grant
			var again time.Time
			var ok bool
			if limit := now.Add(20 * time.Second); pass {
				if g, again, ok = h.reservePass(now, limit, owner, p, jitter); !ok && !again.After(now) {
					t.Fatalf("told to come back at %v, it is %v", again, now)
				}
				if ok && (len(g.starts) != 1 || g.starts[0].After(limit) || g.permits != 1) {
					t.Fatalf("a pass of %+v", g)
				}
			} else {
				g, _, ok = h.reserveBatch(now, owner, rapid.IntRange(1, 32).Draw(t, "n"), p, jitter)
			}
			for _, at := range g.starts {
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
				h.leavePass(now, owner, time.Time{})
			}
		}
	})
}

// E3: each pause is min + rand × (max − min): within the bounds, and as likely anywhere between them.
func TestE3DrawnDelays(t *testing.T) {
	const draws, bins = 20_000, 10
	rng := rand.New(rand.NewPCG(1, 2))
	p := Politeness{MinDelay: 5 * time.Second, MaxDelay: 10 * time.Second, MaxConcurrent: 1}
	var count [bins]int
	var sum time.Duration
	h, now := &hostState{}, noon
	for range draws {
		g, _, ok := h.reservePass(now, now, "me", p, rng.Float64)
		if !ok {
			t.Fatal("a free host is refused")
		}
		pause := h.NextSlotAt.Sub(g.starts[0])
		if pause < p.MinDelay || pause > p.MaxDelay {
			t.Fatalf("a pause of %v", pause)
		}
		sum += pause
		count[min(bins-1, int(bins*(pause-p.MinDelay)/(p.MaxDelay-p.MinDelay)))]++
		h.leavePass(now, "me", time.Time{})
		now = h.NextSlotAt
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

// A host that is busy all day lets batches and passes in by turns, whoever asks more often.
func TestBatchesAndPassesTakeTurns(t *testing.T) {
	p := Politeness{MinDelay: time.Second, MaxDelay: time.Second, MaxConcurrent: 1}
	h, now := &hostState{}, noon
	batch := func() bool { _, _, ok := h.reserveBatch(now, "batch", 3, p, half); return ok }
	pass := func() bool { _, _, ok := h.reservePass(now, now.Add(20*time.Second), "pass", p, half); return ok }
	pass2 := func() bool { _, _, ok := h.reservePass(now, now.Add(20*time.Second), "pass2", p, half); return ok }
	is := func(what string, have, want bool) {
		t.Helper()
		if have != want {
			t.Errorf("%s: %v, want %v", what, have, want)
		}
	}
	is("a batch at a free host", batch(), true)
	is("a pass beside it", pass(), false)
	now = now.Add(4 * time.Second)
	h.release("batch", time.Time{})
	is("the next batch before the pass that waits", batch(), false)
	is("the pass that waits", pass(), true)
	is("another pass beside it", pass2(), false)
	is("a batch beside it", batch(), false)
	now = now.Add(time.Second)
	is("a batch waits for its end", h.leavePass(now, "pass", time.Time{}), true)
	is("a second pass before the batch that waits", pass2(), false)
	is("the batch that waits", batch(), true)
	now = now.Add(4 * time.Second)
	h.release("batch", time.Time{})
	is("the second pass", pass2(), true)
	now = now.Add(time.Second)
	is("nobody waits for its end", h.leavePass(now, "pass2", time.Time{}), false)
	is("so the next pass may come", pass(), true)
	is("a batch asks in vain", batch(), false)
	h.leavePass(now, "pass", time.Time{})
	now = now.Add(batchGrace + time.Second)
	is("a batch that does not come back is forgotten", pass(), true)
	h.leavePass(now, "pass", time.Time{})
	now = now.Add(time.Second)
	is("a batch again", batch(), true)
	is("a pass asks in vain", pass(), false)
	h.release("batch", time.Time{})
	now = now.Add(time.Minute)
	is("a pass that does not come back is forgotten", batch(), true)
}

// Who has a pass and dies is in nobody's way after its time; nor does a pause leave a wish.
func TestPassEnds(t *testing.T) {
	p := Politeness{MinDelay: time.Second, MaxDelay: time.Second, MaxConcurrent: 1}
	h := &hostState{}
	if _, _, ok := h.reservePass(noon, noon, "dead", p, half); !ok {
		t.Fatal("a free host is refused")
	}
	if _, _, ok := h.reserveBatch(noon.Add(lockTime-1), "batch", 1, p, half); ok {
		t.Error("a batch beside a pass")
	}
	if _, _, ok := h.reserveBatch(noon.Add(lockTime), "batch", 1, p, half); !ok {
		t.Error("the dead one's pass stands")
	}
	h = &hostState{}
	h.pause(noon, noon.Add(time.Hour), "HTTP 503")
	if _, again, ok := h.reservePass(noon, noon, "me", p, half); ok || !again.Equal(noon.Add(time.Hour)) || !h.PassWaits.IsZero() {
		t.Errorf("paused: %v, again at %v, wish until %v", ok, again, h.PassWaits)
	}
}

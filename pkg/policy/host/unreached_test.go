package host

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestUnreachedHosts checks when a host that cannot be reached is tried again: later with each try, at once if a person
// asks, and one request at a time; and from when on its pages fail (A11).
func TestUnreachedHosts(t *testing.T) {
	var h State
	p := Politeness{MaxConcurrent: 4}
	now := noon
	for i, pause := range []time.Duration{2 * time.Minute, 4 * time.Minute, 8 * time.Minute} {
		h.Unreached.Fail(now, "connection", "connection refused")
		h.Unreached.Fail(now.Add(time.Second), "connection", "connection refused") // another worker's try
		if h.Unreached.Tries != i+1 || !h.Unreached.Since.Equal(noon) || h.Unreached.Lasts(now) != (i == 2) {
			t.Fatalf("after %d tries: %+v", i+1, h.Unreached)
		}
		if until, why := h.Blocked(now, p); !until.Equal(now.Add(pause+time.Second)) || why == "" {
			t.Fatalf("try %d: blocked until %v, %q", i+1, until, why)
		}
		now = h.Unreached.Next
	}
	g, _, ok := h.reserve(now, "me", 5, p, half)
	if !ok || g.Permits != 1 || len(g.Starts) != 5 {
		t.Errorf("a try: %+v %v", g, ok)
	}
	if _, _, ok := h.reserve(now, "other", 5, p, half); ok {
		t.Error("another tries at the same time")
	}
	h.Release("me", now)
	h.Unreached.Fail(now, "dns", "no such host")
	h.Unreached.Ask(now.Add(4 * time.Second))
	g, _, ok = h.reserve(now.Add(4*time.Second), "me", 1, p, half)
	if want := now.Add(AskEvery); !ok || !g.Starts[0].Equal(want) {
		t.Errorf("somebody asks: %+v %v, want a start at %v", g, ok, want)
	}
	if u := (Unreached{Since: noon, Tries: 1}); !u.Lasts(noon.Add(time.Hour)) || u.Lasts(noon.Add(time.Hour-1)) {
		t.Error("an hour is not what counts")
	}
	if u := (Unreached{}); u.Waits(noon) || u.Lasts(noon) {
		t.Error("a host that answers waits")
	}
}

// TestUnreachedIsTriedSeldom checks for any sequence of tries and wishes that a host is tried at most once in ten
// seconds, and without wishes no more often than the pauses allow (A11).
func TestUnreachedIsTriedSeldom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var u Unreached
		now, last := noon, time.Time{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 3600).Draw(t, "seconds")) * time.Second)
			if rapid.Bool().Draw(t, "asks") {
				u.Ask(now)
			}
			if u.Next.After(now) {
				continue
			}
			if !last.IsZero() && now.Sub(last) < AskEvery {
				t.Fatalf("tried again after %v", now.Sub(last))
			}
			u.Fail(now, "connection", "refused")
			last = now
			if pause := u.Next.Sub(now); pause < 2*time.Minute || pause > 4*time.Hour {
				t.Fatalf("pause of %v after %d tries", pause, u.Tries)
			}
		}
	})
}

package host

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func half() float64 { return 0.5 }

func TestReserve(t *testing.T) {
	slow := Politeness{MinDelay: 2 * time.Second, MaxDelay: 4 * time.Second, MaxConcurrent: 2}
	fast := Politeness{MaxConcurrent: 4}
	taken := []Lease{{Owner: "other", Until: noon.Add(time.Minute), Permits: 2}}
	for _, c := range []struct {
		name    string
		host    State
		p       Politeness
		n       int
		starts  int
		permits int
		until   time.Time
		ok      bool
	}{
		{name: "a free host", p: slow, n: 3, starts: 3, permits: 2, ok: true},
		{name: "no more than fits into the window", p: slow, n: 32, starts: 21, permits: 2, ok: true},
		{name: "paced host in other hands", host: State{Leases: taken}, p: slow, n: 1},
		{name: "host that became paced while shared", host: State{Leases: taken, Pace: Pace{CrawlDelay: time.Second}},
			p: fast, n: 1},
		{name: "a dead worker's lease is over", host: State{Leases: []Lease{{Owner: "x", Until: noon, Permits: 2}}}, p: slow,
			n: 1, starts: 1, permits: 2, ok: true},
		{name: "unpaced host is shared", host: State{Leases: taken}, p: fast, n: 5, starts: 5, permits: 1, ok: true},
		{name: "a batch leaves half of two", p: Politeness{MaxConcurrent: 2}, n: 5, starts: 5, permits: 1, ok: true},
		{name: "paused", host: State{Pace: Pace{PausedUntil: noon.Add(time.Hour)}}, p: fast, n: 1,
			until: noon.Add(time.Hour)},
		{name: "booked far ahead", host: State{Pace: Pace{NextStart: noon.Add(2 * time.Minute)}}, p: slow, n: 1,
			until: noon.Add(2 * time.Minute)},
		{name: "robots' Crawl-delay", host: State{Pace: Pace{CrawlDelay: 30 * time.Second}}, p: fast, n: 9, starts: 3,
			permits: 4, ok: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := c.host
			g, until, ok := h.reserve(noon, "me", c.n, c.p, half)
			if len(g.Starts) != c.starts || g.Permits != c.permits || !until.Equal(c.until) || ok != c.ok {
				t.Errorf("have %d starts, %d permits, until %v, %v; want %d, %d, %v, %v",
					len(g.Starts), g.Permits, until, ok, c.starts, c.permits, c.until, c.ok)
			}
		})
	}
}

// TestReservePacesAllWorkers checks that starts are never closer than the pause, and that the permits never exceed
// the host's maximum, for any sequence of reservations and releases (E3).
func TestReservePacesAllWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Politeness{
			MinDelay:      time.Duration(rapid.IntRange(1, 10).Draw(t, "min")) * time.Second,
			MaxConcurrent: rapid.IntRange(1, 5).Draw(t, "concurrent"),
		}
		p.MaxDelay = p.MinDelay + time.Duration(rapid.IntRange(0, 10).Draw(t, "spread"))*time.Second
		jitter := func() float64 { return rapid.Float64Range(0, 0.999).Draw(t, "jitter") }
		h, now := &State{}, noon
		var last time.Time
		for i := range rapid.IntRange(1, 20).Draw(t, "workers") {
			now = now.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "wait")) * time.Second)
			owner := string(rune('a' + i))
			g, _, ok := h.reserve(now, owner, rapid.IntRange(1, 32).Draw(t, "n"), p, jitter)
			for _, at := range g.Starts {
				if !last.IsZero() && at.Sub(last) < p.MinDelay {
					t.Fatalf("starts %v apart, pause %v", at.Sub(last), p.MinDelay)
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
				h.Release(owner, time.Time{})
			}
		}
	})
}

// TestClaimable checks that claims are bounded, are returned with the work, and that those of a lost message expire.
func TestClaimable(t *testing.T) {
	p := Politeness{MaxConcurrent: 4}
	h := &State{}
	if n := h.Pace.claimable(noon, p); n != 2*JobItems {
		t.Fatalf("a fresh host has room for %d", n)
	}
	h.Pace.Claim(noon, 60, p)
	if n := h.Pace.claimable(noon, p); n != 4 {
		t.Errorf("after 60 claims: %d", n)
	}
	h.Pace.Unclaim(32, p)
	if n := h.Pace.claimable(noon, p); n != 36 {
		t.Errorf("after 32 came back: %d", n)
	}
	if n := h.Pace.claimable(noon.Add(time.Minute), p); n != 2*JobItems {
		t.Errorf("a minute after the rest was lost: %d", n)
	}
	h.Pace.Pause(noon, noon.Add(time.Hour), "HTTP 503")
	if n := h.Room(noon, 1, p); n != 0 {
		t.Errorf("while paused: %d", n)
	}
}

// TestRoom checks that a shared host gets whole jobs while more items wait than there is room for, and that a paced
// host, which has one worker, gets as many items as fit.
func TestRoom(t *testing.T) {
	shared, paced := Politeness{MaxConcurrent: 4}, Politeness{MinDelay: time.Second, MaxDelay: time.Second,
		MaxConcurrent: 1}
	for _, tt := range []struct {
		name                   string
		p                      Politeness
		claimed, waiting, want int
	}{
		{"all fit", shared, 0, 40, 40},
		{"two jobs of many", shared, 0, 65, 64},
		{"one job of many", shared, 31, 65, 32},
		{"none for a remainder", shared, 40, 65, 0},
		{"the last ones", shared, 40, 24, 24},
		{"paced", paced, 20, 65, 12},
	} {
		h := &State{}
		h.Pace.Claim(noon, tt.claimed, tt.p)
		if n := h.Room(noon, tt.waiting, tt.p); n != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, n, tt.want)
		}
	}
}

func TestPauseIsNeverShortenedAndBounded(t *testing.T) {
	h := &State{}
	h.Pace.Pause(noon, noon.Add(time.Hour), "first")
	h.Pace.Pause(noon, noon.Add(time.Minute), "second")
	if !h.Pace.PausedUntil.Equal(noon.Add(time.Hour)) || h.Pace.PauseReason != "first" {
		t.Errorf("shortened to %v", h.Pace.PausedUntil)
	}
	h.Pace.Pause(noon, noon.Add(1000*time.Hour), "forever")
	if !h.Pace.PausedUntil.Equal(noon.Add(MaxPause)) {
		t.Errorf("until %v", h.Pace.PausedUntil)
	}
}

func TestRatesSpeakOfRecentChecks(t *testing.T) {
	var r Rates
	for range 5000 {
		r.Add(true, false)
	}
	for range 3000 {
		r.Add(false, true)
	}
	if rate := float64(r.Changes) / float64(r.Checks); rate > 0.1 || r.Checks > rateWindow {
		t.Errorf("change rate %v of %d checks", rate, r.Checks)
	}
}

// TestAZ2TakingOverKeepsThePause checks that the first request after a worker has died starts a pause later, although
// the starts that the worker had reserved are over, and that it does not wait on a host without pauses.
func TestAZ2TakingOverKeepsThePause(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for pause, want := range map[time.Duration]time.Duration{0: 0, time.Second: time.Second, time.Minute: time.Minute} {
		p := Politeness{MinDelay: pause, MaxDelay: pause, MaxConcurrent: 1}
		s := State{Pace: Pace{NextStart: now.Add(-time.Second)}, Leases: []Lease{{Owner: "dead", Until: now.Add(LeaseTime)}}}
		s.Abandon(now, "other", p)
		if !s.Has("dead") || !s.Pace.NextStart.Before(now) {
			t.Errorf("%v: the lease of a worker that lives has ended", pause)
		}
		s.Abandon(now, "dead", p)
		if have := max(0, s.Pace.NextStart.Sub(now)); s.Has("dead") || have != want {
			t.Errorf("a pause of %v: the next request starts %v later", pause, have)
		}
	}
}

package host

import (
	"strings"
	"testing"
	"time"
)

var (
	day      = noon.Truncate(24 * time.Hour)
	midnight = day.Add(24 * time.Hour)
)

// TestE3BlockedHosts checks what blocks a host, and until when (E3).
func TestE3BlockedHosts(t *testing.T) {
	daily := Politeness{Daily: Budget{Requests: 10, Bytes: 100}}
	total := Politeness{Total: Budget{Requests: 80, Bytes: 800}}
	paused := State{Pace: Pace{PausedUntil: noon.Add(time.Minute), PauseReason: "HTTP 429"}, Today: Day{Began: day,
		Used: Budget{Requests: 10}}}
	on := func(d Day) State { d.Began = day; return State{Today: d} }
	for _, tt := range []struct {
		name  string
		host  State
		p     Politeness
		now   time.Time
		until time.Time
		why   string // its beginning
	}{
		{"nothing", State{}, Politeness{}, noon, time.Time{}, ""},
		{"no limit", on(Day{Used: Budget{1 << 40, 1 << 60}}), Politeness{}, noon, time.Time{}, ""},
		{"something is left", on(Day{Used: Budget{9, 99}}), daily, noon, time.Time{}, ""},
		{"requests", on(Day{Used: Budget{10, 99}}), daily, noon, midnight, "the host's daily budget of 10 requests is spent"},
		{"bytes", on(Day{Used: Budget{9, 100}}), daily, noon, midnight, "the host's daily budget of 100 bytes is spent"},
		{"the last moment", on(Day{Used: Budget{10, 0}}), daily, midnight.Add(-1), midnight, "the host's daily"},
		{"the next day", on(Day{Used: Budget{10, 100}}), daily, midnight, time.Time{}, ""},
		{"a limit that was lowered", on(Day{Used: Budget{11, 0}}), daily, noon, midnight, "the host's daily"},
		{"a pause that ends before", paused, daily, noon, midnight, "the host's daily"},
		{"a pause alone", paused, Politeness{}, noon, noon.Add(time.Minute), "HTTP 429"},
		{"a pause that ends after", State{Pace: Pace{PausedUntil: midnight.Add(1), PauseReason: "HTTP 503"},
			Today: Day{Began: day, Used: Budget{10, 0}}}, daily, noon, midnight.Add(1), "HTTP 503"},
		{"nothing was taken from the total yet", on(Day{}), total, noon, time.Time{}, ""},
		{"the total's requests", on(Day{Used: Budget{5, 0}, Granted: Budget{5, 9}, TotalSpent: total.Total}), total, noon,
			midnight, "the daily budget of 80 requests for all hosts is spent"},
		{"the total's bytes", on(Day{Used: Budget{5, 9}, Granted: Budget{9, 9}, TotalSpent: total.Total}), total, noon,
			midnight, "the daily budget of 800 bytes for all hosts is spent"},
		{"the total was raised", on(Day{Used: Budget{5, 0}, Granted: Budget{5, 9}, TotalSpent: Budget{79, 799}}), total, noon,
			time.Time{}, ""},
		{"what was given back may be used", on(Day{Used: Budget{4, 0}, Granted: Budget{5, 9}, TotalSpent: total.Total}),
			total, noon, time.Time{}, ""},
	} {
		until, why := tt.host.Blocked(tt.now, tt.p)
		if !until.Equal(tt.until) || !strings.HasPrefix(why, tt.why) || tt.why == "" && why != "" {
			t.Errorf("%s: until %v, %q; want %v, %q", tt.name, until, why, tt.until, tt.why)
		}
	}
}

// TestE3Reservations checks that a reservation counts until it is returned, over midnight and when its owner dies
// (E3).
func TestE3Reservations(t *testing.T) {
	p := Politeness{MaxConcurrent: 4, Daily: Budget{Requests: 10, Bytes: 100}}
	h := State{}
	reserve := func(now time.Time, owner string, n, starts int, left Budget) {
		t.Helper()
		g, _, ok := h.reserve(now, owner, n, p, half)
		if len(g.Starts) != starts || ok != (starts > 0) {
			t.Fatalf("%s has %d starts of %d, want %d", owner, len(g.Starts), n, starts)
		}
		if have := g.Left; starts > 0 && have != left {
			t.Errorf("%s may ask for %+v, want %+v", owner, have, left)
		}
	}
	used := func(want Budget) {
		t.Helper()
		if h.Today.Used != want {
			t.Fatalf("used %+v, want %+v", h.Today.Used, want)
		}
	}
	reserve(noon, "a", 6, 6, Budget{6 + 2, 50}) // half of what is left, so another may come
	reserve(noon, "b", 6, 4, Budget{4, 25})
	used(Budget{10, 0})
	h.Charge(noon, "a", Budget{2, 30})
	used(Budget{10, 30})
	h.Release("a", time.Time{})
	used(Budget{6, 30})
	h.Charge(noon, "b", Budget{5, 10}) // one more than its reservation
	used(Budget{7, 40})
	h.Release("b", time.Time{})
	used(Budget{7, 40})

	late := midnight.Add(-LeaseTime / 2)
	reserve(late, "dies", 2, 2, Budget{2 + 1, 30})
	used(Budget{9, 40})
	h.StartDay(midnight)
	used(Budget{2, 0}) // its reservation is still open
	h.StartDay(late)
	used(Budget{2, 0}) // a slow clock does not return to yesterday
	after := midnight.Add(LeaseTime)
	reserve(after, "c", 20, 8, Budget{8, 50})
	used(Budget{10, 0})
	h.Charge(after, "dies", Budget{1, 5}) // the worker was alive after all
	used(Budget{11, 5})
	h.StartDay(after.Add(24 * time.Hour))
	used(Budget{}) // c died long ago
}

// TestTotalIsShared checks that hosts together can take the whole total, and at most a quarter beyond their needs.
func TestTotalIsShared(t *testing.T) {
	for _, total := range []int64{1, 7, 8, 9, 1000} {
		var rows [Shares]Share
		var sum int64
		for range 2 {
			for i := range rows {
				sum += rows[i].Spend(midnight, Budget{Requests: total}, Budget{Requests: total}, i).Requests
			}
		}
		if sum != total {
			t.Errorf("of %d they give %d", total, sum)
		}
		if next := rows[0].Spend(midnight.Add(24*time.Hour), Budget{Requests: 1}, Budget{Requests: total},
			0); next.Requests != 1 {
			t.Errorf("on the next day the first gives %+v", next)
		}
		all := Budget{Requests: total}
		if late := rows[0].Spend(midnight, all, all, 0); late.Requests != partOf(total, 0)-1 {
			t.Errorf("to a clock that is behind the first gives %+v", late)
		}
	}
	h, takes, p := State{}, 0, Politeness{Total: Budget{Requests: 1}}
	for range 300 {
		if want := h.Wants(noon, 32, p); want != (Budget{}) {
			h.Today.Granted = h.Today.Granted.Plus(want)
			takes++
		}
		h.Today.Used.Requests += 32
		if spare := h.Today.Granted.Requests - h.Today.Used.Requests; spare < 0 || spare > mostSpare+2 ||
			spare > 2+h.Today.Used.Requests/4 {
			t.Fatalf("%d in hand beyond %d", spare, h.Today.Used.Requests)
		}
	}
	if takes > 60 {
		t.Errorf("300 batches take %d times", takes)
	}
}

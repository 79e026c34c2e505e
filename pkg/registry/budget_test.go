package registry

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/source"
)

var midnight = dayOf(noon).Add(24 * time.Hour)

// What holds a host back, and until when.
func TestE3HeldHosts(t *testing.T) {
	daily := Politeness{Daily: Budget{Requests: 10, Bytes: 100}}
	total := Politeness{Total: Budget{Requests: 80, Bytes: 800}}
	paused := hostState{Day: dayOf(noon), PausedUntil: noon.Add(time.Minute), PauseReason: "HTTP 429", Used: Budget{Requests: 10}}
	on := func(h hostState) hostState { h.Day = dayOf(noon); return h }
	for _, tt := range []struct {
		name  string
		host  hostState
		p     Politeness
		now   time.Time
		until time.Time
		why   string // the beginning
	}{
		{"nothing", hostState{}, Politeness{}, noon, time.Time{}, ""},
		{"no limit", on(hostState{Used: Budget{1 << 40, 1 << 60}}), Politeness{}, noon, time.Time{}, ""},
		{"something is left", on(hostState{Used: Budget{9, 99}}), daily, noon, time.Time{}, ""},
		{"requests", on(hostState{Used: Budget{10, 99}}), daily, noon, midnight, "the host's daily budget of 10 requests is spent"},
		{"bytes", on(hostState{Used: Budget{9, 100}}), daily, noon, midnight, "the host's daily budget of 100 bytes is spent"},
		{"the last moment", on(hostState{Used: Budget{10, 0}}), daily, midnight.Add(-1), midnight, "the host's daily"},
		{"the next day", on(hostState{Used: Budget{10, 100}}), daily, midnight, time.Time{}, ""},
		{"a limit that was lowered", on(hostState{Used: Budget{11, 0}}), daily, noon, midnight, "the host's daily"},
		{"a pause that ends before", paused, daily, noon, midnight, "the host's daily"},
		{"a pause alone", paused, Politeness{}, noon, noon.Add(time.Minute), "HTTP 429"},
		{"a pause that ends after", hostState{PausedUntil: midnight.Add(1), PauseReason: "HTTP 503", Day: dayOf(noon), Used: Budget{10, 0}}, daily, noon, midnight.Add(1), "HTTP 503"},
		{"nothing was taken from the total yet", on(hostState{}), total, noon, time.Time{}, ""},
		{"the total's requests", on(hostState{Used: Budget{5, 0}, Granted: Budget{5, 9}, TotalSpent: total.Total}), total, noon, midnight, "the daily budget of 80 requests for all hosts is spent"},
		{"the total's bytes", on(hostState{Used: Budget{5, 9}, Granted: Budget{9, 9}, TotalSpent: total.Total}), total, noon, midnight, "the daily budget of 800 bytes for all hosts is spent"},
		{"the total was raised", on(hostState{Used: Budget{5, 0}, Granted: Budget{5, 9}, TotalSpent: Budget{79, 799}}), total, noon, time.Time{}, ""},
		{"what was given back may be used", on(hostState{Used: Budget{4, 0}, Granted: Budget{5, 9}, TotalSpent: total.Total}), total, noon, time.Time{}, ""},
	} {
		until, why := tt.host.held(tt.now, tt.p)
		if !until.Equal(tt.until) || !strings.HasPrefix(why, tt.why) || tt.why == "" && why != "" {
			t.Errorf("%s: until %v, %q; want %v, %q", tt.name, until, why, tt.until, tt.why)
		}
	}
}

// What is reserved is counted until it is given back, over midnight and when its owner dies.
func TestE3Reservations(t *testing.T) {
	p := Politeness{MaxConcurrent: 4, Daily: Budget{Requests: 10, Bytes: 100}}
	h := hostState{}
	reserve := func(now time.Time, owner string, n, starts int, left Budget) {
		t.Helper()
		g, _, ok := h.reserve(now, owner, n, p, half)
		if len(g.starts) != starts || ok != (starts > 0) {
			t.Fatalf("%s has %d starts of %d, want %d", owner, len(g.starts), n, starts)
		}
		if have := h.allow(len(g.starts), g.permits, p); starts > 0 && have != left {
			t.Errorf("%s may ask for %+v, want %+v", owner, have, left)
		}
	}
	used := func(want Budget) {
		t.Helper()
		if h.Used != want {
			t.Fatalf("used %+v, want %+v", h.Used, want)
		}
	}
	reserve(noon, "a", 6, 6, Budget{6 + 2, 50}) // half of what is left: another may come
	reserve(noon, "b", 6, 4, Budget{4, 50})
	used(Budget{10, 0})
	h.charge(noon, "a", Budget{2, 30})
	used(Budget{10, 30})
	h.release("a", time.Time{})
	used(Budget{6, 30})
	h.charge(noon, "b", Budget{5, 10}) // one more than it has reserved
	used(Budget{7, 40})
	h.release("b", time.Time{})
	used(Budget{7, 40})

	late := midnight.Add(-lockTime / 2)
	reserve(late, "dies", 2, 2, Budget{2 + 1, 30})
	used(Budget{9, 40})
	h.turnDay(midnight)
	used(Budget{2, 0}) // it may still ask
	h.turnDay(late)
	used(Budget{2, 0}) // a clock that is behind does not turn it back
	after := midnight.Add(lockTime)
	reserve(after, "c", 20, 8, Budget{8, 50})
	used(Budget{10, 0})
	h.charge(after, "dies", Budget{1, 5}) // it came back after all
	used(Budget{11, 5})
}

// LIMIT_ITEMS_PER_HOST: exact, whoever registers at the same time; what is there goes on.
func TestA7ItemLimit(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		limit := 5
		b := open(t, Options{Politeness: func(string) Politeness { return Politeness{MaxConcurrent: 1, MaxItems: limit} }})
		others, results := []*Registry{b.Registry, b.another(), b.another()}, make(chan []Registered, 3)
		for i, r := range others {
			go func() { results <- r.Register(t.Context(), parse(t, pages("a.example", 3*i+2)...), RegisterOptions{}) }()
		}
		made, refused := 0, 0
		for range others {
			for _, got := range <-results {
				switch {
				case IsItemLimit(got.Err) && fault.Is(got.Err, fault.Blocked) && got.Err.Error() == "host a.example has 5 items, the limit is 5 (LIMIT_ITEMS_PER_HOST)":
					refused++
				case got.Err != nil:
					t.Error(got.Err)
				case got.Created:
					made++
				}
			}
		}
		if made != limit || refused == 0 {
			t.Errorf("%d made and %d refused, want %d made", made, refused, limit)
		}
		items, err := b.List(t.Context(), ListQuery{Top: 100})
		if err != nil || len(items) != limit {
			t.Fatalf("%d items, %v", len(items), err)
		}
		if got := b.Register(t.Context(), parse(t, items[0].NormalizedSource, "https://b.example/"), RegisterOptions{Force: true}); got[0].Err != nil || !got[1].Created {
			t.Errorf("what is there: %v; another host: %v", got[0].Err, got[1].Err)
		}
		before, _ := b.Find(t.Context(), items[0].ID)
		b.check(t)
		refusedID := parse(t, "https://a.example/refused")[0]
		if got := b.Register(t.Context(), []source.Source{refusedID}, RegisterOptions{}); !IsItemLimit(got[0].Err) {
			t.Error("a new one is not refused")
		}
		if _, err := b.index.Get(t.Context(), indexKey(refusedID.Hash())); !fault.Is(err, fault.NotFound) {
			t.Errorf("what is refused leaves a pointer: %v", err)
		}
		limit = 6
		if got := b.Register(t.Context(), []source.Source{refusedID}, RegisterOptions{}); got[0].Err != nil || before.ReindexGeneration != 1 {
			t.Errorf("below a raised limit: %v", got[0].Err)
		}
	})
}

// Budgets of a day: a host that has spent its own waits until the next day without an attempt, and with
// one look in ten minutes.
func TestE3DailyBudget(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		p := Politeness{MaxConcurrent: 1, Daily: Budget{Requests: 3}}
		b := open(t, Options{Politeness: func(string) Politeness { return p }})
		b.register(t, RegisterOptions{}, pages("a.example", 8)...)
		day := func(want int) {
			t.Helper()
			asked := 0
			for _, job := range b.take(t) {
				if batch := b.begin(t, job); batch != nil {
					asked += len(batch.Items)
					b.finishAsking(t, batch)
				}
			}
			b.check(t)
			if asked != want {
				t.Errorf("%s: %d items, want %d", b.clock.Now(), asked, want)
			}
		}
		day(3)
		view, err := b.Host(t.Context(), "a.example")
		if err != nil || !view.PausedUntil.Equal(midnight) || view.PauseReason != "the host's daily budget of 3 requests is spent" || view.Today.Requests != 3 {
			t.Errorf("it is shown as %+v, %v", view, err)
		}
		if _, err := b.Enter(t.Context(), "a.example", "a.example", time.Minute); !fault.Is(err, fault.Throttled) || fault.RetryAfter(err) != midnight.Sub(b.clock.Now()) {
			t.Errorf("a visit: %v, after %v", err, fault.RetryAfter(err))
		}
		looks := 0
		for range 60 {
			b.clock.Advance(time.Minute)
			report, err := b.Sweep(t.Context())
			if looks += report.Partitions; err != nil || report.Claimed > 0 {
				t.Fatalf("swept %+v, %v", report, err)
			}
			b.check(t)
		}
		if looks > 15 { // one for each hint that is left, too
			t.Errorf("%d looks in an hour", looks)
		}
		for next := range 2 {
			b.clock.Advance(midnight.Add(time.Duration(next)*24*time.Hour + 11*time.Minute).Sub(b.clock.Now()))
			if _, err := b.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			day(3) // those that wait come first
		}
		items, err := b.List(t.Context(), ListQuery{Top: 100})
		if err != nil || slices.ContainsFunc(items, func(it Item) bool { return it.Status != Indexed || it.CrawlAttempts > 0 }) {
			t.Errorf("items %v, %v", items, err)
		}
	})
}

// Budgets of all hosts together: never more than they have, whoever takes at once, and with few writes
// of what is shared; on the next day there is more.
func TestE3TotalBudget(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		p := Politeness{MaxConcurrent: 1, Total: Budget{Requests: 100, Bytes: 1 << 30}}
		b := open(t, Options{Politeness: func(string) Politeness { return p }})
		hosts := make([]string, 12)
		for i := range hosts {
			hosts[i] = fmt.Sprintf("h%d.example", i)
			b.register(t, RegisterOptions{}, pages(hosts[i], 30)...)
		}
		day := func() (asked int) {
			t.Helper()
			for range 30 {
				for _, job := range b.take(t) {
					if batch := b.begin(t, job); batch != nil {
						asked += len(batch.Items)
						b.finishAsking(t, batch)
					}
				}
				if _, err := b.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				b.check(t)
				b.clock.Advance(time.Minute)
			}
			return asked
		}
		for range 3 {
			if n := day(); n > 100 || n < 80 {
				t.Errorf("%s: %d requests of 100", b.clock.Now(), n)
			}
			stats, err := b.Stats(t.Context(), "h11.example")
			if err != nil || len(stats) != 1 || !strings.Contains(stats[0].PauseReason, "100 requests for all hosts") {
				t.Errorf("it is shown as %+v, %v", stats, err)
			}
			b.clock.Advance(24*time.Hour - 30*time.Minute)
			if _, err := b.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		p.Total.Requests = 1000 // raised: what is left goes on today
		b.clock.Advance(11 * time.Minute)
		if _, err := b.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := day(); n < 50 {
			t.Errorf("%d requests after the limit was raised", n)
		}
	})
}

// What hosts take of a total: all of it together, and no more than a quarter beside what they need.
func TestTotalIsShared(t *testing.T) {
	for _, total := range []int64{1, 7, 8, 9, 1000} {
		var rows [totalShards]totalRow
		var sum int64
		for range 2 {
			for i := range rows {
				sum += rows[i].take(midnight, Budget{Requests: total}, Budget{Requests: partOf(total, uint64(i))}).Requests
			}
		}
		if sum != total {
			t.Errorf("of %d they give %d", total, sum)
		}
		if next := rows[0].take(midnight.Add(24*time.Hour), Budget{Requests: 1}, Budget{Requests: partOf(total, 0)}); next.Requests != 1 {
			t.Errorf("on the next day the first gives %+v", next)
		}
		if late := rows[0].take(midnight, Budget{Requests: total}, Budget{Requests: partOf(total, 0)}); late.Requests != partOf(total, 0)-1 {
			t.Errorf("to a clock that is behind the first gives %+v", late)
		}
	}
	h, takes, p := hostState{}, 0, Politeness{Total: Budget{Requests: 1}}
	for range 300 {
		if want := h.wants(32, p); want != (Budget{}) {
			h.Granted = h.Granted.plus(want)
			takes++
		}
		h.Used.Requests += 32
		if spare := h.Granted.Requests - h.Used.Requests; spare < 0 || spare > mostSpare+2 || spare > 2+h.Used.Requests/4 {
			t.Fatalf("%d in hand beyond %d", spare, h.Used.Requests)
		}
	}
	if takes > 60 {
		t.Errorf("300 batches take %d times", takes)
	}
}

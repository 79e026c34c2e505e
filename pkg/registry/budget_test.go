package registry

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/soaktest"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

var (
	noon     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	midnight = noon.Truncate(24 * time.Hour).Add(24 * time.Hour)
)

// LIMIT_ITEMS_PER_HOST is exact, also with concurrent registrations. Items that exist already are still checked.
func TestA7ItemLimit(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		limit := 5
		b := open(t, Options{Politeness: func(string) policy.Politeness {
			return policy.Politeness{MaxConcurrent: 1, MaxItems: limit}
		}})
		others, results := []*Registry{b.Registry, b.another(), b.another()}, make(chan []Registered, 3)
		for i, r := range others {
			go func() {
				results <- r.Items.Register(t.Context(), parse(t, pages("a.example", 3*i+2)...), RegisterOptions{})
			}()
		}
		made, refused := 0, 0
		for range others {
			for _, got := range <-results {
				switch {
				case IsItemLimit(got.Err) && fault.Is(got.Err, fault.Blocked) &&
					got.Err.Error() == "host a.example has 5 items, the limit is 5 (LIMIT_ITEMS_PER_HOST)":
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
		items, err := b.Items.List(t.Context(), ListQuery{Top: 100})
		if err != nil || len(items) != limit {
			t.Fatalf("%d items, %v", len(items), err)
		}
		if got := b.Items.Register(t.Context(), parse(t, items[0].NormalizedSource, "https://b.example/"),
			RegisterOptions{Force: true}); got[0].Err != nil || !got[1].Created {
			t.Errorf("what is there: %v; another host: %v", got[0].Err, got[1].Err)
		}
		before, _ := b.Items.Find(t.Context(), items[0].ID)
		b.check(t)
		refusedID := parse(t, "https://a.example/refused")[0]
		if got := b.Items.Register(t.Context(), []source.Source{refusedID}, RegisterOptions{}); !IsItemLimit(got[0].Err) {
			t.Error("a new one is not refused")
		}
		if _, err := b.s.Index.Get(t.Context(), indexKey(refusedID.Hash())); !fault.Is(err, fault.NotFound) {
			t.Errorf("what is refused leaves a pointer: %v", err)
		}
		limit = 6
		if got := b.Items.Register(t.Context(), []source.Source{refusedID}, RegisterOptions{}); got[0].Err != nil ||
			before.ReindexGeneration != 1 {
			t.Errorf("below a raised limit: %v", got[0].Err)
		}
	})
}

// Daily budget of a host: a host that has spent its budget waits until the next day, without an attempt and with one
// poll in ten minutes.
func TestE3DailyBudget(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		p := policy.Politeness{MaxConcurrent: 1, Daily: policy.Budget{Requests: 3}}
		b := open(t, Options{Politeness: func(string) policy.Politeness { return p }})
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
		view, err := b.Hosts.View(t.Context(), "a.example")
		if err != nil || !view.PausedUntil.Equal(midnight) ||
			view.PauseReason != "the host's daily budget of 3 requests is spent" || view.Today.Requests != 3 {
			t.Errorf("it is shown as %+v, %v", view, err)
		}
		if _, err := b.Hosts.Acquire(t.Context(), "a.example", "a.example", time.Minute); !fault.Is(err, fault.Throttled) ||
			fault.RetryAfter(err) != midnight.Sub(b.clock.Now()) {
			t.Errorf("a visit: %v, after %v", err, fault.RetryAfter(err))
		}
		looks := 0
		for range 60 {
			b.clock.Advance(time.Minute)
			report, err := b.Jobs.Sweep(t.Context())
			if looks += report.Partitions; err != nil || report.Claimed > 0 {
				t.Fatalf("swept %+v, %v", report, err)
			}
			b.check(t)
		}
		if looks > 15 { // remaining hints add one each
			t.Errorf("%d looks in an hour", looks)
		}
		for next := range 2 {
			b.clock.Advance(midnight.Add(time.Duration(next)*24*time.Hour + 11*time.Minute).Sub(b.clock.Now()))
			if _, err := b.Jobs.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			day(3) // items that wait come first
		}
		items, err := b.Items.List(t.Context(), ListQuery{Top: 100})
		if err != nil || slices.ContainsFunc(items, func(it Item) bool {
			return it.Status != Indexed || it.CrawlAttempts > 0
		}) {
			t.Errorf("items %v, %v", items, err)
		}
	})
}

// Daily budget of all hosts together: concurrent workers never exceed it, and the shared rows are written rarely. The
// next day begins with a full budget.
func TestE3TotalBudget(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		p := policy.Politeness{MaxConcurrent: 1, Total: policy.Budget{Requests: 100, Bytes: 1 << 30}}
		b := open(t, Options{Politeness: func(string) policy.Politeness { return p }})
		hosts := make([]string, 12)
		for i := range hosts {
			hosts[i] = fmt.Sprintf("h%d.example", i)
			b.register(t, RegisterOptions{}, pages(hosts[i], 30)...)
		}
		day := func() (asked int) {
			t.Helper()
			for minute := range 30 {
				for _, job := range b.take(t) {
					if batch := b.begin(t, job); batch != nil {
						asked += len(batch.Items)
						b.finishAsking(t, batch)
					}
				}
				if _, err := b.Jobs.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				if minute%soaktest.Count(5, 1) == 0 {
					b.check(t)
				}
				b.clock.Advance(time.Minute)
			}
			return asked
		}
		for range 3 {
			if n := day(); n > 100 || n < 80 {
				t.Errorf("%s: %d requests of 100", b.clock.Now(), n)
			}
			stats, err := b.Hosts.Stats(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			for _, host := range stats {
				if host.Items[Pending] > 0 && !strings.Contains(host.PauseReason, "100 requests for all hosts") {
					t.Errorf("it is shown as %+v", host)
				}
			}
			b.clock.Advance(24*time.Hour - 30*time.Minute)
			if _, err := b.Jobs.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		p.Total.Requests = 1000 // raised: the remaining items are checked today
		b.clock.Advance(11 * time.Minute)
		if _, err := b.Jobs.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := day(); n < 50 {
			t.Errorf("%d requests after the limit was raised", n)
		}
	})
}

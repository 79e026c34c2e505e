package crawl

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/soaktest"
	"github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

// quarterly is the demand of a rule for a check each quarter of an hour.
func quarterly(context.Context, *registry.Item) ([]options.Demand, error) {
	return []options.Demand{{Every: 15 * time.Minute, Rule: "rule_a", Name: "Lamp"}}, nil
}

// TestK15CheckedAsOftenAsARuleWants checks that a page is checked as often as a rule wants, however long it has not
// changed, and whatever its own interval is (K15).
func TestK15CheckedAsOftenAsARuleWants(t *testing.T) {
	r := newRig(t)
	r.site.put("/lamp", text("v1"))
	it := r.first("/lamp")
	_, err := r.reg.Items.Set(t.Context(), it.ID, registry.Settings{Demand: quarterly})
	must(t, err)
	for n := range 20 {
		before := r.item("/lamp")
		if wait := before.NextCrawlAt.Sub(before.LastChecked); wait != 15*time.Minute {
			t.Fatalf("check %d is %v after the one before", n, wait)
		}
		r.next("/lamp")
	}
}

// TestK15AWeekOfAlertsOnOneHost checks that a host of which hundreds of pages are wanted each quarter of an hour gets
// no more requests than its pace and its daily budget allow, in a simulated week, and that all pages get their share
// (K15).
func TestK15AWeekOfAlertsOnOneHost(t *testing.T) {
	const pace = 20 * time.Second
	pages := soaktest.Count(200, 500)
	daily := pages * 6 / 5
	shares := 7*daily/pages - 3
	r := newRig(t, func(k *knobs) {
		k.polite = host.Politeness{MaxConcurrent: 1, MinDelay: pace, MaxDelay: pace,
			Daily: host.Budget{Requests: int64(daily)}}
	})
	var last time.Time
	asked, days := map[string]int{}, map[string]int{}
	r.site.before = func(path string) {
		now := r.clock.now()
		if gap := now.Sub(last); !last.IsZero() && gap < pace {
			t.Errorf("%s is asked for %v after the request before", path, gap)
		}
		last = now
		asked[path]++
		days[now.Format(time.DateOnly)]++
	}
	all := paths(pages)
	for i, p := range all {
		r.site.put(p, text(fmt.Sprint("v", i)))
	}
	r.reg.Items.DemandsBy(quarterly)
	r.register(false, all...)
	for end := r.clock.now().Add(7 * 24 * time.Hour); r.clock.now().Before(end) && !t.Failed(); {
		_, err := r.reg.Jobs.Sweep(t.Context())
		must(t, err)
		for _, job := range r.jobs() {
			must(t, r.Process(t.Context(), job))
		}
		r.clock.pass(time.Minute)
	}
	for day, n := range days {
		if n > daily {
			t.Errorf("%d requests on %s", n, day)
		}
	}
	for _, p := range all {
		if asked[p] < shares {
			t.Errorf("%s was asked for %d times, want %d", p, asked[p], shares)
		}
	}
	it := r.item("/0")
	e, err := r.reg.Tags.Effective(t.Context(), &it)
	must(t, err)
	if by, _, err := r.reg.Hosts.Held(t.Context(), &it, e); by != api.HeldByPace && by != api.HeldByBudget || err != nil {
		t.Errorf("the checks are held back by %q, %v", by, err)
	}
}

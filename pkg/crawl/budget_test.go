package crawl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// limited sets budgets for the rig's hosts.
func limited(daily, total policy.Budget) func(*knobs) {
	return func(k *knobs) { k.polite.Daily, k.polite.Total = daily, total }
}

func paths(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("/%d", i))
	}
	return out
}

// tomorrow begins the next day, and sweeps until there is nothing left to do in its first hour.
func (r *rig) tomorrow() {
	r.t.Helper()
	now := r.clock.now()
	r.clock.pass(now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now))
	for range 5 {
		r.clock.pass(11 * time.Minute)
		_, err := r.reg.Jobs.Sweep(r.t.Context())
		must(r.t, err)
		r.mustWork()
	}
}

func (r *rig) fetched(of []string) (n int) {
	for _, p := range of {
		it := r.item(p)
		if it.CrawlAttempts > 0 || it.Status == registry.Error {
			r.t.Errorf("%s: %s after %d attempts: %s", p, it.Status, it.CrawlAttempts, it.ErrorMessage)
		}
		n += one(it.Status == registry.Indexed)
	}
	return n
}

// TestE3BudgetOfRequests checks E3: when a budget is spent, pages wait for the next day, without an error or an
// attempt. Every request counts: on the first day also those for robots.txt, for the page that cannot exist, for
// redirects and for resources.
func TestE3BudgetOfRequests(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open), limited(policy.Budget{Requests: 6}, policy.Budget{}))
		all := paths(12)
		for i, p := range all {
			r.site.put(p, text(fmt.Sprint("v", i)))
		}
		r.site.put("/1", to(302, r.site.URL+"/other"))
		r.site.put("/other", text("other"))
		_, err := r.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.site.URL + "/2"}) // and robots.txt
		must(t, err)
		r.register(false, all...)
		r.mustWork()
		if n := r.fetched(all); n != 3 { // "/0", "/1" with its redirect, "/2"
			t.Errorf("on the first day %d pages", n)
		}
		view, err := r.reg.Hosts.View(t.Context(), r.source("/").Host)
		must(t, err)
		if view.Today.Requests != 6 || !strings.Contains(view.PauseReason, "daily budget of 6 requests") {
			t.Errorf("the host is shown as %+v", view)
		}
		if _, err := r.FetchResource(t.Context(), politeness.ResourceRequest{URL: r.site.URL + "/3"}); !fault.Is(
			err,
			fault.Throttled,
		) ||
			fault.RetryAfter(err) < 10*time.Hour {
			t.Errorf("a resource: %v, after %v", err, fault.RetryAfter(err))
		}
		for range 2 {
			r.tomorrow()
		}
		if n := r.fetched(all); n < 11 {
			t.Errorf("two days later %d pages", n)
		}
	})
}

// TestE3BudgetOfBytes checks E3: a budget of bytes is exceeded by no more than the bodies in flight.
func TestE3BudgetOfBytes(t *testing.T) {
	size := int64(len(text("v10").body))
	for _, total := range []bool{false, true} {
		budget := policy.Budget{Bytes: 5*size + 1}
		daily, all := budget, policy.Budget{}
		if total {
			daily, all = policy.Budget{}, policy.Budget{Bytes: 8 * budget.Bytes} // handed out in eight parts
		}
		r := newRig(t, limited(daily, all))
		pages := paths(100)
		for i, p := range pages {
			r.site.put(p, text(fmt.Sprint("v", 100+i)))
		}
		r.register(false, pages...)
		r.mustWork()
		limit := max(daily.Bytes, all.Bytes)
		view, err := r.reg.Hosts.View(t.Context(), r.source("/").Host)
		must(t, err)
		if b := view.Today.Bytes; b < limit || b > limit+size+10 || !strings.Contains(view.PauseReason, "bytes") {
			t.Errorf("%d bytes of %d; %s", b, limit, view.PauseReason)
		}
		before := r.fetched(pages)
		r.tomorrow()
		if n := r.fetched(pages); n < min(2*before-1, len(pages)) {
			t.Errorf("%d pages on the first day, %d with the second", before, n)
		}
	}
}

// TestE3SpentBudgetLetsOthersPass checks E3: work that needs no request needs no budget: removals go on.
func TestE3SpentBudgetLetsOthersPass(t *testing.T) {
	r := newRig(t, limited(policy.Budget{Requests: 3}, policy.Budget{}))
	r.site.put("/p", text("v1"))
	r.site.put("/q", text("v2"))
	r.first("/p")
	r.first("/q")
	_, err := r.reg.Items.Remove(t.Context(), r.item("/p").ID)
	must(t, err)
	r.mustWork()
	if _, err := r.reg.Items.Find(t.Context(), r.source("/p").ID()); !fault.Is(err, fault.NotFound) {
		t.Errorf("it is not removed: %v", err)
	}
}

// TestE3CostOfLimits checks E3: an unchanged check costs the same storage requests with limits as without. With a
// budget that hosts share, it costs one more read and write for each portion of the budget.
func TestE3CostOfLimits(t *testing.T) {
	count := func(daily, total policy.Budget, items int) (calls []string) {
		var c counter
		r := newRig(t, limited(daily, total), func(k *knobs) {
			k.polite.MaxItems = items
			k.store = func(s storage.Store) storage.Store { return storagetest.Hooked(s, &c) }
		})
		all := paths(1) // how many queries read the items of a larger job depends on their hashes
		for i, p := range all {
			r.site.put(p, text(fmt.Sprint("v", i)).etag("1"))
		}
		r.register(false, all...)
		r.mustWork()
		c.take()
		r.due(all[0])
		r.mustWork()
		if it := r.item(all[0]); last(it) != "unchanged" {
			t.Fatalf("%s: %s", it.Status, last(it))
		}
		return c.take()
	}
	free := count(policy.Budget{}, policy.Budget{}, 0)
	if with := count(policy.Budget{Requests: 1000, Bytes: 1 << 30}, policy.Budget{}, 100); !slices.Equal(
		free,
		with,
	) {
		t.Errorf("without limits %d storage requests, with them %d:\n%q\n%q", len(free), len(with), free, with)
	}
	shared := count(policy.Budget{}, policy.Budget{Requests: 8000, Bytes: 1 << 30}, 0)
	if more := len(shared) - len(free); more != 2 {
		t.Errorf("with a shared budget %d storage requests more: %q", more, shared)
	}
}

// counter counts storage requests.
type counter struct {
	mu    sync.Mutex
	calls []string
}

func (c *counter) Before(_ context.Context, call storagetest.Call) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, call.Op+" "+call.Name)
	return nil
}

func (c *counter) After(_ context.Context, _ storagetest.Call, err error) error { return err }

func (c *counter) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.calls
	c.calls = nil
	return out
}

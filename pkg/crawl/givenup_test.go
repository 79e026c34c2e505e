package crawl

import (
	"context"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/feed"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// told returns the kinds of all changes in the feed.
func (r *rig) told() string {
	r.t.Helper()
	var kinds []string
	for c, err := range r.feed.Oldest(context.Background(), feed.Position{}) {
		must(r.t, err)
		kinds = append(kinds, string(c.Kind))
	}
	return strings.Join(kinds, " ")
}

// TestW2GivenUpIsFailing checks W2, A19: when the jobs of an item are given up again and again, the feed reports once
// that it fails, and once that it has recovered, whatever fails while that is written.
func TestW2GivenUpIsFailing(t *testing.T) {
	steps := 0
	for nth, after := 0, false; nth <= steps; nth, after = nth+btoi(after), !after {
		s := &saboteur{nth: nth, after: after}
		r := newRig(t, func(k *knobs) {
			k.store = func(under storage.Store) storage.Store { return storagetest.Hooked(under, s) }
		})
		r.site.put("/p", text("v1"))
		r.site.put("/q", text("other"))
		r.first("/p")
		r.first("/q")
		for range feed.FailingAfter + 1 {
			r.due("/p")
			job := r.jobs()[0]
			s.armed = true
			for _, one := range job.Items { // one item's finding must not be overwritten by the next
				job.Items = []registry.JobItem{one}
				for r.GiveUp(t.Context(), job, "given up") != nil { // the message is delivered again
				}
				r.worked = r.registry(storagetest.Hooked(r.store, s), policy.Politeness{MaxConcurrent: 1}) // it died
			}
			s.armed = false
		}
		if nth == 0 {
			steps = s.count
		}
		if it := r.item("/p"); it.Status != registry.Error || it.CrawlAttempts != feed.FailingAfter+1 {
			t.Errorf("%s after %d attempts", it.Status, it.CrawlAttempts)
		}
		if p, q := r.next("/p"), r.item("/q"); p.Status != registry.Indexed || q.Status != registry.Indexed {
			t.Errorf("%s and %s in the end", p.Status, q.Status)
		}
		if have := r.told(); have != "new new failing failing recovered recovered" {
			t.Fatalf("after %q failed (it took effect: %v) the feed has %q", s.hit, after, have)
		}
	}
	if steps < 10 {
		t.Errorf("only %d operations were disturbed", steps)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

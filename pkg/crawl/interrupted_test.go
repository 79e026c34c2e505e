package crawl

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
)

// A20: a worker that does not come back may have left something else in the index than the item
// says; the next one makes it right, even when the site says that nothing has changed.
func TestA20InterruptedBesideTheIndex(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(r *rig, id string) // the last that the lost worker did
	}{
		{"had written", func(r *rig, id string) {
			must(t, r.index.Put(t.Context(), search.Page{ID: id, Title: "v2"}))
		}},
		{"had removed", func(r *rig, id string) { must(t, r.index.Remove(t.Context(), id, nil)) }},
		{"had done nothing", func(*rig, string) {}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/p", text("v1").etag("1"))
			it := r.first("/p")
			r.due("/p")
			for _, job := range r.jobs() {
				if b, err := r.reg.Begin(t.Context(), job); err != nil || b == nil {
					t.Fatalf("batch %v, %v", b, err)
				}
			}
			tt.do(r, string(it.ID))
			r.site.asked()
			r.sweepAfter(15 * time.Minute)
			after := r.item("/p")
			if r.index.holds(after) != "v1" || after.Status != indexed || after.LockOwner != "" {
				t.Errorf("the index holds %q, status %s, lock %q", r.index.holds(after), after.Status, after.LockOwner)
			}
			if asked := r.site.asked(); len(asked) != 1 || !after.LastChecked.After(it.LastChecked) {
				t.Errorf("the look at the site that was to come: %q, checked %s", asked, after.LastChecked)
			}
			r.checkInvariants()
		})
	}
}

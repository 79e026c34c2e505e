package sitepoll_test

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// TestE16RemovedSite checks that nothing of a walk is left when its site is removed, also while a poll goes on (E16).
func TestE16RemovedSite(t *testing.T) {
	for _, steps := range []int{1, 100} {
		w := newWalker(inMemory(t), func(o *sitepoll.Options) { o.Sites = nil })
		tree(w.rig)
		added, err := w.Add(t.Context(), "tree.example", api.SiteSettings{Follow: &api.SiteFollow{}})
		w.Must(err)
		work := func() {
			for _, m := range w.Messages(sitepoll.Queue) {
				w.Must(w.Step(t.Context(), m))
			}
			w.FetchDue()
			w.Clock.Pass(10 * time.Second)
		}
		for range steps {
			work()
		}
		if len(w.Rows(sitepoll.Table, "/walk")) == 0 {
			t.Fatal("no links were followed")
		}
		w.Must(w.Forget(t.Context(), added.Slug))
		for range 3 {
			work()
		}
		if left := w.Rows(sitepoll.Table, "/walk"); len(left) > 0 {
			t.Errorf("after %d steps: %v are left over", steps, left)
		}
	}
}

package handlers

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestS7ResumesHaveTheirTime checks that a stalled run is requeued within the same minute, even if the sweep or the
// work before it does not finish.
func TestS7ResumesHaveTheirTime(t *testing.T) {
	_, _, hints := registry.Tables(registry.DefaultTable)
	var hung atomic.Pointer[[]string]
	r := newRig(t, func(s storage.Store) storage.Store {
		return storagetest.Hooked(s, storagetest.Hooks{OnBefore: func(ctx context.Context, c storagetest.Call) error {
			if tables := hung.Load(); tables != nil && c.Op == "table.Query" && slices.Contains(*tables, c.Name) {
				<-ctx.Done()
				return fault.New(fault.Unavailable, "%w", ctx.Err())
			}
			if c.Op == "table.Transact" && c.Name == "Entries" { // so that the import does not finish at once
				return fault.New(fault.Unavailable, "storage is down")
			}
			return nil
		}})
	})
	r.Handler = New(Options{Open: r.open, Metrics: r.metrics, Timeout: 2 * time.Second})
	r.importMails("in.mbox", 60)
	for path, body := range map[string]string{"/api/RebuildIndex": `{}`,
		"/api/import/email/mbox": `{"mbox_path":"in.mbox"}`} {
		if w := do(t, r, "POST", path, body); w.Code != http.StatusAccepted {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	steps := func(queue string) (n int) {
		for {
			got, err := r.store.Queue(queue).Receive(t.Context(), 32, time.Minute)
			must(t, err)
			for _, m := range got {
				must(t, r.store.Queue(queue).Delete(t.Context(), m))
			}
			if n += len(got); len(got) == 0 {
				return n
			}
		}
	}
	steps(rebuild.Queue) // the first steps are lost
	steps(mailimport.Queue)
	for _, tt := range []struct {
		hung             []string
		rebuilds, mboxes int
	}{{[]string{hints}, 1, 1}, {[]string{hints, snapshot.RunsTable}, 0, 1}} {
		r.now = r.now.Add(10 * time.Minute)
		hung.Store(&tt.hung)
		if w := do(t, r, "POST", "/CrawlTimer", `{"Data":{}}`); w.Code != http.StatusInternalServerError {
			t.Errorf("what hangs is no failure: %d %s", w.Code, w.Body)
		}
		if rebuilds, mboxes := steps(rebuild.Queue), steps(mailimport.Queue); rebuilds != tt.rebuilds || mboxes != tt.mboxes {
			t.Errorf("while %v hung: %d steps of rebuilds and %d of imports, want %d and %d", tt.hung, rebuilds, mboxes,
				tt.rebuilds, tt.mboxes)
		}
	}
}

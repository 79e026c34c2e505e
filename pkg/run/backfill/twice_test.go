package backfill_test

import (
	"context"
	"testing"

	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// K12: a step that another process has done to its end, at whichever write of the first, counts once, and the first
// goes without an error.
func TestK12StepOfAnotherProcess(t *testing.T) {
	for n := 1; ; n++ {
		defer backfill.Smaller(5, 3)()
		r := inMemory(t)
		r.restart(stepwise)
		r.web.Pages["https://a.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 8)...)
		id := r.start(backfill.Request{Sources: []string{"a"}}).ID
		bodies := r.Messages(backfill.Queue)
		writes := 0
		r.Hook.Set(storagetest.Hooks{OnBefore: func(ctx context.Context, call storagetest.Call) error {
			if call.Op != "table.Transact" || call.Name != backfill.Table {
				return nil
			}
			if writes++; writes == n {
				r.Hook.Set(nil)
				r.Must(r.Step(ctx, bodies[0]))
			}
			return nil
		}})
		r.Must(r.Step(t.Context(), bodies[0]))
		r.Hook.Set(nil)
		run := r.end(id)
		if r.whole(run); run.Queued != 8 {
			t.Errorf("at write %d: %d registered, want 8", n, run.Queued)
		}
		if writes < n {
			if n < 2 {
				t.Error("nothing was written")
			}
			return
		}
	}
}

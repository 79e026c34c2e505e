package backfill_test

import (
	"context"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestK12StepOfAnotherProcess checks K12: when another process completes the same step, at whichever write of the
// first process, the step counts once, and the first process returns no error.
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

// TestK12StepsKnowTheirRows checks K12: steps that follow each other in one call know the rows as they wrote them, so
// no write fails for a stale ETag.
func TestK12StepsKnowTheirRows(t *testing.T) {
	r := inMemory(t)
	r.restart(func(o *backfill.Options) { o.PerMinute, o.JobsPerMinute = 100_000_000, 100_000_000 })
	r.web.Pages["https://a.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://a.example/", 300)...)
	run, conflicts := r.start(backfill.Request{Sources: []string{"a"}}), 0
	r.Hook.Set(storagetest.Hooks{OnAfter: func(_ context.Context, call storagetest.Call, err error) error {
		if call.Name == backfill.Table && fault.Is(err, fault.Conflict) {
			conflicts++
		}
		return err
	}})
	r.Must(r.Step(t.Context(), r.Messages(backfill.Queue)[0]))
	if n := r.run(run.ID).Queued; n != 300 || conflicts > 0 {
		t.Errorf("%d registered, want 300; %d transactions were sent in vain", n, conflicts)
	}
}

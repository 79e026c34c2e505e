package crawl

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestFaultsOfARebuild makes each single read and write of a rebuild fail, in its steps and in the workers behind
// them, before and after it took effect. The host and the sweep recover from the fault and fill the index, and the
// numbers equal those of a run without faults.
func TestFaultsOfARebuild(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) { disturbRebuilds(t, open, false) })
}

// TestZ2FaultsOfARebuildUnderARaisedVersion checks Z2: the same holds after the rules of texts have changed. Each
// page then has one more capture, of the new version. The capture names the run, and the run's row names the run that
// made the original capture.
func TestZ2FaultsOfARebuildUnderARaisedVersion(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) { disturbRebuilds(t, open, true) })
}

func disturbRebuilds(t *testing.T, open opener, raise bool) {
	_, count := disturbRebuild(t, open, 0, false, raise)
	if count < 20 {
		t.Fatalf("only %d operations", count)
	}
	first, next := share(t, 2*count)
	for n := first; n < 2*count; n += next {
		nth, after := n/2+1, n%2 == 1
		if hit, _ := disturbRebuild(t, open, nth, after, raise); t.Failed() {
			t.Fatalf("operation %d (%s), after %v", nth, hit, after)
		}
	}
}

func disturbRebuild(t *testing.T, open opener, nth int, after, raise bool) (hit string, count int) {
	t.Helper()
	sab := &saboteur{nth: nth, after: after}
	r := newRig(t, on(open), func(k *knobs) {
		k.store = func(inner storage.Store) storage.Store { return storagetest.Hooked(inner, sab) }
	})
	paths := []string{"/a", "/b", "/c"}
	for _, p := range paths {
		r.site.put(p, text(p))
	}
	r.register(false, paths...)
	r.mustWork()
	if raise {
		r.raise(paths...)
	}
	r.loseIndex()
	r.site.asked()
	r.site.robotsAsked()
	s := r.rebuilds(storagetest.Hooked(r.store, sab))
	sab.armed = true
	run, err := s.Start(t.Context(), rebuild.Scope{})
	if err != nil { // the caller retries, unless the run exists already
		sab.armed = false
		if runs, err := s.Active(t.Context()); err != nil || len(runs) > 1 {
			t.Fatalf("%d runs (%v)", len(runs), err)
		} else if len(runs) == 1 {
			run = runs[0]
		} else if run, err = s.Start(t.Context(), rebuild.Scope{}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		for _, body := range r.steps() {
			if s.Step(t.Context(), body) != nil {
				_ = s.Step(t.Context(), body) // the host delivers the message again
			}
		}
		_ = r.work()
		r.clock.pass(20 * time.Second)
		r.checkInvariants()
	}
	sab.armed = false
	r.clock.pass(registryLock)
	run = r.finish(s, run.ID)
	for range 3 {
		r.sweepAfter(4 * time.Minute)
	}
	r.nobodyAsked()
	if len(r.index.pages) != 3 || run.Items != 3 || run.Marked != 3 {
		t.Errorf("%d pages, %+v", len(r.index.pages), run)
	}
	for _, p := range paths {
		if it := r.item(p); it.Status != indexed || it.RebuildPending || !it.NextCrawlAt.After(r.clock.now()) {
			t.Errorf("%s: %s (%s), waits %v", p, it.Status, it.ErrorMessage, it.RebuildPending)
		}
	}
	if raise {
		r.checkReprocessed(run.ID, paths)
	}
	return sab.hit, sab.count
}

// checkReprocessed checks that a run has read the captures of pages under the raised version, once.
func (r *rig) checkReprocessed(run string, paths []string) {
	r.t.Helper()
	for _, p := range paths {
		want := []string{digest(text(p)) + asNow + "run", digest(text(p)) + " text_v99 " + run}
		if diff := cmp.Diff(want, r.versions(p)); diff != "" || len(r.edges(p)) > 0 {
			r.t.Errorf("%s: %d edges, captures -want +have\n%s", p, len(r.edges(p)), diff)
		}
	}
	row, err := r.store.Table(snapshot.RunsTable).Get(r.t.Context(), storage.Key{Partition: "run", Row: run})
	if err != nil || row.Props["reprocessingOfRunId"] != "run" {
		r.t.Errorf("the run is %v (%v)", row.Props, err)
	}
}

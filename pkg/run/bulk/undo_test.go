package bulk_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// takeBack takes a run back, with as many attempts as needed, and returns the run that does so when it is done.
func (r *rig) takeBack(one bulk.Run) (run bulk.Run) {
	r.Helper()
	hook := func() (bulk.Run, error) {
		rec, err := r.log.Find(r.Context(), one.Undo.ID)
		if err != nil {
			return bulk.Run{}, err
		}
		return r.TakeBack(r.Context(), &rec)
	}
	begun, err := hook()
	if err != nil {
		begun, err = hook()
	}
	r.Must(err)
	r.Finish(bulk.Queue, r.Service, func() bool {
		run, err = r.Get(r.Context(), begun.ID)
		return err == nil && run.State == bulk.Done
	})
	return run
}

// begin begins a run.
func (r *rig) begin(a bulk.Ask) bulk.Run {
	r.Helper()
	begun, err := r.Start(r.Context(), a)
	r.Must(err)
	return begun
}

// end waits until a run is done.
func (r *rig) end(one bulk.Run) {
	r.Helper()
	r.Finish(bulk.Queue, r.Service, func() bool {
		run, err := r.Get(r.Context(), one.ID)
		return err == nil && run.State == bulk.Done
	})
}

// TestUndoBulk checks that a run which is taken back leaves what it has not changed, and what was changed meanwhile.
func TestUndoBulk(t *testing.T) {
	r := newRig(t, "mem")
	var some []source.ID
	for url, it := range r.Items(r.reg) {
		if strings.Contains(url, "a.example") {
			some = append(some, it.ID)
		}
	}
	set := func(id source.ID, s registry.Settings) {
		_, err := r.reg.Items.Set(t.Context(), id, s)
		r.Must(err)
	}
	for _, id := range some[:2] {
		set(id, registry.Settings{Add: "x"})
	}
	tagged := r.begin(bulk.Ask{Op: bulk.Tag, Tag: "x", Filter: registry.Filter{Host: "a.example"}})
	r.end(tagged)
	removed := r.begin(bulk.Ask{Op: bulk.Remove, Filter: registry.Filter{Host: "b.example"}})
	r.end(removed)
	paused := r.begin(bulk.Ask{Op: bulk.Pause, Filter: registry.Filter{Host: "a.example"}})
	r.end(paused)
	if want := "7 paused, 7 tagged, 5 leaving"; r.states() != want {
		t.Fatalf("%s, want %s", r.states(), want)
	}
	r.Clock.Pass(time.Minute)
	set(some[0], registry.Settings{Paused: new(false)})
	set(some[0], registry.Settings{Paused: new(true)})
	if run := r.takeBack(paused); run.Failed != 1 || run.Done != 6 || len(run.Errors) != 1 {
		t.Errorf("%d failed, %d done: %+v", run.Failed, run.Done, run.Errors)
	}
	r.takeBack(removed)
	if run := r.takeBack(tagged); run.Items != 5 || run.Failed > 0 {
		t.Errorf("%d items, %d failed", run.Items, run.Failed)
	}
	if want := "1 paused, 2 tagged, 0 leaving"; r.states() != want {
		t.Errorf("%s, want %s", r.states(), want)
	}
	r.Clock.Pass(40 * 24 * time.Hour)
	if n, err := r.Sweep(t.Context()); err != nil || n != 3 || len(r.Rows("Runs", "bulk-2026")) != 6 {
		t.Errorf("%d rows swept, %v; runs: %q", n, err, r.Rows("Runs", "bulk-2026"))
	}
}

// TestUndoBulkFaults checks that a run which is taken back, at once or at its end, leaves nothing behind when one of
// the store's operations fails, before or after it took effect.
func TestUndoBulkFaults(t *testing.T) {
	for name, wait := range map[string]bool{"at once": false, "at its end": true} {
		t.Run(name, func(t *testing.T) {
			runtest.EachFault(t, 20, 3, func(t *testing.T, f *runtest.Fault) {
				r := newRig(t, "mem")
				r.Hook.Set(f)
				ask := bulk.Ask{Op: bulk.Tag, Tag: "x", Filter: registry.Filter{Host: "a.example"}}
				one, err := r.Start(t.Context(), ask)
				if err != nil {
					return // it may have begun, and nobody knows its id
				}
				if wait {
					r.end(one)
				}
				r.takeBack(one)
				r.Hook.Set(nil)
				r.Finish(bulk.Queue, r.Service, func() bool { return len(r.Rows("Runs", "active|")) == 0 })
				if want := "0 paused, 0 tagged, 0 leaving"; r.states() != want {
					t.Errorf("%s, want %s", r.states(), want)
				}
			})
		})
	}
}

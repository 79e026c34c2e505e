package crawl

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/run/rebuild"
)

var busyCases = []struct {
	name string
	do   func(r *rig, start func())
	want string // in the index
}{
	{"it is being checked, and has not changed", func(r *rig, start func()) {
		r.due("/p")
		r.site.before = func(string) { start() }
	}, "v1"},
	{"it is being checked, and has changed", func(r *rig, start func()) {
		r.site.put("/p", text("v2").etag("2"))
		r.due("/p")
		r.site.before = func(string) { start() }
	}, "v2"},
	{"it is being checked, and may not be indexed any more", func(r *rig, start func()) {
		r.site.put("/p", text("v2").etag("2").set("X-Robots-Tag", "noindex"))
		r.due("/p")
		r.site.before = func(string) { start() }
	}, ""},
	{"it is registered again before its turn", func(r *rig, start func()) {
		start()
		r.clock.pass(time.Second)
		r.register(false, "/p")
	}, "v1"},
	{"it is forced before its turn", func(r *rig, start func()) {
		start()
		r.clock.pass(time.Second)
		r.register(true, "/p")
	}, "v1"},
	{"it is due", func(r *rig, start func()) {
		r.site.put("/p", text("v2").etag("2"))
		r.due("/p")
		start()
	}, "v2"},
	{"its job is on its way", func(r *rig, start func()) {
		r.clock.pass(25 * time.Hour)
		_, err := r.reg.Jobs.Sweep(r.t.Context())
		must(r.t, err)
		start()
	}, "v1"},
	{"its site fails once it is registered again", func(r *rig, start func()) {
		start()
		r.site.put("/p", status(500))
		r.clock.pass(time.Second)
		r.register(false, "/p")
		r.mustWork()
		r.site.put("/p", text("v1").etag("1"))
		r.sweepAfter(time.Hour)
	}, "v1"},
}

// TestRebuildOfAPageThatIsBusy checks that whatever happens to a page while it waits, the index has its latest
// content in the end.
func TestRebuildOfAPageThatIsBusy(t *testing.T) {
	for _, tt := range busyCases {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/p", text("v1").etag("1"))
			r.first("/p")
			r.loseIndex()
			s := r.rebuilds(r.store)
			started := false
			start := func() {
				if started {
					return
				}
				started = true
				_, err := s.Start(t.Context(), rebuild.Scope{})
				must(t, err)
				for _, body := range r.steps() {
					must(t, s.Step(t.Context(), body))
				}
				r.checkInvariants()
			}
			tt.do(r, start)
			r.mustWork()
			runs, err := s.Active(t.Context())
			must(t, err)
			for _, run := range runs {
				r.finish(s, run.ID)
			}
			r.sweepAfter(time.Hour)
			if it := r.item("/p"); r.index.holds(it) != tt.want || it.RebuildPending || it.IndexPending || !started {
				t.Errorf("index %q, status %s (%s), waits %v", r.index.holds(it), it.Status, it.ErrorMessage,
					it.RebuildPending)
			}
		})
	}
}

// TestRebuildDoubledMessages checks A19: each message of a run may be delivered twice, at any time; the numbers count
// once.
func TestRebuildDoubledMessages(t *testing.T) {
	r := newRig(t)
	harbour(r)
	r.loseIndex()
	s := r.rebuilds(r.store)
	run, err := s.Start(t.Context(), rebuild.Scope{})
	must(t, err)
	var seen [][]byte
	for range 20 {
		bodies := r.steps()
		seen = append(seen, bodies...)
		for _, body := range append(bodies, seen...) {
			must(t, s.Step(t.Context(), body))
		}
		if n := len(bodies); n > 1 {
			t.Fatalf("%d messages of one run", n)
		}
		r.mustWork()
		r.clock.pass(30 * time.Second)
	}
	if run, err = s.Get(t.Context(), run.ID); err != nil || run.State != rebuild.Done || run.Items != 7 ||
		run.Marked != 3 {
		t.Errorf("%+v (%v)", run, err)
	}
}

// TestRebuildWhileTheIndexIsDown checks that a run waits while the index is down, and loses nothing.
func TestRebuildWhileTheIndexIsDown(t *testing.T) {
	r := newRig(t)
	harbour(r)
	before := r.bearing("/failing")
	r.loseIndex()
	r.index.down = errIndexDown
	s := r.rebuilds(r.store)
	run, err := s.Start(t.Context(), rebuild.Scope{})
	must(t, err)
	for range 6 {
		for _, body := range r.steps() {
			must(t, s.Step(t.Context(), body))
		}
		_ = r.work()
		r.clock.pass(5 * time.Minute)
		_, err := r.reg.Jobs.Sweep(t.Context())
		must(t, err)
	}
	run, err = s.Get(t.Context(), run.ID)
	must(t, err)
	if left, err := s.Left(t.Context(), run); err != nil || run.State != rebuild.Indexing || left != 2 {
		t.Errorf("%+v, %d left (%v)", run, left, err)
	}
	r.index.down = nil
	r.finish(s, run.ID)
	if r.index.holds(r.item("/ok")) == "" || r.bearing("/failing") != before {
		t.Errorf("ok: %+v, failing: %+v", r.bearing("/ok"), r.bearing("/failing"))
	}
	r.nobodyAsked()
}

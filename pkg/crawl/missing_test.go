package crawl

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
)

// tally counts the site's items by status, and how many of them are in the index.
func (r *rig) tally(paths []string) (have map[registry.Status]int, inIndex int) {
	r.t.Helper()
	have = map[registry.Status]int{}
	for _, p := range paths {
		it := r.item(p)
		have[it.Status]++
		if r.index.holds(it) != "" {
			inIndex++
		}
	}
	return have, inIndex
}

// manyPages registers and indexes n pages.
func (r *rig) manyPages(n int) (paths []string) {
	r.t.Helper()
	for i := range n {
		p := fmt.Sprintf("/page%d", i)
		r.site.put(p, text(p))
		paths = append(paths, p)
	}
	r.register(false, paths...)
	r.mustWork()
	return paths
}

// round lets time pass and checks the items that are due.
func (r *rig) round(d time.Duration) {
	r.t.Helper()
	r.sweepAfter(d)
	r.sweepAfter(time.Minute)
}

// TestA14GuardHolds checks A14: a host that loses more than a fifth of its pages within a day keeps the others until
// a second check, a day later, which is believed.
func TestA14GuardHolds(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		paths := r.manyPages(20)
		for _, p := range paths {
			r.site.put(p, status(404))
		}
		for _, wait := range []time.Duration{25 * time.Hour, 7 * time.Hour, 13 * time.Hour} {
			r.round(wait)
		}
		have, inIndex := r.tally(paths)
		if have[registry.Gone] != 4 || have[indexed] != 16 || inIndex != 16 {
			t.Fatalf("%v and %d in the index, want 4 Gone and 16 held", have, inIndex)
		}
		counts := func(want int) {
			t.Helper()
			all, err := r.reg.Hosts.Stats(t.Context(), "")
			if err != nil || len(all) != 1 || all[0].Guarded != want {
				t.Errorf("U1: %+v, %v, want %d held", all, err, want)
			}
		}
		counts(16)
		var held string
		for _, p := range paths {
			it := r.item(p)
			if it.Status == registry.Gone {
				continue
			}
			held = p
			if it.GuardedSince.IsZero() || last(it) != "held" || !strings.HasSuffix(it.ErrorMessage,
				"held: 5 of 20 pages of the host went missing within a day; a second check follows") {
				t.Errorf("held since %s: %s: %s", it.GuardedSince, last(it), it.ErrorMessage)
			}
			if wait := it.NextCrawlAt.Sub(it.GuardedSince); wait != day {
				t.Errorf("the second check comes after %v", wait)
			}
		}
		r.site.put(held, text("back"))
		r.round(day)
		have, inIndex = r.tally(paths)
		if have[registry.Gone] != 19 || have[indexed] != 1 || inIndex != 1 {
			t.Errorf("%v and %d in the index after the second check, want all but one Gone", have, inIndex)
		}
		counts(0)
		if it := r.item(held); !it.GuardedSince.IsZero() || it.MissingChecks != 0 || it.ErrorMessage != "" {
			t.Errorf("back, but held since %s, missing %d times: %s", it.GuardedSince, it.MissingChecks,
				it.ErrorMessage)
		}
	})
}

// TestA14GuardCounts checks A14: the mass-removal guard counts the losses within a day, over all batches, and nothing
// else.
func TestA14GuardCounts(t *testing.T) {
	r := newRig(t, func(k *knobs) { k.crawl.Schedule.GoneAfter = 1 })
	paths := r.manyPages(10)
	lose := func(n int) {
		for _, p := range paths[:n] {
			r.site.put(p, status(404))
		}
		paths = paths[n:]
	}
	r.register(false, "/never1", "/never2", "/never3", "/never4") // never fetched, so no loss
	r.mustWork()
	for _, p := range []string{"/never1", "/never4"} {
		if it := r.item(p); it.Status != registry.Gone {
			t.Errorf("%s is %s", p, it.Status)
		}
	}
	all := paths
	lose(2)
	r.round(25 * time.Hour)
	lose(2)
	for _, p := range all[2:4] {
		r.force(p)
	}
	if have, _ := r.tally(all); have[registry.Gone] != 3 || have[indexed] != 7 {
		t.Errorf("%v, want 3 of 10 Gone on the first day", have)
	}
	lose(1)
	r.round(25 * time.Hour) // the window is over, and the second check is due
	if have, _ := r.tally(all); have[registry.Gone] != 5 {
		t.Errorf("%v, want 5 Gone on the second day", have)
	}
}

// TestA14NoGuard checks A14: a share of one turns the mass-removal guard off.
func TestA14NoGuard(t *testing.T) {
	r := newRig(t, func(k *knobs) { k.crawl.Schedule.GoneAfter, k.crawl.Schedule.GoneShare = 1, 1 })
	paths := r.manyPages(10)
	for _, p := range paths {
		r.site.put(p, status(410))
	}
	r.round(25 * time.Hour)
	if have, inIndex := r.tally(paths); have[registry.Gone] != 10 || inIndex != 0 {
		t.Errorf("%v, %d in the index", have, inIndex)
	}
}

// TestA14TombstonesAreSticky checks A14: registering a Gone page again asks the site once; only the page itself ends
// the tombstone.
func TestA14TombstonesAreSticky(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.site.put("/p", text("v1"))
		r.first("/p")
		r.site.put("/p", status(404))
		for range 3 {
			r.next("/p")
		}
		tomb := r.item("/p").GoneSince
		if tomb.IsZero() {
			t.Fatal("no tombstone")
		}
		r.index.writes()
		for _, answer := range []struct {
			code    int
			becomes registry.Status
		}{{404, registry.Gone}, {500, registry.Error}, {410, registry.Gone}} {
			r.site.put("/p", status(answer.code))
			r.site.asked()
			r.clock.pass(time.Hour)
			it := r.first("/p")
			if asked := r.site.asked(); len(asked) != 1 || it.Status != answer.becomes {
				t.Errorf("%d: %s after %q", answer.code, it.Status, asked)
			}
			if wait := it.NextCrawlAt.Sub(it.LastChecked); wait < day {
				t.Errorf("%d: the next check comes after %v", answer.code, wait)
			}
			if w := r.index.writes(); len(w) > 0 || !it.GoneSince.After(tomb) {
				t.Errorf("%d: index %q, tombstone of %s", answer.code, w, it.GoneSince)
			}
		}
		r.site.put("/p", text("v1"))
		if it := r.first("/p"); it.Status != indexed || !it.GoneSince.IsZero() || r.index.holds(it) != "v1" {
			t.Errorf("back: %s, tombstone of %s", it.Status, it.GoneSince)
		}
	})
}

// TestA14GuardHoldsSideBySide checks A14: two batches side by side lose no more pages than one may, and guarded pages
// stay in the index.
func TestA14GuardHoldsSideBySide(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open), func(k *knobs) {
			k.crawl.Schedule.GoneAfter = 1
			k.polite = policy.Politeness{MaxConcurrent: 2} // room for two workers with one request each
		})
		paths := r.manyPages(20)
		for _, p := range paths {
			r.site.put(p, status(404))
		}
		r.clock.pass(25 * time.Hour)
		_, err := r.reg.Jobs.Sweep(t.Context())
		must(t, err)
		job := r.jobs()[0]
		one, other := job, job
		one.Items, other.Items = job.Items[:10], job.Items[10:]
		var began atomic.Bool
		r.site.before = func(string) {
			if began.CompareAndSwap(false, true) { // while the first request of the other waits
				if err := r.Process(t.Context(), other); err != nil {
					t.Error(err)
				}
			}
		}
		must(t, r.Process(t.Context(), one))
		have, inIndex := r.tally(paths)
		if have[registry.Gone] != 4 || have[indexed] != 16 || inIndex != 16 {
			t.Errorf("%v and %d in the index, want 4 Gone and 16 held", have, inIndex)
		}
	})
}

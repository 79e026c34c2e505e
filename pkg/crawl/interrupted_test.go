package crawl

import (
	"context"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// TestA20InterruptedBesideTheIndex checks A20: a worker that died may have left other content in the index than the
// item describes. The next worker corrects this, even when the site answers that nothing has changed.
func TestA20InterruptedBesideTheIndex(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(r *rig, id string) // the last action of the worker that died
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
				if b, err := r.reg.Jobs.Begin(t.Context(), job); err != nil || b == nil {
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

// TestST2CutBetweenIndexAndCommit loses all deferred writes of a process that dies when it has written the index, and
// before it commits. The lock was durable before the index was written, so the next check writes the page whole again:
// it does not rely on what the item says that the index has.
func TestST2CutBetweenIndexAndCommit(t *testing.T) {
	cut, process := false, (*mem.Process)(nil)
	r := newRig(t, func(k *knobs) {
		k.store = func(s storage.Store) storage.Store {
			process = s.(*mem.Store).Process()
			return storagetest.Hooked(process, storagetest.Hooks{OnBefore: func(context.Context, storagetest.Call) error {
				if cut {
					return fault.New(fault.Unavailable, "the process is dead")
				}
				return nil
			}})
		}
	})
	r.site.put("/p", text("v1"))
	it := r.first("/p")
	r.site.put("/p", text("v2"))
	r.clock.pass(time.Second) // robots.txt is still known, so nothing else is written that waits
	r.register(false, "/p")
	r.engine.Indexer = indexer{r.index, func() {
		cut = true
		process.Die(func(held int) int {
			if held < 3 {
				t.Errorf("only %d writes were held", held)
			}
			return 0
		})
	}}
	if r.work() == nil || r.index.holds(it) != "v2" {
		t.Fatalf("not cut: the index holds %q", r.index.holds(it))
	}
	if got := r.item("/p"); got.RawHash != it.RawHash || got.LockOwner == "" {
		t.Errorf("the item has lock %q", got.LockOwner)
	}
	cut, r.engine.Indexer = false, r.index
	r.site.put("/p", text("v3"))
	r.sweepAfter(15 * time.Minute)
	r.look("/p")
	if got := r.item("/p"); r.index.holds(got) != "v3" || got.Status != indexed {
		t.Errorf("the index holds %q, status %s", r.index.holds(got), got.Status)
	}
}

// indexer calls a function when it has written pages.
type indexer struct {
	Indexer
	then func()
}

func (x indexer) Put(ctx context.Context, pages ...search.Page) error {
	defer x.then()
	return x.Indexer.Put(ctx, pages...)
}

// TestA11InterruptedOutsideTheIndex checks A11, A14: a page that a header or robots.txt forbids, or that is gone, is
// not indexed from its snapshot merely because it failed since, or was registered again, before a worker died.
func TestA11InterruptedOutsideTheIndex(t *testing.T) {
	leaves := map[string]func(r *rig){
		"noindex by header": func(r *rig) {
			r.site.put("/p", text("v1").set("X-Robots-Tag", "noindex"))
			r.first("/p")
		},
		"robots.txt": func(r *rig) {
			r.first("/p")
			r.site.put("/robots.txt", page{body: "User-agent: *\nDisallow: /"})
			r.clock.pass(25 * time.Hour)
			r.look("/p")
		},
		"gone": func(r *rig) {
			r.first("/p")
			r.site.put("/p", status(404))
			for range 3 {
				r.next("/p")
			}
		},
	}
	then := map[string]func(r *rig){
		"failed": func(r *rig) {
			r.site.put("/robots.txt", status(500))
			r.site.put("/p", status(500))
			r.clock.pass(25 * time.Hour)
			r.look("/p")
			r.due("/p")
		},
		"registered again": func(r *rig) {
			r.clock.pass(time.Minute)
			r.register(false, "/p")
		},
	}
	for why, leave := range leaves {
		for what, meanwhile := range then {
			t.Run(why+", "+what, func(t *testing.T) {
				r := newRig(t)
				r.site.put("/p", text("v1").etag("1"))
				leave(r)
				if it := r.item("/p"); it.IndexedHash != "" || it.ContentHash == "" {
					t.Fatalf("it has not left: %+v", it)
				}
				meanwhile(r)
				for _, job := range r.jobs() {
					if b, err := r.reg.Jobs.Begin(t.Context(), job); err != nil || b == nil {
						t.Fatalf("batch %v, %v", b, err)
					}
				}
				r.index.writes()
				r.sweepAfter(15 * time.Minute)
				if wrote := r.index.writes(); len(wrote) > 0 || r.index.holds(r.item("/p")) != "" {
					t.Errorf("the index was written: %q, %+v", wrote, r.item("/p").History)
				}
			})
		}
	}
}

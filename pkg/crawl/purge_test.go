package crawl

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// left lists what exists of a page: "item", "index", "capture" and "pointer".
func (r *rig) left(path string) (have []string) {
	r.t.Helper()
	id := r.source(path).ID()
	it, err := r.reg.Items.Find(r.t.Context(), id)
	if err == nil {
		have = append(have, "item "+string(it.Status))
	} else if !fault.Is(err, fault.NotFound) {
		r.t.Fatal(err)
	}
	r.index.mu.Lock()
	if _, ok := r.index.pages[string(id)]; ok {
		have = append(have, "index")
	}
	r.index.mu.Unlock()
	for range r.captures(path) {
		have = append(have, "capture")
	}
	hash := r.source(path).Hash()
	if _, err := r.store.Table("IngestIndex").Get(r.t.Context(), storage.Key{Partition: hash[:2], Row: hash}); err == nil {
		have = append(have, "pointer")
	}
	return have
}

func (r *rig) remove(path string) {
	r.t.Helper()
	r.clock.pass(time.Second)
	it, err := r.reg.Items.Remove(r.t.Context(), r.source(path).ID())
	must(r.t, err)
	if !it.RemoveRequested {
		r.t.Error("the answer does not say that the item goes")
	}
}

func (r *rig) wantLeft(path string, want ...string) {
	r.t.Helper()
	if have := r.left(path); fmt.Sprint(have) != fmt.Sprint(want) {
		r.t.Errorf("of %s there is %q, want %q", path, have, want)
	}
}

// TestA14Remove checks A14: a removed item is removed everywhere at once, without a request, and its source may be
// registered anew.
func TestA14Remove(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.site.put("/p", text("v1").etag("1"))
		r.site.put("/q", text("v1").etag("1")) // another page that keeps the shared body
		r.first("/p")
		r.first("/q")
		r.site.asked()
		r.remove("/p")
		r.remove("/p") // a second removal changes nothing
		if jobs := len(r.jobs()); jobs != 1 {
			t.Errorf("%d jobs", jobs)
		}
		r.sweepAfter(11 * time.Minute) // the job was lost, so the sweep sends another
		r.wantLeft("/p")
		r.wantLeft("/q", "item Indexed", "index", "capture", "pointer")
		if asked := r.site.asked(); len(asked) > 0 {
			t.Errorf("asked %q", asked)
		}
		if _, err := r.reg.Items.Remove(t.Context(), r.source("/p").ID()); !fault.Is(err, fault.NotFound) {
			t.Errorf("removing what is not there: %v", err)
		}
		if it := r.first("/p"); it.Status != indexed || len(it.History) > 5 {
			t.Errorf("registered again: %s, with %d decisions", it.Status, len(it.History))
		}
		r.wantLeft("/p", "item Indexed", "index", "capture", "pointer")
	})
}

// TestA14RemoveFromPausedHost checks A14: a removal does not wait for a host that has asked for a pause.
func TestA14RemoveFromPausedHost(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1"))
	r.first("/p")
	r.site.put("/q", status(503).set("Retry-After", "86000"))
	r.first("/q")
	r.remove("/p")
	r.mustWork()
	r.wantLeft("/p")
}

// TestA14RemoveWhileIndexIsDown checks A14: while the index is down nothing is purged, because nothing would ask the
// index again.
func TestA14RemoveWhileIndexIsDown(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1"))
	r.first("/p")
	r.remove("/p")
	r.index.down = errIndexDown
	if r.work() == nil {
		t.Error("no error")
	}
	r.wantLeft("/p", "item Indexed", "index", "capture", "pointer")
	r.index.down = nil
	r.sweepAfter(11 * time.Minute)
	r.wantLeft("/p")
}

// TestA14RemoveDuringTheCheck checks A14: a removal that is requested while the page is being fetched happens after
// that check.
func TestA14RemoveDuringTheCheck(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1"))
	r.register(false, "/p")
	r.site.before = func(string) {
		r.site.before = nil
		r.remove("/p")
	}
	r.mustWork()
	r.wantLeft("/p")
}

// TestA14RegisteredBeforeItWent checks A14: a removed source that is registered again before its removal was done
// stays, and its check relies on nothing that may be gone.
func TestA14RegisteredBeforeItWent(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1").etag("1"))
	r.first("/p")
	r.remove("/p")
	r.jobs()
	r.site.asked()
	it := r.first("/p")
	if asked := r.site.asked(); len(asked) != 1 || asked[0] != "GET /p" {
		t.Errorf("asked %q, want one unconditional request", asked)
	}
	if it.RemoveRequested || it.Status != indexed {
		t.Errorf("%s, to be removed: %v", it.Status, it.RemoveRequested)
	}
}

// purging sets tombstones to be kept for 30 days.
func purging(k *knobs) {
	k.crawl.Schedule.PurgeGone = 30 * day
}

// buried returns the item of a page that is Gone.
func (r *rig) buried(path string) registry.Item {
	r.t.Helper()
	r.site.put(path, text("v1").etag("1"))
	r.first(path)
	r.site.put(path, status(404))
	r.next(path)
	r.next(path)
	return r.next(path)
}

// TestA14PurgeByAge checks A14: a tombstone is kept for the configured time, and then the item is purged without a
// request.
func TestA14PurgeByAge(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open), purging)
		gone := r.buried("/p")
		for {
			it := r.next("/p")
			if at := it.GoneSince.Add(30 * day); it.NextCrawlAt.After(at) {
				t.Fatalf("due %s, to be purged %s", it.NextCrawlAt, at)
			} else if it.NextCrawlAt.Equal(at) {
				break
			}
		}
		r.wantLeft("/p", "item Gone", "capture", "pointer")
		r.site.asked()
		r.due("/p")
		r.mustWork()
		r.wantLeft("/p")
		if asked := r.site.asked(); len(asked) > 0 {
			t.Errorf("asked %q", asked)
		}
		if age := r.clock.now().Sub(gone.GoneSince); age < 30*day || age > 30*day+time.Hour {
			t.Errorf("purged after %v", age)
		}
	})
}

// TestA14NotPurged checks A14: a tombstone is not purged without a limit, or while its source is registered again.
func TestA14NotPurged(t *testing.T) {
	t.Run("off", func(t *testing.T) {
		r := newRig(t)
		r.buried("/p")
		r.clock.pass(1000 * day)
		r.next("/p")
		r.wantLeft("/p", "item Gone", "capture", "pointer")
	})
	t.Run("registered when it was due", func(t *testing.T) {
		r := newRig(t, purging)
		r.buried("/p")
		r.clock.pass(40 * day)
		if it := r.first("/p"); it.Status != registry.Gone ||
			it.NextCrawlAt.Before(r.clock.now().Add(day-time.Minute)) {
			t.Errorf("%s, due %s", it.Status, it.NextCrawlAt)
		}
	})
	t.Run("registered while it was purged", func(t *testing.T) {
		r := newRig(t, purging, func(k *knobs) { k.crawl.KeepGone = true })
		r.buried("/p")
		r.site.put("/p", text("v1").etag("1")) // the page is back, which only the next check finds out
		r.clock.pass(40 * day)
		r.due("/p")
		r.index.removing = func() {
			r.index.removing = nil
			r.register(false, "/p")
		}
		r.mustWork()
		r.wantLeft("/p", "item Indexed", "index", "capture", "pointer")
	})
}

// TestA14FaultsOfPurge makes each step of a purge fail, before and after it took effect. The invariants hold at once.
// Then either the purge is done again and nothing is left, or the source is registered again and everything exists.
func TestA14FaultsOfPurge(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		steps := disturbPurge(t, open, 0, false, false)
		if steps < 8 {
			t.Fatalf("only %d steps", steps)
		}
		first, next := share(t, 4*steps)
		for n := first; n < 4*steps; n += next {
			step, after, again := n/4+1, n%2 == 1, n%4 > 1
			t.Run(fmt.Sprintf("%d,after=%v,again=%v", step, after, again), func(t *testing.T) {
				disturbPurge(t, open, step, after, again)
			})
		}
	})
}

func disturbPurge(t *testing.T, open opener, nth int, after, again bool) (steps int) {
	t.Helper()
	s := &saboteur{nth: nth, after: after}
	r := newRig(t, on(open), func(k *knobs) {
		k.store = func(inner storage.Store) storage.Store { return storagetest.Hooked(inner, s) }
	})
	r.site.put("/p", text("v1").etag("1"))
	r.first("/p")
	r.site.put("/p", text("v2").etag("2"))
	r.next("/p")
	r.remove("/p")
	r.engine.Indexer = shakyIndex{r.index, s}
	s.armed = true
	job := r.jobs()[0]
	_ = r.Process(t.Context(), job)
	s.armed = false
	r.checkInvariants()
	if again {
		r.clock.pass(time.Second)
		r.register(false, "/p")
		_ = r.work() // fails: a body that is being deleted cannot be stored yet
		r.checkInvariants()
	}
	for range 4 {
		r.clock.pass(3 * time.Minute)
		must(t, r.Process(t.Context(), job))
		r.sweepAfter(time.Minute)
	}
	switch have := fmt.Sprint(r.left("/p")); {
	case again && have != "[item Indexed index capture pointer]" && have != "[item Indexed index capture capture pointer]":
		t.Errorf("%s: after it was registered again there is %s", s.hit, have)
	case !again && have != "[]" && have != "[pointer]": // a pointer without an item does no harm
		t.Errorf("%s: there is %s", s.hit, have)
	case !again && nth == 0 && have != "[]":
		t.Errorf("without a fault there is %s", have)
	}
	return s.count
}

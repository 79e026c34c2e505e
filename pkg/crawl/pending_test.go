package crawl

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// TestIndexDown checks that pages are fetched and stored while the index is down, are indexed later from their
// snapshots without a request to the site, and then keep the schedule that they would have had.
func TestIndexDown(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1"))
	r.index.down = errIndexDown
	fetched := r.clock.now()
	it := r.first("/p")
	if it.Status != registry.Crawled || !it.IndexPending || it.ErrorMessage == "" || it.IndexedHash != "" {
		t.Fatalf("status %s, pending %v, message %q", it.Status, it.IndexPending, it.ErrorMessage)
	}
	r.site.asked()
	r.site.robotsAsked()
	for range 12 { // two hours
		it = r.next("/p")
	}
	if lines := len(it.History); lines > 6 {
		t.Errorf("the outage fills the history: %d lines", lines)
	}
	if it.UnchangedChecks != 0 || it.CrawlIntervalSeconds != int64(schedule.Defaults().Base/time.Second) ||
		!it.LastChecked.Equal(fetched) {
		t.Errorf("trying the index counts as checking: %d unchanged, every %d s, last %s", it.UnchangedChecks,
			it.CrawlIntervalSeconds, it.LastChecked)
	}
	r.index.down = nil
	it = r.next("/p")
	if asked := append(r.site.asked(), make([]string, r.site.robotsAsked())...); len(asked) > 0 {
		t.Errorf("the site was asked: %q", asked)
	}
	if it.Status != indexed || it.IndexPending || it.ErrorMessage != "" || r.index.holds(it) != "v1" ||
		it.IndexedHash != it.ContentHash {
		t.Errorf("status %s, pending %v, message %q, index %q", it.Status, it.IndexPending, it.ErrorMessage,
			r.index.holds(it))
	}
	if want := fetched.Add(schedule.Defaults().Base); !it.NextCrawlAt.Equal(want) {
		t.Errorf("next check at %s, want %s", it.NextCrawlAt, want)
	}
}

// TestIndexDownForLong checks that an outage longer than the interval does not delay the next check.
func TestIndexDownForLong(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1"))
	r.index.down = errIndexDown
	r.first("/p")
	r.clock.pass(3 * 24 * time.Hour)
	r.index.down = nil
	r.next("/p")
	r.site.asked()
	r.site.put("/p", text("v2"))
	if it := r.next("/p"); r.index.holds(it) != "v2" {
		t.Errorf("index holds %q, asked %q", r.index.holds(it), r.site.asked())
	}
}

// TestPendingIndexOfPagesThatLeave checks that a page is no longer pending once it has to leave the index for another
// reason.
func TestPendingIndexOfPagesThatLeave(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*site)
		want   registry.Status
		checks int
	}{
		{"A11 robots.txt", func(s *site) { s.put("/robots.txt", page{body: "User-agent: *\nDisallow: /p"}) },
			outOfScope, 1},
		{"A11 noindex", func(s *site) { s.put("/p", text("v2").set("X-Robots-Tag", "noindex")) }, outOfScope, 1},
		{"A14 gone", func(s *site) { s.put("/p", status(http.StatusGone)) }, registry.Gone, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/p", text("v1"))
			r.index.down = errIndexDown
			r.first("/p")
			tt.change(r.site)
			r.clock.pass(25 * time.Hour) // the cached robots.txt has expired
			for range tt.checks {
				r.force("/p")
			}
			r.index.down = nil
			for range 3 {
				r.next("/p")
			}
			if it := r.item("/p"); it.Status != tt.want || r.index.holds(it) != "" {
				t.Errorf("status %s, index %q", it.Status, r.index.holds(it))
			}
		})
	}
}

// TestIndexedButNotCommitted checks that content that a worker wrote to the index before it died leaves the index
// with the page.
func TestIndexedButNotCommitted(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		for _, tt := range []struct {
			name   string
			change func(*site)
			checks int
		}{
			{"A11 robots.txt", func(s *site) { s.put("/robots.txt", page{body: "User-agent: *\nDisallow: /p"}) }, 1},
			{"A11 noindex", func(s *site) { s.put("/p", text("v2").set("X-Robots-Tag", "noindex")) }, 1},
			{"A14 gone", func(s *site) { s.put("/p", status(http.StatusGone)) }, 3},
		} {
			t.Run(tt.name, func(t *testing.T) {
				r := newRig(t, on(open))
				r.site.put("/p", text("v1"))
				r.register(false, "/p")
				lost := r.item("/p")
				must(t, r.index.Put(t.Context(), search.Page{ID: string(lost.ID), Title: "lost"}))
				tt.change(r.site)
				r.mustWork()
				for range tt.checks {
					r.next("/p")
				}
				if it := r.item("/p"); r.index.holds(it) != "" {
					t.Errorf("status %s, and the index still holds %q", it.Status, r.index.holds(it))
				}
			})
		}
	})
}

// TestIndexRefuses checks that a page that the index refuses is a failing page: its checks back off, and the next
// content has a chance, also when a pending index was refused.
func TestIndexRefuses(t *testing.T) {
	for _, late := range []bool{false, true} {
		r := newRig(t)
		r.site.put("/p", text("v1"))
		if late {
			r.index.down = errIndexDown
			r.first("/p")
			r.index.down = fault.New(fault.TooLarge, "page is too large")
			r.next("/p")
		} else {
			r.index.down = fault.New(fault.TooLarge, "page is too large")
			r.first("/p")
		}
		it := r.item("/p")
		if it.Status != registry.Error || it.CrawlAttempts != 1 || it.IndexPending {
			t.Errorf("late %v: status %s, %d attempts, pending %v", late, it.Status, it.CrawlAttempts, it.IndexPending)
		}
		r.index.down = nil
		r.site.put("/p", text("v2"))
		if it = r.next("/p"); it.Status != indexed || r.index.holds(it) != "v2" {
			t.Errorf("late %v: status %s (%s), index %q", late, it.Status, it.ErrorMessage, r.index.holds(it))
		}
	}
}

// TestPendingIndexWithoutSnapshot checks that a pending page whose snapshot was purged, or damaged, is fetched again.
func TestPendingIndexWithoutSnapshot(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.site.put("/p", text("v1"))
		r.index.down = errIndexDown
		it := r.first("/p")
		hex := it.RawHash[len("sha256:"):]
		must(t, r.store.Container(snapshot.Container).Delete(t.Context(), "sha256/"+hex[:2]+"/"+hex[2:4]+"/"+hex))
		r.index.down = nil
		r.next("/p")
		r.site.asked()
		if it = r.next("/p"); it.Status != indexed || !slices.Equal(r.site.asked(), []string{"GET /p"}) {
			t.Errorf("status %s (%s)", it.Status, it.ErrorMessage)
		}
	})
}

// panicky panics over one page.
type panicky struct{ *bookIndex }

func (x panicky) Put(ctx context.Context, pages ...search.Page) error {
	for _, p := range pages {
		if p.Title == "bad" {
			panic("cannot digest this")
		}
	}
	return x.bookIndex.Put(ctx, pages...)
}

// TestPanicIsThePages checks that a page that makes the program panic is recorded as failing, and that other pages
// are not affected.
func TestPanicIsThePages(t *testing.T) {
	r := newRig(t)
	r.engine.Indexer = panicky{r.index}
	r.site.put("/a", text("a"))
	r.site.put("/bad", text("bad"))
	r.site.put("/c", text("c"))
	r.register(false, "/a", "/bad", "/c")
	r.mustWork()
	if it := r.item("/bad"); it.Status != registry.Error || last(it) != "error" || it.CrawlAttempts != 1 ||
		!it.NextCrawlAt.After(r.clock.now()) {
		t.Errorf("status %s (%s), %d attempts", it.Status, it.ErrorMessage, it.CrawlAttempts)
	}
	for _, path := range []string{"/a", "/c"} {
		if it := r.item(path); it.Status != indexed {
			t.Errorf("%s is %s", path, it.Status)
		}
	}
	r.site.put("/bad", text("good"))
	if it := r.next("/bad"); it.Status != indexed {
		t.Errorf("a good page after it: %s (%s)", it.Status, it.ErrorMessage)
	}
}

// TestB5PendingIndexOfAPausedHost checks B5: when a host asks for a pause, pending pages are still indexed from their
// snapshots, because that needs no request.
func TestB5PendingIndexOfAPausedHost(t *testing.T) {
	for _, tt := range []struct {
		name string
		when func(r *rig, rebuild func())
	}{
		{"paused by another batch", func(r *rig, rebuild func()) {
			rebuild()
			jobs := r.jobs()
			r.first("/busy")
			for _, job := range jobs {
				must(r.t, r.Process(r.t.Context(), job))
			}
		}},
		{"paused by the same batch", func(r *rig, rebuild func()) {
			r.register(false, "/busy")
			r.jobs()
			rebuild()
			a := r.item("/a")
			job := registry.Job{PartitionKey: a.Partition(), Host: a.SourceHost}
			for _, p := range []string{"/busy", "/a", "/b"} {
				it := r.item(p)
				job.Items = append(job.Items, registry.JobItem{ID: it.ID, RowKey: it.Hash()})
			}
			r.jobs()
			must(r.t, r.Process(r.t.Context(), job))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/a", text("a"))
			r.site.put("/b", text("b"))
			r.site.put("/busy", status(503).set("Retry-After", "3600"))
			r.register(false, "/a", "/b")
			r.mustWork()
			r.loseIndex()
			tt.when(r, func() {
				r.clock.pass(time.Second)
				_, err := r.reg.Rebuilds.Request(t.Context(), registry.Rebuild{Run: "again"}, registry.Cursor{})
				must(t, err)
				r.site.asked()
			})
			r.mustWork()
			for _, p := range []string{"/a", "/b"} {
				if it := r.item(p); r.index.holds(it) == "" || it.RebuildPending {
					t.Errorf("%s waits for the host: %+v", p, it.History)
				}
			}
			for _, asked := range r.site.asked() {
				if !strings.Contains(asked, "/busy") {
					t.Errorf("the site was asked for %s", asked)
				}
			}
		})
	}
}

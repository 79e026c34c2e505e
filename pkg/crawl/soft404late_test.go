package crawl

import (
	"context"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// ledger records the worker's requests to the store.
type ledger struct{ ops []string }

func (l *ledger) Before(_ context.Context, c storagetest.Call) error {
	l.ops = append(l.ops, c.Op+" "+c.Name)
	return nil
}

func (l *ledger) After(_ context.Context, _ storagetest.Call, err error) error { return err }

// took returns how many operations were done since the last call, and how many of them read blobs.
func (l *ledger) took() (all, blobs int) {
	for _, op := range l.ops {
		if strings.HasPrefix(op, "blob.Get") {
			blobs++
		}
	}
	all = len(l.ops)
	l.ops = nil
	return all, blobs
}

func (l *ledger) watch(k *knobs) {
	k.store = func(s storage.Store) storage.Store { return storagetest.Hooked(s, l) }
}

// learns requests the host's page for pages that do not exist again, a week later.
func (r *rig) learns(lost page) {
	r.t.Helper()
	r.sweepAfter(8 * day) // also checks items that become due
	r.site.asked()
	r.site.lost = lost
	r.site.put("/new", text(r.clock.now().String()))
	r.look("/new")
	r.wantProbes(1, "the host is to be known")
}

// TestA14Soft404LearnedLate checks A14: a page was stored before it was known that its host shows the same for pages
// that do not exist. It is missing from then on, although it does not change and is not fetched again.
func TestA14Soft404LearnedLate(t *testing.T) {
	for _, tt := range []struct {
		name string
		page page
	}{
		{"304", sorry.etag("1")},
		{"the same bytes", sorry},
		{"HEAD", sorry.etag("1").with(func(p *page) { p.ignores = true })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, open opener) {
				var l ledger
				r := newRig(t, on(open), softly, l.watch)
				r.site.put("/p", tt.page)
				r.site.put("/q", text("q").etag("1"))
				for _, p := range []string{"/p", "/q"} {
					if it := r.first(p); it.Status != indexed {
						t.Fatalf("%s: %s", p, it.Status)
					}
				}
				r.learns(sorry)
				l.took()
				for i, want := range []registry.Status{indexed, indexed, registry.Gone} {
					it := r.look("/p")
					if it.Status != want || it.MissingChecks != i+1 || !strings.Contains(it.ErrorMessage, verdict.WhySoft404) {
						t.Fatalf("check %d: %s, missing %d times: %s", i+1, it.Status, it.MissingChecks,
							it.ErrorMessage)
					}
					// The snapshot is read once; the manifest, when the page leaves the index, is a row.
					if _, blobs := l.took(); blobs != []int{1, 0, 0}[i] {
						t.Errorf("check %d read %d blobs", i+1, blobs)
					}
				}
				if it := r.item("/p"); r.index.holds(it) != "" {
					t.Error("still in the index")
				}
				r.look("/q")
				if _, blobs := l.took(); blobs != 1 {
					t.Errorf("a page that exists: %d snapshots read", blobs)
				}
				if it := r.look("/q"); it.Status != indexed || last(it) != "unchanged" {
					t.Errorf("a page that exists: %s, %s", it.Status, last(it))
				}
				if _, blobs := l.took(); blobs != 0 {
					t.Errorf("a page that exists is read again: %d", blobs)
				}
				r.wantProbes(0, "late")
			})
		})
	}
}

// TestA14Soft404ByRedirectLearnedLate checks A14: the same holds where the host redirects pages that do not exist to
// its front page.
func TestA14Soft404ByRedirectLearnedLate(t *testing.T) {
	r := newRig(t, softly)
	r.site.put("/", text("front").etag("f"))
	r.site.put("/p", to(302, "/"))
	r.site.put("/moved", to(302, "/q"))
	r.site.put("/q", text("q").etag("q"))
	for _, p := range []string{"/", "/p", "/moved"} {
		r.first(p)
	}
	r.learns(to(302, "/"))
	if it := r.look("/p"); it.MissingChecks != 1 || !strings.Contains(it.ErrorMessage, verdict.WhyToRoot) {
		t.Errorf("missing %d times: %s", it.MissingChecks, it.ErrorMessage)
	}
	for _, p := range []string{"/", "/moved"} {
		if it := r.look(p); it.MissingChecks != 0 {
			t.Errorf("%s: %s", p, it.ErrorMessage)
		}
	}
}

// TestA14Soft404Unlearned checks A14: when a host begins to answer 404, its pages come back, before they are Gone and
// after.
func TestA14Soft404Unlearned(t *testing.T) {
	for misses, how := range map[int]string{1: "missing", 3: "Gone"} {
		t.Run(how, func(t *testing.T) {
			r := newRig(t, softly)
			r.site.put("/p", sorry.etag("1"))
			r.first("/p")
			r.learns(sorry)
			for range misses {
				r.look("/p")
			}
			if it := r.item("/p"); it.MissingChecks != misses {
				t.Fatalf("missing %d times", it.MissingChecks)
			}
			r.site.lost = page{}
			r.sweepAfter(8 * day) // Gone items are checked by their schedule
			r.site.put("/new", text("newer"))
			r.look("/new")
			if it := r.look("/p"); it.Status != indexed || it.MissingChecks != 0 || r.index.holds(it) == "" {
				t.Errorf("%s, missing %d times: %s", it.Status, it.MissingChecks, it.ErrorMessage)
			}
		})
	}
}

// TestA14Soft404LateEnds checks A14: new content ends the verdict on the old content. With the feature off the
// verdict does not count.
func TestA14Soft404LateEnds(t *testing.T) {
	for _, how := range []string{"new content", "off"} {
		t.Run(how, func(t *testing.T) {
			r := newRig(t, softly)
			r.site.put("/p", sorry.etag("1"))
			r.first("/p")
			r.learns(sorry)
			r.look("/p")
			if how == "off" {
				r.Worker.o.Soft404 = false
			} else {
				r.site.put("/p", text("v1").etag("2"))
			}
			for range 2 {
				if it := r.look("/p"); it.Status != indexed || it.MissingChecks != 0 {
					t.Errorf("%s, missing %d times: %s", it.Status, it.MissingChecks, it.ErrorMessage)
				}
			}
		})
	}
}

// TestA14Soft404UnchangedCostsNothing checks A14: an unchanged check costs the same on a host whose fingerprint is
// known, and so does the next check of a page that was fetched while the fingerprint became known.
func TestA14Soft404UnchangedCostsNothing(t *testing.T) {
	cost := func(lost page) (all int) {
		var l ledger
		r := newRig(t, softly, l.watch)
		r.site.lost = lost
		r.site.put("/p", text("v1").etag("1"))
		r.first("/p")
		l.took()
		r.look("/p")
		all, _ = l.took()
		return all
	}
	if honest, soft := cost(page{}), cost(sorry); honest != soft {
		t.Errorf("%d operations on an honest host, %d on another", honest, soft)
	}
}

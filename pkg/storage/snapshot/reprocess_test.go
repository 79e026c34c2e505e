package snapshot

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// reprocess reads the body of a shot under the shot's version, a minute after the last capture.
func (p *past) reprocess(s *Store, x shot) error {
	first, err := p.s.First(p.t.Context(), idOf(x.item), Hash([]byte(x.body)))
	must(p.t, err)
	c := p.capture(x)
	c.CapturedAt, c.ReprocessedAt, c.RunID = first.CapturedAt, p.now.Add(time.Minute), "rebuild"
	return s.Reprocess(p.t.Context(), c)
}

// listed returns for each capture its body, its version and run, and when its source last answered with it.
func (p *past) listed(shots []shot) (out []string) {
	p.t.Helper()
	all, err := p.s.List(p.t.Context(), idOf("p"))
	must(p.t, err)
	names := namesOf(shots)
	for _, c := range all {
		_, version, _ := strings.Cut(c.NormalizationVersion, "text_")
		out = append(out, strings.Join([]string{
			names[strings.TrimPrefix(c.RawHash, "sha256:")], version, c.RunID, c.CapturedAt.Format("15"),
			c.LastVerifiedAt.Format("15"), c.ContentHash,
		}, " "))
	}
	return out
}

var reread = []shot{{"p", "p", "a", "a", "v1"}, {"p", "p", "b", "b", "v1"}}

// TestZ2ReprocessedCapture checks spec 000 §3.3: when other rules read a stored body, the result is a separate
// capture beside the first, which does not change. No edge joins the two. A later change supersedes the capture of
// its own version.
func TestZ2ReprocessedCapture(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		p := newPast(t, open(t, empty()))
		p.run(reread...)
		before := p.edges("p", namesOf(reread))
		for range 2 {
			must(t, p.reprocess(p.s, shot{"p", "p", "b-by-v2", "b", "v2"}))
		}
		want := []string{"b v1 run 14 14 sha256:b", "b v2 rebuild 14 14 sha256:b-by-v2", "a v1 run 13 13 sha256:a"}
		if diff := cmp.Diff(want, p.listed(reread)); diff != "" {
			t.Errorf("captures (-want +have)\n%s", diff)
		}
		if diff := cmp.Diff(before, p.edges("p", namesOf(reread))); diff != "" {
			t.Errorf("edges -before +after\n%s", diff)
		}
		p.run(shot{"p", "p", "a-by-v2", "a", "v2"})
		must(t, p.reprocess(p.s, shot{"p", "p", "b-by-v2", "b", "v2"})) // its commit had failed
		want = []string{want[0], want[1], "a v1 run 13 15 sha256:a", "a v2 run 15 15 sha256:a-by-v2"}
		if diff := cmp.Diff(want, p.listed(reread)); diff != "" {
			t.Errorf("after the page returned to a (-want +have)\n%s", diff)
		}
		if diff := cmp.Diff(append([]string{"15 pa over pb canonical_uri pb -"}, before...),
			p.edges("p", namesOf(reread))); diff != "" {
			t.Errorf("after the page returned to a: edges (-want +have)\n%s", diff)
		}
	})
}

// TestZ2ReprocessedWithoutACapture checks that a body that was never captured cannot be reprocessed.
func TestZ2ReprocessedWithoutACapture(t *testing.T) {
	p := newPast(t, open(t, mem.New(func() time.Time { return noon })))
	must(t, p.s.Reprocess(t.Context(), p.capture(reread[0])))
	if have := p.listed(reread); have != nil {
		t.Errorf("have %v", have)
	}
}

// TestZ2VersionsShareABody checks that captures of several versions are listed completely, and are pruned and purged
// with their body.
func TestZ2VersionsShareABody(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		store := empty()
		p := newPast(t, open(t, store))
		p.run(reread...)
		for _, version := range []string{"v2", "v2.1", "v10"} {
			must(t, p.reprocess(p.s, shot{"p", "p", "b-by-" + version, "b", version}))
		}
		all, err := p.s.List(t.Context(), idOf("p"))
		must(t, err)
		for size := 1; size <= 6; size++ {
			var paged []Capture
			for after := "start"; after != ""; {
				page, next, err := p.s.Page(t.Context(), idOf("p"), strings.TrimPrefix(after, "start"), size)
				must(t, err)
				paged, after = append(paged, page...), next
			}
			if diff := cmp.Diff(all, paged); diff != "" || len(all) != 5 {
				t.Errorf("pages of %d, -all +paged\n%s", size, diff)
			}
		}
		kept, err := p.s.Prune(t.Context(), idOf("p"), Retention{Count: 1}, p.now, Hash([]byte("a")))
		if must(t, err); kept.Count != 2 || len(p.listed(reread)) != 5 {
			t.Errorf("the newest body and the present one: %+v, %v", kept, p.listed(reread))
		}
		p.run(shot{"p", "p", "c", "c", "v10"})
		kept, err = p.s.Prune(t.Context(), idOf("p"), Retention{Count: 1}, p.now, Hash([]byte("c")))
		if must(t, err); kept.Count != 1 || len(p.listed(reread)) != 1 {
			t.Errorf("the newest body alone: %+v, %v", kept, p.listed(reread))
		}
		must(t, p.reprocess(p.s, shot{"p", "p", "c-by-v11", "c", "v11"}))
		must(t, p.s.Purge(t.Context(), idOf("p")))
		if n := left(t, store); n != 5 { // the look-up rows of pruned captures
			t.Errorf("%d rows and blobs are left, want 5", n)
		}
	})
}

// TestZ2ReprocessUnderFaults checks that a repetition after a fault at any step, before or after it takes effect,
// leaves the same captures and edges, and that a purge leaves nothing.
func TestZ2ReprocessUnderFaults(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		everyStep(t, func(t *testing.T, f *steps) {
			store := empty()
			p := newPast(t, open(t, store))
			p.run(append(reread, shot{"q", "q", "b-by-v2", "q", "v2"})...)
			x := shot{"p", "p", "b-by-v2", "b", "v2"}
			if err := p.reprocess(New(storagetest.Hooked(store, f)), x); (f.hit != "") != (err != nil) {
				t.Errorf("%s: %v", f.hit, err)
			}
			must(t, p.reprocess(p.s, x))
			if have := p.listed(reread); len(have) != 3 || have[1] != "b v2 rebuild 14 14 sha256:b-by-v2" {
				t.Errorf("%s: captures %v", f.hit, have)
			}
			names := namesOf(append(reread, shot{"q", "q", "", "q", ""}))
			want := []string{"15 pb over qq content_sha256 - qq", "14 pb over pa canonical_uri pa -"}
			if diff := cmp.Diff(want, p.edges("p", names)); diff != "" {
				t.Errorf("%s: edges (-want +have)\n%s", f.hit, diff)
			}
		})
		everyStep(t, func(t *testing.T, f *steps) {
			store := empty()
			p := newPast(t, open(t, store))
			p.run(reread...)
			must(t, p.reprocess(p.s, shot{"p", "p", "b-by-v2", "b", "v2"}))
			if err := New(storagetest.Hooked(store, f)).Purge(t.Context(), idOf("p")); (f.hit != "") != (err != nil) {
				t.Errorf("%s: %v", f.hit, err)
			}
			must(t, p.s.Purge(t.Context(), idOf("p")))
			if n := left(t, store); n > 0 {
				t.Errorf("%s: %d rows and blobs are left", f.hit, n)
			}
		})
	})
}

package crawl

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// TestB4ThereAndBack checks A21, B4: each change has an edge. So has a page's return to earlier content, which adds
// no capture.
func TestB4ThereAndBack(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		a, b := text("a"), text("b")
		r.site.put("/p", a)
		r.first("/p")
		first := r.clock.now()
		var at []time.Time
		for _, p := range []page{b, a} {
			r.site.put("/p", p)
			at = append(at, r.next("/p").LastChanged)
		}
		it := r.item("/p")
		id := func(p page) lineage.CaptureID {
			return lineage.NewCaptureID(string(it.ID), snapshot.Hash([]byte(p.body)))
		}
		edges := r.edges("/p")
		if len(edges) != 2 || len(r.captures("/p")) != 2 || it.CaptureCount != 2 {
			t.Fatalf("%d edges, %d captures, of which the item knows %d", len(edges), len(r.captures("/p")),
				it.CaptureCount)
		}
		for i, want := range []lineage.Edge{
			{Newer: id(a), Older: id(b), At: at[1]}, {Newer: id(b), Older: id(a), At: at[0]},
		} {
			if e := edges[i]; e.Newer != want.Newer || e.Older != want.Older || !e.At.Equal(want.At) ||
				e.Reason != lineage.SameURI {
				t.Errorf("edge %d: %+v, want %+v", i, e, want)
			}
		}
		why := it.History[slices.IndexFunc(it.History, func(d registry.Decision) bool {
			return strings.HasSuffix(d.Why,
				" again")
		})].Why
		if want := "the content is that of " + first.UTC().Format("2006-01-02T15:04"); !strings.HasPrefix(why, want) {
			t.Errorf("history says %q, want %q…", why, want)
		}
		if c := r.captures("/p")[0]; c.FetchURL != it.NormalizedSource {
			t.Errorf("fetched from %q", c.FetchURL)
		}
	})
}

// TestB3NoEdgeAcrossVersions checks B3: after the rules of normalization have changed, no edge leads from new
// captures to earlier ones.
func TestB3NoEdgeAcrossVersions(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		old := snapshot.Capture{
			ItemID: r.source("/p").ID(), RawHash: snapshot.Hash([]byte("old")), ContentHash: "sha256:old",
			CanonicalURI: r.source(
				"/p",
			).Normalized, NormalizationVersion: "http_snapshot_url_v1_text_v1.9", CapturedAt: r.clock.now(),
		}
		_, err := r.snaps.Save(t.Context(), old, []byte("old"), snapshot.Had{})
		must(t, err)
		r.site.put("/p", text("new"))
		r.first("/p")
		if edges := r.edges("/p"); len(edges) > 0 || len(r.captures("/p")) != 2 {
			t.Errorf("%d captures, edges %+v", len(r.captures("/p")), edges)
		}
		r.site.put("/p", text("newer"))
		r.next("/p")
		if edges := r.edges("/p"); len(edges) != 1 {
			t.Errorf("edges %+v", edges)
		}
	})
}

// TestA21RetentionByCount checks A21: with a limit by count, old captures are removed when there is a new one. A
// capture that the stored row still named is removed at the next check.
func TestA21RetentionByCount(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open), func(k *knobs) { k.crawl.Retention.Count = 1 })
		for i, tt := range []struct {
			page string
			left int // captures
		}{{"a", 1}, {"b", 2}, {"b", 1}, {"c", 2}, {"d", 2}, {"d", 1}, {"d", 1}} {
			r.site.put("/p", text(tt.page))
			if i == 0 {
				r.first("/p")
			} else {
				r.next("/p")
			}
			it := r.item("/p")
			if n := len(r.captures("/p")); n != tt.left || it.CaptureCount != n || len(r.blobs()) != n {
				t.Errorf("%d: %d captures, of which the item knows %d, and %d blobs; want %d", i, n, it.CaptureCount,
					len(r.blobs()), tt.left)
			}
			if _, body, err := r.snaps.Load(t.Context(), it.ID, it.RawHash); err != nil ||
				string(body) != text(tt.page).body {
				t.Errorf("%d: the present capture is %q, %v", i, body, err)
			}
		}
	})
}

// TestA21RetentionByBytes checks A21: a limit by bytes works likewise, also for a page whose captures were not
// counted before. Edges between the remaining captures stay.
func TestA21RetentionByBytes(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		for i, version := range []string{"a", "b", "c", "d"} {
			r.site.put("/p", text(version))
			if i == 0 {
				r.first("/p")
			} else {
				r.next("/p")
			}
		}
		size := int64(len(text("a").body))
		if it := r.item("/p"); it.CaptureBytes != 4*size {
			t.Fatalf("%d bytes of 4 times %d", it.CaptureBytes, size)
		}
		r.Worker.o.Retention.Bytes = 2*size + 1
		for i, left := range []int{2, 2} { // without new content
			it := r.next("/p")
			if n := len(r.captures("/p")); n != left || it.CaptureCount != n || it.CaptureBytes != int64(n)*size ||
				len(r.blobs()) != n {
				t.Errorf("%d: %d captures, of which the item knows %d with %d bytes", i, n, it.CaptureCount,
					it.CaptureBytes)
			}
		}
		if edges := r.edges("/p"); len(edges) != 2 {
			t.Errorf("edges %+v", edges)
		}
	})
}

// TestA21RetentionByAge checks A21: with a limit by age, a capture is removed at the first check after it has become
// too old, even without a change. The current capture stays.
func TestA21RetentionByAge(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		const age = 10 * 24 * time.Hour
		r := newRig(t, on(open), func(k *knobs) { k.crawl.Retention.Age = age })
		r.site.put("/p", text("a"))
		made := r.first("/p").LastChanged
		r.site.put("/p", text("b"))
		it := r.next("/p")
		if it.OldestCapture.IsZero() || len(r.captures("/p")) != 2 {
			t.Fatalf("oldest %s of %d captures", it.OldestCapture, len(r.captures("/p")))
		}
		for range 10 {
			it = r.next("/p")
			want := 2
			if it.LastChecked.Sub(made) > age {
				want = 1
			}
			if n := len(r.captures("/p")); n != want {
				t.Fatalf("%s: %d captures, want %d", it.LastChecked, n, want)
			}
		}
		if !it.OldestCapture.IsZero() || len(r.blobs()) != 1 || len(r.edges("/p")) != 1 {
			t.Errorf("oldest %s, %d blobs, %d edges", it.OldestCapture, len(r.blobs()), len(r.edges("/p")))
		}
	})
}

package crawl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// essay is a page of many paragraphs, some of which an edit replaces.
func essay(edits map[int]string) page {
	var b strings.Builder
	b.WriteString("<html lang=en><title>Essay</title><main><h1>Essay</h1>")
	for i := range 60 {
		text := fmt.Sprintf(
			"Paragraph %d tells at some length what the harbour master of the %d. basin wrote into the book of the year %d, "+
				"and why.",
			i,
			i*7%31,
			1800+i,
		)
		if edit, ok := edits[i]; ok {
			text = edit
		}
		fmt.Fprintf(&b, "<p>%s</p>", text)
	}
	b.WriteString("</main></html>")
	return page{body: b.String()}
}

// manifests lists the item's manifests.
func (r *rig) manifests(path string) (names []string) {
	q := storage.Query{Partition: string(r.item(path).ID)}
	for e, err := range r.store.Table(index.Table).Query(r.t.Context(), q) {
		must(r.t, err)
		names = append(names, e.Row)
	}
	for name, err := range r.store.Container(index.Container).List(r.t.Context(), "") {
		r.t.Errorf("a blob %s (%v)", name, err)
	}
	return names
}

// put returns the page that the index was last given.
func (r *rig) put(path string) search.Page { return r.index.pages[string(r.item(path).ID)] }

// TestC5OnlyTheDifference checks C5: an edit reaches the index as added and removed chunks. A check without
// conditions, and a page whose manifest is lost, assume nothing about the index.
func TestC5OnlyTheDifference(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.site.put("/p", essay(nil))
		r.first("/p")
		first := r.put("/p")
		if first.Known != nil || len(first.Chunks) < 5 {
			t.Fatalf("first: held %v, %d chunks", first.Known, len(first.Chunks))
		}
		r.site.put("/p", essay(map[int]string{30: "The lock is closed."}))
		r.next("/p")
		second := r.put("/p")
		added, left := 0, len(first.Chunks)
		for _, c := range second.Chunks {
			if _, held := second.Known.Chunks[c.Key]; held {
				left--
			} else {
				added++
			}
		}
		if added == 0 || added > 3 || left > 3 {
			t.Errorf("of %d chunks %d were added and %d left", len(second.Chunks), added, left)
		}
		if r.force("/p"); r.put("/p").Known != nil {
			t.Error("who forces a check counts on what is held")
		}
		must(t, index.NewManifests(r.store).Purge(t.Context(), r.item("/p").ID))
		r.site.put("/p", essay(nil))
		if r.next("/p"); r.put("/p").Known != nil {
			t.Error("a lost manifest is counted on")
		}
	})
}

// TestC5RemovesWhatIsKnown checks C5, A14: a page is removed from the index with the contents in its manifest, images
// included, because an index may not yet show what was just written.
func TestC5RemovesWhatIsKnown(t *testing.T) {
	for _, tt := range []struct {
		name  string
		leave func(r *rig)
		known bool
	}{
		{"removed", func(r *rig) { r.remove("/p"); r.mustWork() }, true},
		{"noindex", func(r *rig) { r.site.put("/p", text("v2").set("X-Robots-Tag", "noindex")); r.next("/p") }, true},
		{"forced", func(r *rig) { r.site.put("/p", text("v2").set("X-Robots-Tag", "noindex")); r.force("/p") }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.site.put(
				"/p",
				page{
					body: `<html lang=en><title>v1</title><main><p>The tide table stands here.</p><img src="/crane.jpg" alt="A crane"></main>`,
				},
			)
			r.first("/p")
			put := r.put("/p")
			tt.leave(r)
			var want *search.Contents
			if tt.known {
				want = put.Contents()
			}
			if diff := cmp.Diff(want, r.index.removed); diff != "" || len(put.Images) != 1 {
				t.Errorf("%d images, -put +said to be held\n%s", len(put.Images), diff)
			}
			if r.index.pages[put.ID].ID != "" {
				t.Error("still there")
			}
		})
	}
}

// TestC4ManifestsComeAndGo checks C4: the chunk metadata of the index's contents is stored beside the snapshots, and
// is removed with the item.
func TestC4ManifestsComeAndGo(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.site.put("/p", essay(nil))
		r.first("/p")
		r.site.put("/p", essay(map[int]string{7: "Low water."}))
		it := r.next("/p")
		names := r.manifests("/p")
		if want := []string{it.Manifest}; cmp.Diff(want, names) != "" {
			t.Fatalf("manifests %v, want %v", names, want)
		}
		records, err := index.NewManifests(r.store).Records(t.Context(), it.ID, it.Manifest)
		must(t, err)
		var uids, put []string
		for _, record := range records {
			uids = append(uids, string(record.ChunkUID))
		}
		for _, c := range r.put("/p").Chunks {
			put = append(put, c.UID)
		}
		if diff := cmp.Diff(put, uids); diff != "" || !strings.HasPrefix(uids[0], "ck64:v1:repo:"+string(it.ID)+":") {
			t.Errorf("-index +manifest\n%s", diff)
		}
		r.site.put(
			"/p",
			page{body: strings.Replace(essay(nil).body, "<title>", "<meta name=robots content=noindex><title>", 1)},
		)
		if it := r.next("/p"); len(r.manifests("/p")) != 0 || it.Manifest != "" {
			t.Errorf("left the index: %v", r.manifests("/p"))
		}
	})
}

// TestC4ManifestsOfRefusedPages checks C4: a page that the index refuses has one manifest, however often it changes.
func TestC4ManifestsOfRefusedPages(t *testing.T) {
	r := newRig(t)
	r.index.down = fault.New(fault.TooLarge, "page is too large")
	r.site.put("/p", text("v0"))
	r.first("/p")
	for i := range 3 {
		r.site.put("/p", text(fmt.Sprint("v", i+1)))
		if it := r.next("/p"); it.Status != registry.Error || len(r.manifests("/p")) != 1 {
			t.Errorf("%s, manifests %v", it.Status, r.manifests("/p"))
		}
	}
	r.index.down = nil
	r.site.put("/p", text("v4"))
	if it := r.next("/p"); it.Status != indexed ||
		!cmp.Equal(r.manifests("/p"), []string{it.Manifest}) {
		t.Errorf("%s, manifests %v", it.Status, r.manifests("/p"))
	}
}

// TestS2PageOfTooManyChunks checks S2: a page that is too long is found by its first chunks, and another chunk and its
// history state what was left out.
func TestS2PageOfTooManyChunks(t *testing.T) {
	r := newRig(t)
	// Lines of a hundred tokens in as many bytes, each of which becomes a chunk.
	r.site.put(
		"/p",
		page{
			body: "<html lang=en><title>Log</title><main><pre>" + strings.Repeat(
				strings.Repeat("1a", 50)+"\n",
				index.MaxChunks+7,
			) + "</pre></main></html>",
		},
	)
	it := r.first("/p")
	if n := len(r.index.pages[string(it.ID)].Chunks); it.Status != indexed || n != index.MaxChunks+1 {
		t.Errorf("%s (%s), %d chunks", it.Status, it.ErrorMessage, n)
	}
	if i := slices.IndexFunc(it.History, func(d registry.Decision) bool {
		return strings.Contains(d.Why,
			"7 chunks of its text were left out")
	}); i < 0 {
		t.Errorf("%+v", it.History)
	}
}

// TestK7RequestsOfAChangedPage checks K7: a changed page costs the write of one blob and a read of its earlier blob,
// which shows what has changed. Rows are read by their keys, because for a query Azurite scans all rows, and for the
// deletion of a blob it sorts all blobs.
func TestK7RequestsOfAChangedPage(t *testing.T) {
	asked := map[string]int{}
	r := newRig(t, func(k *knobs) {
		k.store = func(s storage.Store) storage.Store {
			return storagetest.Hooked(s, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
				asked[c.Op+" "+c.Name]++
				return nil
			}})
		}
	})
	r.site.put("/p", essay(nil))
	r.first("/p")
	r.site.put("/p", essay(map[int]string{30: "The lock is closed."}))
	clear(asked)
	r.next("/p")
	want := map[string]int{
		"blob.Put snapshots": 1, "table.Get Manifests": 1, "table.Transact Manifests": 2, "table.Get Captures": 2,
		"blob.Get snapshots":      1,
		"table.Transact Captures": 2, "table.Transact SnapshotRefs": 1, "table.Transact FieldValues": 1,
	}
	for name, n := range asked {
		kept := !strings.HasPrefix(name, "queue.") && !strings.HasSuffix(name, " IngestItems") &&
			!strings.HasSuffix(name, " DueHints") && !strings.HasSuffix(name, " "+feed.Table)
		if kept && n != want[name] {
			t.Errorf("%s: %d, want %d", name, n, want[name])
		}
	}
	if asked["blob.Put snapshots"] != 1 {
		t.Errorf("asked %v", asked)
	}
}

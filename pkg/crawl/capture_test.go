package crawl

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// TestA21Captures checks A21: a fetched body is stored once, byte for byte, with the headers that a replay needs.
func TestA21Captures(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		secret := text("v1").etag("1").set("Set-Cookie", "session=secret").set("Content-Language", "en")
		r.site.put("/p", secret)
		it := r.first("/p")
		c, body, err := r.snaps.Load(t.Context(), it.ID, it.RawHash)
		must(t, err)
		if string(body) != secret.body || c.ContentHash != it.ContentHash || c.TextHash != it.TextHash ||
			c.Bytes != int64(len(body)) ||
			c.StatusCode != 200 || c.RunID != "run" || c.NormalizationVersion == "" ||
			c.CanonicalURI != it.NormalizedSource {
			t.Errorf("capture %+v", c)
		}
		if c.Header["Set-Cookie"] != nil || !slices.Equal(c.Header["Content-Language"], []string{"en"}) ||
			c.ContentType() != "text/html; charset=utf-8" {
			t.Errorf("header %v", c.Header)
		}
		r.next("/p")
		r.force("/p")
		r.site.put("/p", page{body: secret.body + "<!-- noise -->"})
		it = r.next("/p")
		if !it.LastVerified.Equal(it.LastChecked) {
			t.Errorf("verified at %s, checked at %s", it.LastVerified, it.LastChecked)
		}
		if n := len(r.captures("/p")); n != 1 {
			t.Errorf("%d captures of one body", n)
		}
	})
}

// TestA21ThereAndBack checks A21, B2: a page that returns to its earlier content has two captures, and only the
// verification of the first one changes.
func TestA21ThereAndBack(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		a, b := text("a"), text("b")
		r.site.put("/p", a)
		first := r.first("/p")
		before := r.captures("/p")[0]
		r.site.put("/p", b)
		r.next("/p")
		r.site.put("/p", page{body: `<link rel=canonical href="/q">` + a.body}) // noise that only this item has
		r.next("/p")
		r.site.put("/p", a)
		it := r.next("/p")
		if it.ContentHash != first.ContentHash || r.index.holds(it) != "a" {
			t.Errorf("index holds %q", r.index.holds(it))
		}
		var hashes []string
		for _, c := range r.captures("/p") {
			hashes = append(hashes, c.RawHash)
			if c.RawHash != before.RawHash {
				continue
			}
			if c.CanonicalURI != before.CanonicalURI || c.ContentHash != before.ContentHash ||
				!c.CapturedAt.Equal(before.CapturedAt) {
				t.Errorf("a capture has changed: %+v, was %+v", c, before)
			}
		}
		if len(hashes) != 3 || !slices.Contains(hashes, snapshot.Hash([]byte(a.body))) ||
			!slices.Contains(hashes, snapshot.Hash([]byte(b.body))) {
			t.Errorf("captures %v", hashes)
		}
	})
}

// TestA21SharedBody checks A21: a body that many items share is one blob.
func TestA21SharedBody(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.site.put("/a", text("same"))
		r.site.put("/b", text("same"))
		r.register(false, "/a", "/b")
		r.mustWork()
		blobs := 0
		for _, err := range r.store.Container(snapshot.Container).List(t.Context(), "") {
			must(t, err)
			blobs++
		}
		if blobs != 1 || len(r.captures("/a")) != 1 || len(r.captures("/b")) != 1 {
			t.Errorf("%d blobs, %d and %d captures", blobs, len(r.captures("/a")), len(r.captures("/b")))
		}
	})
}

// TestA20DoubledJobs checks A20: a job that is delivered again, twice at once, or late does no harm.
func TestA20DoubledJobs(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open))
		r.site.put("/p", text("v1"))
		r.site.put("/q", text("q"))
		r.register(false, "/p", "/q")
		job := r.jobs()[0]
		r.site.before = func(string) { time.Sleep(20 * time.Millisecond) } // long enough to overlap
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if err := r.Process(t.Context(), job); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if asked := r.site.asked(); !slices.Equal(asked, []string{"GET /p", "GET /q"}) {
			t.Errorf("asked %q, want each page once", asked)
		}
		it := r.item("/p")
		for range 3 {
			r.clock.pass(time.Hour)
			must(t, r.Process(t.Context(), job))
		}
		if again := r.item("/p"); len(r.site.asked()) > 0 || !again.LastChecked.Equal(it.LastChecked) ||
			len(again.History) != len(it.History) {
			t.Error("a late job has checked the page again")
		}
	})
}

// TestA20TwoWorkers checks A20: when a host has room for two workers, they share its items, and each item is fetched
// once.
func TestA20TwoWorkers(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open), func(k *knobs) { k.polite.MaxConcurrent = 4 })
		var paths []string
		for _, c := range "abcdefghijklmnopqrstuvwxyz" {
			path := "/" + string(c)
			r.site.put(path, text(path))
			paths = append(paths, path)
		}
		r.register(false, paths[:13]...)
		r.register(false, paths[13:]...)
		var wg sync.WaitGroup
		for _, job := range r.jobs() {
			for range 2 {
				wg.Go(func() {
					if err := r.Process(t.Context(), job); err != nil {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		r.sweepAfter(time.Minute) // the item that found no room
		asked := r.site.asked()
		slices.Sort(asked)
		if len(slices.Compact(asked)) != len(paths) || len(asked) != len(paths) {
			t.Errorf("%d requests for %d pages: %q", len(asked), len(paths), asked)
		}
		for _, p := range paths {
			if it := r.item(p); it.Status != indexed || it.LockOwner != "" {
				t.Errorf("%s is %s, lock %q", p, it.Status, it.LockOwner)
			}
		}
	})
}

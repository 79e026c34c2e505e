package crawl

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// noisy is a page with a text, and with other bytes for each number.
func noisy(version string, n int) page { return text(version).nonce(n) }

// verifiedAt returns when the site last answered with each captured body of a page.
func (r *rig) verifiedAt(path string) map[string]time.Time {
	out := map[string]time.Time{}
	for _, c := range r.captures(path) {
		out[c.RawHash] = c.LastVerifiedAt
	}
	return out
}

// TestA21SameText checks A21 (TEST-3 of spec 004): bytes that are new are captured, even if the text is known. The
// first body of a text and the newest others are kept. They are no change, have no edge, and the time of the last
// verification is that of the body that the site serves now.
func TestA21SameText(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open), func(k *knobs) { k.crawl.Retention.SameText = 2 })
		hash := func(p page) string { return snapshot.Hash([]byte(p.body)) }
		r.site.put("/p", noisy("v1", 0))
		r.first("/p")
		began := r.item("/p")
		for _, n := range []int{1, 2, 2, 3, 0, 3} {
			r.site.put("/p", noisy("v1", n))
			it := r.next("/p")
			serves := it.Validators.Served(it.RawHash)
			if it.RawHash != began.RawHash || !it.LastChanged.Equal(began.LastChanged) || it.CaptureCount != 1 ||
				serves != hash(noisy("v1", n)) || !it.LastVerified.Equal(it.LastChecked) {
				t.Errorf("%d: serves %s of %s, changed %s, %d captures", n, serves, it.RawHash, it.LastChanged,
					it.CaptureCount)
			}
		}
		have := slices.Sorted(maps.Keys(r.verifiedAt("/p")))
		kept := slices.Sorted(slices.Values([]string{hash(noisy("v1", 0)), hash(noisy("v1", 2)), hash(noisy("v1", 3))}))
		if !slices.Equal(have, kept) || len(r.blobs()) != 3 || len(r.edges("/p")) != 0 {
			t.Errorf("captures %v, want %v; %d blobs, edges %v", have, kept, len(r.blobs()), r.edges("/p"))
		}
		r.site.put("/p", noisy("v2", 0))
		served := r.item("/p").LastVerified
		it := r.next("/p")
		if at := r.verifiedAt("/p")[hash(noisy("v1", 3))]; !at.Equal(served) {
			t.Errorf("the body that was served last: verified at %s, want %s", at, served)
		}
		if it.RawHash != hash(noisy("v2", 0)) || it.Validators.Body != "" || len(r.edges("/p")) != 1 ||
			it.CaptureCount != 2 {
			t.Errorf("after a change: %s of %s, %d edges, %d captures", it.Validators.Body, it.RawHash, len(r.edges("/p")),
				it.CaptureCount)
		}
		r.Worker.o.Retention.Count = 1 // what is removed takes the bodies with its text along
		r.next("/p")
		if n := len(r.captures("/p")); n != 1 || len(r.blobs()) != 1 {
			t.Errorf("%d captures and %d blobs are left", n, len(r.blobs()))
		}
	})
}

// TestA21SameTextReturns checks A21: a page that returns to a body which was captured for its text alone has a capture
// in its own right.
func TestA21SameTextReturns(t *testing.T) {
	r := newRig(t, func(k *knobs) { k.crawl.Retention.SameText = 1 })
	for i, p := range []page{noisy("v1", 0), noisy("v1", 1), noisy("v2", 0), noisy("v1", 1), noisy("v1", 2)} {
		r.serves("/p", p, i == 0)
	}
	var same []string
	for _, c := range r.captures("/p") {
		same = append(same, fmt.Sprint(c.SameTextAs != ""))
	}
	slices.Sort(same)
	it := r.item("/p")
	if want := []string{"false", "false", "false", "true"}; !slices.Equal(same, want) || it.CaptureCount != 3 ||
		len(r.edges("/p")) != 2 {
		t.Errorf("captures for the text alone: %v, want %v; the item counts %d; edges %v", same, want, it.CaptureCount,
			r.edges("/p"))
	}
}

// TestA21SameTextServedByAFormerState checks A21: a capture that the site serves again for its text is kept, whatever
// the limits on captures say.
func TestA21SameTextServedByAFormerState(t *testing.T) {
	r := newRig(t, func(k *knobs) { k.crawl.Retention.SameText = 3 })
	for i, p := range []page{noisy("v1", 0), text("v2"), noisy("v1", 1), noisy("v1", 0), noisy("v1", 0)} {
		if i == 4 {
			r.Worker.o.Retention.Count = 2
		}
		r.serves("/p", p, i == 0)
	}
	it := r.item("/p")
	if _, _, err := r.snaps.Load(t.Context(), it.ID, it.Validators.Served(it.RawHash)); err != nil ||
		it.RawHash != snapshot.Hash([]byte(noisy("v1", 1).body)) {
		t.Errorf("serves %q of %s: %v", it.Validators.Body, it.RawHash, err)
	}
}

// serves puts a page on the site and checks it, for the first time or again.
func (r *rig) serves(path string, p page, isFirst bool) {
	r.t.Helper()
	if r.site.put(path, p); isFirst {
		r.first(path)
	} else {
		r.next(path)
	}
}

// kept returns which of the served bodies are captured, each by its first place in the list.
func (r *rig) kept(path string, served []page) string {
	r.t.Helper()
	verified := r.verifiedAt(path)
	var have []string
	for n, p := range served {
		_, kept := verified[snapshot.Hash([]byte(p.body))]
		before := slices.ContainsFunc(served[:n], func(o page) bool { return o.body == p.body })
		if kept && !before {
			have = append(have, fmt.Sprint(n))
		}
	}
	return strings.Join(have, " ")
}

// priced is a page that declares a price, with other bytes for each number.
func priced(price string, n int) page {
	p := noisy("v1", n)
	p.body += `<script type="application/ld+json">{"@type":"Product","offers":{"price":` + price + `}}</script>`
	return p
}

// TestX12DeclaredValuesAlone checks that the first body with each price is kept even if no others with a known text
// are, and that the time of the last verification is that of the body that is served (X12).
func TestX12DeclaredValuesAlone(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open), func(k *knobs) { k.crawl.Retention.SameText = 0 })
		served := []page{priced("79", 0), priced("79.00", 1), priced("84", 2), priced("84", 3), priced("79", 4),
			priced("84", 2), noisy("v1", 5), noisy("v1", 6)}
		keeps := []string{"0", "0", "0 2", "0 2", "0 2", "0 2", "0 2 6", "0 2 6"}
		serves := []int{0, 0, 2, 0, 0, 2, 6, 0} // the body of the row, where the served one is not kept
		for i, p := range served {
			r.serves("/p", p, i == 0)
			it := r.item("/p")
			if have := r.kept("/p", served); have != keeps[i] ||
				it.Validators.Served(it.RawHash) != snapshot.Hash([]byte(served[serves[i]].body)) {
				t.Errorf("after %d: kept %s, want %s; serves %q", i, have, keeps[i], it.Validators.Body)
			}
		}
		if it := r.item("/p"); it.CaptureCount != 3 || len(r.edges("/p")) != 0 || len(r.blobs()) != 3 {
			t.Errorf("%d captures, %d blobs, edges %v", it.CaptureCount, len(r.blobs()), r.edges("/p"))
		}
	})
}

// TestX12DeclaredValues checks that bodies with one text that declare other values have not the same text: each price
// keeps its first body and the newest others, and its first body counts for the other limits. A price in another form
// is the same price (X12).
func TestX12DeclaredValues(t *testing.T) {
	onStores(t, func(t *testing.T, open opener) {
		r := newRig(t, on(open), func(k *knobs) { k.crawl.Retention.SameText = 1 })
		served := []page{priced("79", 0), priced(`"79.00"`, 1), priced("79", 2), priced("84", 3), priced("84", 4),
			priced("84", 5), priced("79", 6), noisy("v1", 7)}
		// What was served last stays until the next body with its price is captured.
		keeps := []string{"0", "0 1", "0 1 2", "0 1 2 3", "0 1 2 3 4", "0 1 2 3 4 5", "0 3 4 5 6", "0 3 4 5 6 7"}
		counts := []int{1, 1, 1, 2, 2, 2, 2, 3}
		for i, p := range served {
			r.serves("/p", p, i == 0)
			if have, it := r.kept("/p", served), r.item("/p"); have != keeps[i] || it.CaptureCount != counts[i] {
				t.Errorf("after %d: kept %s, want %s; the item counts %d, want %d", i, have, keeps[i], it.CaptureCount, counts[i])
			}
		}
		if it := r.item("/p"); it.RawHash != snapshot.Hash([]byte(served[0].body)) || len(r.edges("/p")) != 0 {
			t.Errorf("the present capture is %s; edges %v", it.RawHash, r.edges("/p"))
		}
		r.Worker.o.Retention.Count = 2 // the price of 84 goes with all its bodies; the last body is served
		r.next("/p")
		if n := len(r.captures("/p")); n != 3 || len(r.blobs()) != 3 || r.item("/p").CaptureCount != 2 {
			t.Errorf("%d captures and %d blobs are left; the item counts %d", n, len(r.blobs()), r.item("/p").CaptureCount)
		}
	})
}

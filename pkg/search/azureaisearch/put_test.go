package azureaisearch

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest/aisearch"
)

func created(t testing.TB, dimensions int) (*Index, *aisearch.Server) {
	t.Helper()
	server := aisearch.New(t)
	ix := open(t, server, dimensions)
	must(t, ix.Create(t.Context()))
	server.Requests()
	return ix, server
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func page(id string, texts ...string) search.Page {
	p := search.Page{ID: id, URL: "https://h/" + id, Host: "h", Type: "page", Title: "Title", Language: "en",
		IndexedAt: time.Unix(1e9, 0)}
	for i, text := range texts {
		p.Chunks = append(p.Chunks, search.Chunk{Key: keyOf(text), UID: fmt.Sprintf("ck64:v1:%s:%d", id, i), Text: text})
	}
	return p
}

// keyOf returns the text itself if it can be a key.
func keyOf(text string) string {
	if search.IsKey(text) {
		return text
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// actions returns the actions on documents, without the pages' own documents, which every Put writes.
func actions(server *aisearch.Server) (done []string) {
	for _, r := range server.Requests() {
		for _, a := range r.Actions {
			if !strings.HasPrefix(a, "upload p-") {
				done = append(done, a)
			}
		}
	}
	slices.Sort(done)
	return done
}

// TestC5PutWritesTheDifference checks that only the difference is sent for a page with known contents.
func TestC5PutWritesTheDifference(t *testing.T) {
	base := func() search.Page {
		p := page("a", "one", "two", "three")
		p.Images = []search.Image{{ID: "img_1", Alt: "crane"}, {ID: "img_2", Alt: "ferry"}}
		return p
	}
	for _, tc := range []struct {
		name string
		edit func(*search.Page)
		want []string
	}{
		{"nothing", func(*search.Page) {}, nil},
		{"time of indexing", func(p *search.Page) { p.IndexedAt = p.IndexedAt.Add(time.Hour) }, nil},
		{"order", func(p *search.Page) { slices.Reverse(p.Chunks); slices.Reverse(p.Images) }, nil},
		{"chunk comes",
			func(p *search.Page) { p.Chunks = append(p.Chunks, search.Chunk{Key: "four", UID: "u", Text: "four"}) },
			[]string{"upload c1-a-four"}},
		{"chunk leaves", func(p *search.Page) { p.Chunks = p.Chunks[1:] }, []string{"delete c1-a-one"}},
		{"uid", func(p *search.Page) { p.Chunks[0].UID = "other" }, []string{"merge c1-a-one"}},
		{"anchor", func(p *search.Page) { p.Chunks[0].Anchor = "quay" }, []string{"merge c1-a-one"}},
		{"title", func(p *search.Page) { p.Title = "Name" }, []string{"upload c1-a-one", "upload c1-a-three",
			"upload c1-a-two"}},
		{"J5 tags", func(p *search.Page) { p.Tags = []string{"tides"} }, []string{"merge c1-a-one", "merge c1-a-three",
			"merge c1-a-two"}},
		{"image changes", func(p *search.Page) { p.Images[0].Alt = "cranes" }, []string{"upload i1-a-img_1"}},
		{"image leaves", func(p *search.Page) { p.Images = p.Images[1:] }, []string{"delete i1-a-img_1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ix, server := created(t, 0)
			must(t, ix.Put(t.Context(), base()))
			server.Requests() // and none of it is visible yet
			p := base()
			tc.edit(&p)
			p.Known = base().Contents()
			must(t, ix.Put(t.Context(), p))
			if diff := cmp.Diff(tc.want, actions(server)); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
			checkHolds(t, server, p)
		})
	}
}

// checkHolds compares the stored documents with those of a new index after these Puts.
func checkHolds(t testing.TB, server *aisearch.Server, pages ...search.Page) {
	t.Helper()
	fresh, other := created(t, 0)
	for i := range pages {
		pages[i].Known = nil
	}
	must(t, fresh.Put(t.Context(), pages...))
	if diff := cmp.Diff(other.Documents("pages"), server.Documents("pages")); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
}

// TestPutOfUnknown checks that all visible documents of a page are found and replaced, however many there are.
func TestPutOfUnknown(t *testing.T) {
	ix, server := created(t, 0)
	server.Page = 2
	must(t, ix.Put(t.Context(), page("a", "one", "two", "three", "four", "five"), page("b", "one")))
	server.Refresh()
	must(t, ix.Put(t.Context(), page("a", "five", "six"), page("a", "six")))
	checkHolds(t, server, page("a", "six"), page("b", "one"))
	server.Refresh()
	must(t, ix.Remove(t.Context(), "a", nil))
	checkHolds(t, server, page("b", "one"))
	server.Requests()
	must(t, ix.Remove(t.Context(), "b", page("b", "one").Contents()))
	if diff := cmp.Diff([]string{"delete c1-b-one", "delete p-b"}, actions(server)); diff != "" ||
		len(server.Documents("pages")) > 0 {
		t.Errorf("-want +have\n%s", diff)
	}
}

// TestHeldThatIsNot checks that a caller with wrong knowledge of a chunk loses nothing.
func TestHeldThatIsNot(t *testing.T) {
	ix, server := created(t, 0)
	p := page("a", "one", "two")
	p.Known = page("a", "one", "two", "three").Contents()
	p.Known.Chunks["one"] = "another uid"
	delete(p.Known.Chunks, "two")
	must(t, ix.Put(t.Context(), p))
	checkHolds(t, server, p)
}

// TestFaultsOfEveryRequest checks that whichever request of a Put or Remove fails, before or after it took effect,
// repeating the call gives the same result.
func TestFaultsOfEveryRequest(t *testing.T) {
	before, after := page("a", "one", "two", "three"), page("a", "three", "four")
	after.Chunks[0].UID = "other"
	for _, known := range []bool{false, true} {
		for _, effect := range []bool{false, true} {
			for nth := range 4 {
				t.Run(fmt.Sprintf("known %v, after %v, request %d", known, effect, nth), func(t *testing.T) {
					ix, server := created(t, 0)
					must(t, ix.Put(t.Context(), before, page("b", "beta")))
					server.Refresh()
					p := after
					if known {
						p.Known = before.Contents()
					}
					failNth(server, nth, effect)
					if err := ix.Put(t.Context(), p); err != nil {
						server.Refresh()
						must(t, ix.Put(t.Context(), p))
					}
					checkHolds(t, server, after, page("b", "beta"))
					server.Refresh()
					failNth(server, nth, effect)
					if err := ix.Remove(t.Context(), "a", nil); err != nil {
						server.Refresh()
						must(t, ix.Remove(t.Context(), "a", nil))
					}
					checkHolds(t, server, page("b", "beta"))
				})
			}
		}
	}
}

// failNth makes a request fail permanently: a bad request is not retried.
func failNth(server *aisearch.Server, nth int, effect bool) {
	for range nth {
		server.Fail(aisearch.Fault{Times: 1})
	}
	server.Fail(aisearch.Fault{Status: 400, After: effect, Times: 1})
}

// TestItems checks that documents that fail individually are retried individually, a bounded number of times.
func TestItems(t *testing.T) {
	for _, status := range []int{409, 422, 503} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			ix, server := created(t, 0)
			one := func(key string) bool { return key == "c1-a-one" }
			server.Fail(aisearch.Fault{Op: "index", Item: status, Match: one, Times: 2})
			p := page("a", "one", "two")
			must(t, ix.Put(t.Context(), p))
			if diff := cmp.Diff([]string{"upload c1-a-one", "upload c1-a-one", "upload c1-a-one", "upload c1-a-two"},
				actions(server)); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
			checkHolds(t, server, p)
			server.Fail(aisearch.Fault{Op: "index", Item: status, Match: one, Times: 100})
			if err := ix.Put(t.Context(), p); !fault.Is(err, fault.Unavailable) || len(server.Requests()) != 1+maxTries {
				t.Errorf("have %v", err)
			}
		})
	}
}

// TestRefusedDocument checks that the error names a page that cannot be indexed, and is not Unavailable.
func TestRefusedDocument(t *testing.T) {
	ix, _ := created(t, 0)
	bad := page("bad", "one")
	bad.Host = strings.Repeat("x", 40_000) // longer than a term
	err := ix.Put(t.Context(), page("good", "two"), bad)
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "page bad") {
		t.Errorf("have %v", err)
	}
}

// TestBatches checks that requests are within the limits, and halved when the service finds them too large.
func TestBatches(t *testing.T) {
	t.Run("number", func(t *testing.T) {
		ix, server := created(t, 0)
		var many []string
		for i := range 2500 {
			many = append(many, fmt.Sprintf("text%d", i))
		}
		p := page("a", many...)
		must(t, ix.Put(t.Context(), p))
		if have := sizes(server); !slices.Equal(have, []int{1000, 1000, 501}) {
			t.Errorf("have %v", have)
		}
		checkHolds(t, server, p)
	})
	t.Run("bytes", func(t *testing.T) {
		ix, server := created(t, 0)
		p := page("a", "one", "two", "three")
		p.Language = ""
		for i := range p.Chunks {
			p.Chunks[i].Text = strings.Repeat("<", 5<<20) // escaping does not make it larger
		}
		must(t, ix.Put(t.Context(), p))
		if have := sizes(server); !slices.Equal(have, []int{2, 2}) {
			t.Errorf("have %v", have)
		}
	})
	t.Run("halves", func(t *testing.T) {
		ix, server := created(t, 0)
		server.Fail(aisearch.Fault{Op: "index", Status: 413, Times: 2})
		p := page("a", "one", "two", "three", "four")
		must(t, ix.Put(t.Context(), p))
		if have := sizes(server); !slices.Equal(have, []int{5, 2, 1, 1, 3}) {
			t.Errorf("have %v", have)
		}
		checkHolds(t, server, p)
	})
	t.Run("one", func(t *testing.T) {
		ix, server := created(t, 0)
		server.Fail(aisearch.Fault{Op: "index", Status: 413, Times: 100})
		if err := ix.Put(t.Context(), page("a", "one")); !fault.Is(err, fault.TooLarge) {
			t.Errorf("have %v", err)
		}
	})
}

// sizes returns how many documents each request wrote.
func sizes(server *aisearch.Server) (n []int) {
	for _, r := range server.Requests() {
		if r.Op == "index" {
			n = append(n, len(r.Actions))
		}
	}
	return n
}

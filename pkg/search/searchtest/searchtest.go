// Package searchtest is the contract of package search, in the form of tests. An adapter is correct if
//
//	searchtest.Index(t, open)
//
// passes, where open returns a fresh, empty index and closes it in the test's cleanup.
//
// The suite makes only demands that every engine can meet: the right pages, in order where the port defines the
// order, with well-formed passages. It does not compare scores.
package searchtest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// Index runs the suite. If an engine's writes become visible only after some time, its Put must wait until then.
func Index(t *testing.T, open func(t *testing.T) search.Engine) {
	for _, tc := range []struct {
		name string
		test func(*suite)
	}{
		{"lifecycle", (*suite).lifecycle},
		{"replace", (*suite).replace},
		{"remove", (*suite).remove},
		{"known", (*suite).known},
		{"TestJ4 anchors", (*suite).anchors},
		{"images", (*suite).images},
		{"refused images", (*suite).refusedImages},
		{"words", (*suite).words},
		{"filters", (*suite).filters},
		{"TestH4 published after", (*suite).publishedAfter},
		{"facets", (*suite).facets},
		{"TestJ5 path", (*suite).path},
		{"TestJ5 tags", (*suite).tags},
		{"TestJ5 sorted by change", (*suite).sortedByChange},
		{"TestJ5 suggestions", (*suite).suggestions},
		{"inventory", (*suite).inventory},
		{"ranking", (*suite).ranking},
		{"passages", (*suite).passages},
		{"long passages", (*suite).longPassages},
		{"scripts", (*suite).scripts},
		{"TestT4 spellings", (*suite).spellings},
		{"paging", (*suite).paging},
		{"TestS14 one result for a group", (*suite).groups},
		{"refused queries", (*suite).refusedQueries},
		{"refused pages", (*suite).refusedPages},
		{"hostile queries", (*suite).hostileQueries},
		{"hostile texts", (*suite).hostileTexts},
		{"readers and a writer", (*suite).readersAndWriter},
		{"cancelled", (*suite).cancelled},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &suite{T: t, ix: open(t)}
			if err := s.ix.Create(t.Context()); err != nil {
				t.Fatal(err)
			}
			tc.test(s)
		})
	}
}

// suite is one test with its index.
type suite struct {
	*testing.T
	ix search.Engine
}

// indexedAt is the time at which all pages of the suite were indexed.
var indexedAt = time.Date(2026, 11, 3, 9, 30, 0, 0, time.UTC)

// page returns a page of one host with a chunk for each text.
func page(id, title string, texts ...string) search.Page {
	p := search.Page{
		ID: id, URL: "https://port.example/" + id, Host: "port.example", Type: "page",
		Title: title, Language: "en", MimeType: "text/html", IndexedAt: indexedAt, ChangedAt: indexedAt,
	}
	for _, text := range texts {
		p = withChunk(p, "", text)
	}
	return p
}

// withChunk adds a chunk. The key of the chunk is derived from its words, and its uid from its position.
func withChunk(p search.Page, heading, text string) search.Page {
	sum := sha256.Sum256([]byte(heading + "\n" + text))
	p.Chunks = append(p.Chunks, search.Chunk{Key: fmt.Sprintf("%x", sum[:8]), UID: uid(p.ID, len(p.Chunks)),
		Heading: heading, Text: text})
	return p
}

// uid returns a uid with characters that are not allowed in keys.
func uid(page string, place int) string { return fmt.Sprintf("ck64:v1:port:%s:%d/é", page, place) }

func (s *suite) put(pages ...search.Page) {
	s.Helper()
	if err := s.ix.Put(s.Context(), pages...); err != nil {
		s.Fatal(err)
	}
}

// search runs a query and checks the properties that every answer must have.
func (s *suite) search(q search.Query) search.Results {
	s.Helper()
	if q.Top == 0 {
		q.Top = 10
	}
	res, err := s.ix.Search(s.Context(), q)
	if err != nil {
		s.Fatalf("search %+v: %v", q, err)
	}
	CheckResults(s.T, q, res)
	return res
}

// CheckResults reports defects that are wrong for every query: too many results, a count below the number of results,
// rising scores, a repeated page, or a malformed passage.
func CheckResults(t testing.TB, q search.Query, res search.Results) {
	t.Helper()
	if len(res.Results) > q.Top || res.Count < len(res.Results) || res.Count > 0 && q.Skip == 0 && len(res.Results) == 0 {
		t.Errorf("%q: count %d, top %d, %d results", q.Text, res.Count, q.Top, len(res.Results))
	}
	seen := map[string]bool{}
	for i, r := range res.Results {
		if seen[r.ID] || i > 0 && q.Sort == search.ByRelevance && r.Score > res.Results[i-1].Score {
			t.Errorf("%q: result %d (%s, score %g) comes twice or above its rank", q.Text, i, r.ID, r.Score)
		}
		seen[r.ID] = true
		for _, p := range r.Passages {
			checkPassage(t, q, p)
		}
		if len(r.Images) > 0 && !q.NestImages || len(r.Images) > search.MaxNested {
			t.Errorf("%q: %d images, asked for %v", q.Text, len(r.Images), q.NestImages)
		}
	}
}

func checkPassage(t testing.TB, q search.Query, p search.Passage) {
	t.Helper()
	if p.ChunkUID == "" || !utf8.ValidString(p.Text) || !utf8.ValidString(p.Heading) {
		t.Errorf("%q: passage %+v", q.Text, p)
	}
	last := 0
	for _, h := range p.Highlights {
		if h.From < last || h.From >= h.To || h.To > len(p.Text) {
			t.Errorf("%q: highlights %v of %d bytes", q.Text, p.Highlights, len(p.Text))
			return
		}
		if !utf8.ValidString(p.Text[h.From:h.To]) {
			t.Errorf("%q: highlight %v cuts a character of %q", q.Text, h, p.Text)
		}
		last = h.To
	}
}

// expect checks which pages a query finds, and their order.
func (s *suite) expect(q search.Query, want ...string) {
	s.Helper()
	res := s.search(q)
	if diff := cmp.Diff(want, ids(res), cmp.Transformer("nil",
		func(x []string) []string { return append([]string{}, x...) })); diff != "" {
		s.Errorf("%+v: -want +have\n%s", q, diff)
	}
	if res.Count != len(want) {
		s.Errorf("%+v: have count %d, want %d", q, res.Count, len(want))
	}
}

// expectAnyOrder is like expect, for queries whose results the engine may return in any order.
func (s *suite) expectAnyOrder(q search.Query, want ...string) {
	s.Helper()
	have := ids(s.search(q))
	slices.Sort(have)
	if !slices.Equal(have, want) {
		s.Errorf("%+v: have %v, want %v", q, have, want)
	}
}

func ids(res search.Results) []string {
	var ids []string
	for _, r := range res.Results {
		ids = append(ids, r.ID)
	}
	return ids
}

func (s *suite) expectCount(want int) {
	s.Helper()
	if have, err := s.ix.Count(s.Context()); err != nil || have != want {
		s.Errorf("count: have %d (%v), want %d", have, err, want)
	}
}

func text(words string) search.Query { return search.Query{Text: words} }

func (s *suite) lifecycle() {
	s.expectCount(0)
	s.expect(text("anything"))
	s.put(page("a", "Tides", "High water at noon."))
	if err := s.ix.Create(s.Context()); err != nil {
		s.Errorf("create again: %v", err)
	}
	s.expectCount(1)
	res := s.search(text("noon"))
	if len(res.Results) != 1 {
		s.Fatalf("have %+v", res)
	}
	r := res.Results[0]
	r.Score = 0
	want := search.Result{ID: "a", URL: "https://port.example/a", Type: "page", Title: "Tides", Language: "en",
		ChangedAt: indexedAt, Passages: []search.Passage{{ChunkUID: uid("a", 0), Text: "High water at noon.",
			Highlights: []search.Range{{From: 14, To: 18}}}}}
	if diff := cmp.Diff(want, r); diff != "" {
		s.Errorf("-want +have\n%s", diff)
	}
}

// replace checks that, after Put, the index holds exactly the page that was passed.
func (s *suite) replace() {
	s.put(page("a", "Tides", "alpha", "beta", "gamma"), page("b", "Other", "delta"))
	s.put(page("a", "Tides", "alpha", "beta", "gamma")) // idempotent
	s.expectCount(2)
	s.expect(text("beta"), "a")

	s.put(withChunk(page("a", "Currents", "alpha", "epsilon"), "Zeta", "gamma"))
	s.expectCount(2)
	for query, want := range map[string][]string{
		"beta": nil, "tides": nil, "alpha": {"a"}, "epsilon": {"a"}, "gamma": {"a"}, "zeta": {"a"}, "currents": {"a"},
		"delta": {"b"},
	} {
		s.expect(text(query), want...)
	}
	s.put(page("a", "Currents"))
	s.expect(text("alpha"))
	s.expectCount(2)

	moved := page("b", "Other", "delta")
	moved.URL, moved.Language = "https://port.example/new", "de"
	s.put(moved)
	res := s.search(search.Query{Text: "delta", Language: "de"})
	if len(res.Results) != 1 || res.Results[0].URL != moved.URL {
		s.Errorf("page data not replaced: %+v", res)
	}
	s.reorder()
}

// reorder puts the same chunks in another order, which gives them other uids.
func (s *suite) reorder() {
	s.put(page("r", "Order", "first stone", "second stone", "third stone"))
	s.put(page("r", "Order", "third stone", "second stone", "first stone"))
	s.expectUID("third stone", uid("r", 0))
	s.expectUID("second stone", uid("r", 1))
}

func (s *suite) remove() {
	s.put(page("a", "Tides", "alpha"), page("b", "Other", "alpha"))
	for range 2 { // the second time the page is already gone
		if err := s.ix.Remove(s.Context(), "a", nil); err != nil {
			s.Fatal(err)
		}
		s.expect(text("alpha"), "b")
		s.expectCount(1)
	}
	if err := s.ix.Remove(s.Context(), "never", nil); err != nil {
		s.Error(err)
	}
	s.put(page("a", "Tides", "alpha again"))
	s.expect(text("again"), "a")
}

func (s *suite) refusedQueries() {
	long := strings.Repeat("ä", search.MaxQueryRunes)
	s.search(text(long)) // just within the limit
	s.search(search.Query{Text: "x", Top: search.MaxTop, Skip: search.MaxSkip})
	for name, q := range map[string]search.Query{
		"top zero":      {Text: "x"},
		"top negative":  {Text: "x", Top: -1},
		"top too large": {Text: "x", Top: search.MaxTop + 1},
		"skip negative": {Text: "x", Top: 1, Skip: -1},
		"skip too far":  {Text: "x", Top: 1, Skip: search.MaxSkip + 1},
		"too long":      {Text: long + "x", Top: 1},
	} {
		if _, err := s.ix.Search(s.Context(), q); !fault.Is(err, fault.Invalid) || fault.FieldOf(err) == "" {
			s.Errorf("%s: have %v, want Invalid with a field", name, err)
		}
	}
}

func (s *suite) refusedPages() {
	doubled := page("a", "T", "one", "two")
	doubled.Chunks[1].Key = doubled.Chunks[0].Key
	unnamed, uncalled, longUID := page("a", "T", "one"), page("a", "T", "one"), page("a", "T", "one")
	unnamed.Chunks[0].Key = ""
	uncalled.Chunks[0].UID = ""
	longUID.Chunks[0].UID = strings.Repeat("x", search.MaxUID+1)
	for name, p := range map[string]search.Page{
		"no id":                 page("", "T", "one"),
		"id with a slash":       page("a/b", "T", "one"),
		"id that begins with _": page("_a", "T", "one"),
		"id that is too long":   page(strings.Repeat("a", search.MaxKey+1), "T", "one"),
		"two chunks of one key": doubled,
		"chunk without key":     unnamed,
		"chunk without uid":     uncalled,
		"chunk with a long uid": longUID,
	} {
		if err := s.ix.Put(s.Context(), p); !fault.Is(err, fault.Invalid) {
			s.Errorf("%s: have %v, want Invalid", name, err)
		}
		good := page("good", "T", "one")
		if err := s.ix.Put(s.Context(), good, p); !fault.Is(err, fault.Invalid) {
			s.Errorf("%s: have %v beside a good page, want Invalid", name, err)
		}
		s.put(good) // without the refused page, it is indexed
		s.expectCount(1)
		if err := s.ix.Remove(s.Context(), good.ID, nil); err != nil {
			s.Fatal(err)
		}
	}
	s.expectCount(0)
}

// hostileQueries runs every query of [HostileQueries] and checks that the index still works.
func (s *suite) hostileQueries() {
	s.put(page("a", "Tides", "High water at noon and midnight near the title body heading."))
	for _, q := range HostileQueries {
		s.search(text(q))
	}
	s.expect(text("noon"), "a")
	s.expectCount(1)
}

// hostileTexts checks that a page with any text can be put, found and removed.
func (s *suite) hostileTexts() {
	for i, q := range append(slices.Clone(HostileQueries), strings.Repeat("word ", 50_000), strings.Repeat("x", 200_000)) {
		id := fmt.Sprintf("h%d", i)
		p := withChunk(withChunk(withChunk(page(id, q), q, q+" needle"), "", q+"needle"+q), "", "")
		p.Images = hostileImages(q)
		s.put(p, p)
		s.search(text("needle"))
		s.search(text(`"needle"`))
		found := s.search(search.Query{Text: "needle", Top: 100, NestImages: true})
		if found.Count != 1 || len(found.Results[0].Images) != 1 {
			s.Errorf("%.40q: found %+v", q, found)
		}
		for _, img := range found.Results[0].Images {
			if !utf8.ValidString(img.Src + img.Alt + img.Title + img.Caption) {
				s.Errorf("image %+q", img)
			}
		}
		if err := s.ix.Remove(s.Context(), id, nil); err != nil {
			s.Fatal(err)
		}
	}
	s.expectCount(0)
	s.expect(text("needle"))
}

// readersAndWriter checks that no page disappears for a moment, and that no answer combines the title of one version
// of a page with the text of another.
func (s *suite) readersAndWriter() {
	version := func(n int) search.Page {
		word := fmt.Sprintf("version%d", n)
		return page("a", word, "shared "+word, "shared other "+word)
	}
	s.put(version(0))
	ctx, stop := context.WithCancel(s.Context())
	defer stop()
	errs := make(chan error, 3)
	for range 3 {
		go func() { errs <- readWhole(ctx, s.ix) }()
	}
	for n := range 40 {
		s.put(version(n + 1))
	}
	stop()
	for range 3 {
		if err := <-errs; err != nil {
			s.Error(err)
		}
	}
	s.expect(text("version40"), "a")
}

// readWhole searches until ctx ends and compares titles with texts.
func readWhole(ctx context.Context, ix search.Engine) error {
	for ctx.Err() == nil {
		res, err := ix.Search(ctx, search.Query{Text: "shared", Top: 10})
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if res.Count != 1 || len(res.Results) != 1 {
			return fmt.Errorf("page is gone for a moment: %+v", res)
		}
		for _, p := range res.Results[0].Passages {
			if !strings.HasSuffix(p.Text, res.Results[0].Title) {
				return fmt.Errorf("title %q beside text %q", res.Results[0].Title, p.Text)
			}
		}
	}
	return nil
}

func (s *suite) cancelled() {
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	if err := s.ix.Put(ctx, page("a", "T", "one")); err == nil {
		s.Error("put under a cancelled context succeeded")
	}
	if _, err := s.ix.Search(ctx, search.Query{Text: "one", Top: 1}); err == nil {
		s.Error("search under a cancelled context succeeded")
	}
	s.expectCount(0)
}

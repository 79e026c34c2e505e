package azureaisearch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest"
)

func found(t testing.TB, ix *Index, q search.Query) (ids []string, res search.Results) {
	t.Helper()
	if q.Top == 0 {
		q.Top = 10
	}
	res, err := ix.Search(t.Context(), q)
	must(t, err)
	searchtest.CheckResults(t, q, res)
	for _, r := range res.Results {
		ids = append(ids, r.ID)
	}
	return ids, res
}

func TestExpression(t *testing.T) {
	for _, tc := range []struct{ name, query, want string }{
		{"words", `an o'brien`, `"an" AND "o'brien"`},
		{"letters", `c++ b`, `(title:"c++" OR heading:"c++" OR text:"c++") AND (title:"b" OR heading:"b" OR text:"b")`},
		{"spellings", `utf8 all USA`, `("utf8" OR "utf 8") AND "all" AND ("USA" OR "U.S.A.")`},
		{"syntax is text", `a\b NOT title:x (c~2) [1 TO 2] /x re/`,
			`"a\\b" AND ("NOT" OR "N.O.T.") AND "title:x" AND "(c~2)" AND ("[1" OR "1TO") AND ` +
				`("TO" OR "1TO" OR "T.O." OR "TO2") AND ("2]" OR "2x" OR "TO2") AND (title:"/x" OR heading:"/x" OR text:"/x") AND "re/"`},
		{"phrase", `"the north" bay`, `(title:"the north" OR heading:"the north" OR text:"the north") AND "bay"`},
		{"beginning", `Tick*`, `(title:tick* OR heading:tick* OR text:tick*)`},
		{"beginning after words", `"north bás"*`,
			`((title:"north" OR heading:"north" OR text:"north") AND (title:bas* OR heading:bas* OR text:bas*))`},
		{"beginning without spaces", `港池*`, `(title:"港池" OR heading:"港池" OR text:"港池")`},
		{"control characters", "a\x00\x1fb", `"a b"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if have := expression(search.Terms(tc.query), "AND"); have != tc.want {
				t.Errorf("have %s\nwant %s", have, tc.want)
			}
		})
	}
}

func TestFilter(t *testing.T) {
	q := search.Query{Host: "it's", Type: "page\n", Language: "en"}
	want := "kind eq 'chunk' and host eq 'it''s' and type eq 'page ' and language eq 'en'"
	if have := filter(q); have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}

// TestBeginnings checks that a word with a star finds itself in every script, so fold and split agree with the
// analyzer.
func TestBeginnings(t *testing.T) {
	ix, server := created(t, 0)
	words := []string{"Été", "ΦΆΡΟΣ", "φάρος", "Straße", "Ångström", "Северный", "Ёлка", "港池", "Go言語", "ﬁshing", "o'brien",
		"e\u0301te\u0301", "Łódź", "ท่าเรือ", "항구가", "Ｗide", "मछली", "الميناء", "Ǆep"}
	for i, w := range words {
		must(t, ix.Put(t.Context(), page(fmt.Sprint("w", i), "some "+w+" text")))
	}
	server.Refresh()
	for i, w := range words {
		if ids, _ := found(t, ix, search.Query{Text: w + "*"}); !slices.Contains(ids, fmt.Sprint("w", i)) {
			t.Errorf("%s*: have %v", w, ids)
		}
	}
}

// TestForms checks that other forms of a word are found in the language of the page, ranked below the word itself,
// and highlighted.
func TestForms(t *testing.T) {
	ix, server := created(t, 0)
	german, norwegian := page("de", "Die Häuser am Hafen."), page("nb", "Husene ved havnen.")
	german.Language, norwegian.Language = "de", "nb"
	must(t, ix.Put(t.Context(), page("many", "Three tides rise each day."), page("one", "The tide rises."), german,
		norwegian))
	server.Refresh()
	for _, tc := range []struct {
		query, language string
		want            []string
	}{
		{"tide", "", []string{"one", "many"}},
		{"tides", "", []string{"many", "one"}},
		{"haus", "", []string{"de"}},
		{"haus", "de", []string{"de"}},
		{"haus", "en", nil},
		{"hus", "nb", []string{"nb"}},
		{`"tide"`, "", []string{"one"}},
		{"the", "", []string{"one"}}, // a stop word of the language's analyzer
	} {
		ids, res := found(t, ix, search.Query{Text: tc.query, Language: tc.language})
		if diff := cmp.Diff(tc.want, ids); diff != "" {
			t.Errorf("%s in %q: -want +have\n%s", tc.query, tc.language, diff)
		}
		for _, r := range res.Results {
			if len(r.Passages) != 1 || len(r.Passages[0].Highlights) != 1 {
				t.Errorf("%s: passages %+v", tc.query, r.Passages)
			}
		}
	}
}

// TestMoreThanOneAnswer checks that the count is estimated beyond a thousand chunks, and that pages of results join
// without gaps, even if the service returns fewer results than requested.
func TestMoreThanOneAnswer(t *testing.T) {
	ix, server := created(t, 0)
	server.Page = 300
	const n = 700
	var pages []search.Page
	for i := range n {
		pages = append(pages, page(fmt.Sprintf("p%03d", i), "quay one", "quay two", "quay three"))
	}
	must(t, ix.Put(t.Context(), pages...))
	server.Refresh()
	var joined []string
	for skip := 0; skip < n+100; skip += 100 {
		ids, res := found(t, ix, search.Query{Text: "quay", Top: 100, Skip: skip})
		joined = append(joined, ids...)
		if res.Count < n*9/10 || res.Count > n*11/10 || !res.Estimated {
			t.Errorf("skip %d: count %d, estimated: %t", skip, res.Count, res.Estimated)
		}
	}
	if len(joined) != n || !slices.IsSorted(joined) || len(slices.Compact(joined)) != n {
		t.Errorf("%d results", len(joined))
	}
}

func TestEstimate(t *testing.T) {
	for _, tc := range []struct{ pages, chunks, all, want int }{
		{0, 0, 0, 0}, {5, 10, 10, 5}, {500, 1000, 4000, 2000}, {1, 1000, 1001, 1}, {1000, 1000, 3_000_000_000, 3_000_000_000},
	} {
		if have := estimate(tc.pages, tc.chunks, tc.all); have != tc.want {
			t.Errorf("%+v: have %d", tc, have)
		}
	}
}

// TestHybrid checks that a query with a vector also finds the nearest chunks, and that chunks that are near and have
// the words rank first.
func TestHybrid(t *testing.T) {
	ix, server := created(t, 3)
	put := func(id, text string, vector ...float32) {
		p := page(id, text)
		p.Chunks[0].Vector = vector
		must(t, ix.Put(t.Context(), p))
	}
	put("words", "the lighthouse is closed", 0, 1, 0)
	put("near", "a beacon for ships", 1, 0.1, 0)
	put("both", "the lighthouse shines", 0.9, 0.2, 0)
	put("none", "tickets", 0, 0, 1)
	put("bare", "lighthouse keeper") // has no vector yet
	server.Refresh()
	ids, res := found(t, ix, search.Query{Text: "lighthouse", Vector: []float32{1, 0, 0}})
	if len(ids) != 5 || ids[0] != "both" || res.Count != 5 {
		t.Errorf("have %v of %d", ids, res.Count)
	}
	for _, r := range res.Results {
		if len(r.Passages) != 1 || len(r.Passages[0].Highlights) > 0 != strings.Contains(r.Passages[0].Text, "lighthouse") {
			t.Errorf("%s: passages %+v", r.ID, r.Passages)
		}
	}
	if ids, _ := found(t, ix, search.Query{Vector: []float32{1, 0, 0}}); len(ids) != 4 || ids[0] != "near" {
		t.Errorf("without words: have %v", ids)
	}
	if ids, _ := found(t, ix, search.Query{Text: "lighthouse"}); len(ids) != 3 {
		t.Errorf("without a vector: have %v", ids)
	}
	p := page("p", "one")
	p.Chunks[0].Vector = []float32{1, 2}
	if err := ix.Put(t.Context(), p); !fault.Is(err, fault.Internal) {
		t.Errorf("a chunk with a vector of another length: have %v", err)
	}
}

// TestC5VectorsStay checks that a chunk that is written again without a vector keeps its vector, and no text of
// another language.
func TestC5VectorsStay(t *testing.T) {
	for name, edit := range map[string]func(*search.Page){
		"uid":      func(p *search.Page) { p.Known, p.Chunks[0].UID = p.Contents(), "other" },
		"language": func(p *search.Page) { p.Known, p.Language = p.Contents(), "de" },
		"unknown":  func(p *search.Page) { p.Language = "" },
	} {
		t.Run(name, func(t *testing.T) {
			ix, server := created(t, 3)
			p := page("a", "one")
			p.Chunks[0].Vector = []float32{1, 0, 0}
			must(t, ix.Put(t.Context(), p))
			server.Refresh()
			edit(&p)
			p.Chunks[0].Vector = nil
			must(t, ix.Put(t.Context(), p))
			d := server.Documents("pages")[0]
			stems, _ := d["stems_en"].([]any)
			if d["uid"] != p.Chunks[0].UID || len(d["vector"].([]any)) != 3 || len(stems) > 0 != (p.Language == "en") {
				t.Errorf("have %v", d)
			}
		})
	}
}

func TestLocate(t *testing.T) {
	ix := &Index{tag: "t1"}
	text := "A ferry. Another ferry <t1>here</t1>."
	for _, tc := range []struct {
		fragment string
		want     []search.Range
	}{
		{"A <t1>ferry</t1>.", []search.Range{{From: 2, To: 7}}},
		{" <t1>Another</t1> <t1>ferry</t1>", []search.Range{{From: 9, To: 16}, {From: 17, To: 22}}},
		{"<t1>title</t1>", nil},
		{"<t1>A", nil},
		{"<t1></t1>A", nil},
	} {
		if diff := cmp.Diff(tc.want, ix.locate(tc.fragment, text)); diff != "" {
			t.Errorf("%s: -want +have\n%s", tc.fragment, diff)
		}
	}
}

func TestJoined(t *testing.T) {
	have := joined([]search.Range{{From: 7, To: 9}, {From: 0, To: 3}, {From: 3, To: 6}, {From: 1, To: 2}})
	if diff := cmp.Diff([]search.Range{{From: 0, To: 6}, {From: 7, To: 9}}, have); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
}

// FuzzSearch looks for queries that the service refuses, and for texts that break their passages.
func FuzzSearch(f *testing.F) {
	for _, q := range searchtest.HostileQueries {
		f.Add(q, "noon and midnight "+q)
	}
	ix, server := created(f, 0)
	f.Fuzz(func(t *testing.T, text, body string) {
		if len(text) > search.MaxQueryRunes || len(body) > 1<<12 {
			return
		}
		p := page("fuzz", "x")
		p.Title, p.Chunks[0].Heading, p.Chunks[0].Text, p.Known = text, body, text, &search.Contents{}
		must(t, ix.Put(t.Context(), p))
		server.Refresh()
		found(t, ix, search.Query{Text: text})
	})
}

// TestBetween checks that a page can be found at all times while it is replaced, and that no answer mixes its
// versions.
func TestBetween(t *testing.T) {
	ix, server := created(t, 0)
	version := func(word string) search.Page {
		p := page("a", "shared "+word, "shared other "+word)
		p.Title = word
		return p
	}
	must(t, ix.Put(t.Context(), version("old")))
	server.Refresh()
	next := version("new")
	next.Known = version("old").Contents()
	failNth(server, 1, false) // only the first write happens
	if err := ix.Put(t.Context(), next); err == nil {
		t.Fatal("nothing failed")
	}
	server.Refresh()
	ids, res := found(t, ix, search.Query{Text: "shared"})
	if len(ids) != 1 || res.Count != 1 || len(res.Results[0].Passages) != 2 {
		t.Fatalf("have %+v", res)
	}
	for _, p := range res.Results[0].Passages {
		if !strings.HasSuffix(p.Text, res.Results[0].Title) {
			t.Errorf("%q is shown under %q", p.Text, res.Results[0].Title)
		}
	}
	must(t, ix.Put(t.Context(), next))
	checkHolds(t, server, version("new"))
}

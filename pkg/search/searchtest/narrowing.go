package searchtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// path checks that pages are found by the beginning of their path, on one host or on all hosts, and never by other
// parts of the address.
func (s *suite) path() {
	at := func(id, host, rest string) search.Page {
		p := page(id, "Basin", "basin")
		p.URL, p.Host = "https://"+host+rest, host
		return p
	}
	about := page("e", "Basin", "basin") // an entry without an address
	about.URL = ""
	s.put(at("a", "port.example", "/docs/tides?x=/news/"), at("b", "sea.example", "/docs-old/\u00fcber uns"),
		at("c", "port.example", "/news/~docs/"), at("d", "sea.example", "/"), about)
	for _, tc := range []struct {
		path, host string
		want       []string
	}{
		{"/docs", "", []string{"a", "b"}}, {"/docs", "sea.example", []string{"b"}}, {"/docs/", "", []string{"a"}},
		{"/docs/tides", "", []string{"a"}}, {"/docs/tides?x", "", []string{"a"}}, {"/tides", "", nil},
		{"/news/", "", []string{"c"}}, {"/news/~", "", []string{"c"}}, {"/", "", []string{"a", "b", "c", "d"}},
		{"/docs-old/\u00fcb", "", []string{"b"}}, {"/docs-old/%C3%BCber%20", "", []string{"b"}}, {"/Docs", "", nil},
		{"/' or 1 eq 1", "", nil}, {"/%", "", nil}, {"/_ocs", "", nil},
	} {
		s.expectAnyOrder(search.Query{Text: "basin", Path: tc.path, Host: tc.host}, tc.want...)
	}
}

// tags checks that a page is found by a new tag as soon as Put has added it, although Put writes nothing else.
func (s *suite) tags() {
	tagged := func(id string, tags ...string) search.Page {
		p := page(id, "Basin", "basin", "another basin")
		p.Tags = tags
		return p
	}
	a, b := tagged("a", "north sea", "tides"), tagged("b", "tides", "\u00e9t\u00e9")
	s.put(a, b, tagged("c"))
	find := func(tag string, want ...string) {
		s.Helper()
		s.expectAnyOrder(search.Query{Text: "basin", Tag: tag}, want...)
	}
	find("tides", "a", "b")
	find("north sea", "a")
	find("north")
	find("sea")
	find("\u00e9t\u00e9", "b")
	find("tides') or (kind ne '")
	facets := s.search(search.Query{Text: "basin", Facets: true, Now: indexedAt, Host: "port.example"}).Facets
	want := []search.Facet{{Value: "tides", Count: 2},
		{Value: "north sea", Count: 1}, {Value: "\u00e9t\u00e9", Count: 1}}
	if diff := cmp.Diff(want, facets.Tags); diff != "" {
		s.Errorf("-want +have\n%s", diff)
	}
	retagged, bare := tagged("a", "harbour"), tagged("b")
	retagged.Known, bare.Known = a.Contents(), b.Contents()
	s.put(retagged, bare)
	find("tides")
	find("harbour", "a")
	for id, want := range map[string][]string{"a": {"harbour"}, "b": nil} {
		if have, err := s.ix.Inspect(s.Context(), id); err != nil || !slices.Equal(have.Tags, want) {
			s.Errorf("tags of %s: %q, %v, want %q", id, have.Tags, err, want)
		}
	}
	long := strings.Repeat("x", search.MaxTag+1)
	for _, bad := range [][]string{{""}, {"a\nb"}, {long}, make([]string, search.MaxTags+1)} {
		if err := s.ix.Put(s.Context(), tagged("d", bad...)); fault.FieldOf(err) != "tags" {
			s.Errorf("%d tags, the first %.20q: %v", len(bad), bad[0], err)
		}
	}
}

// sortedByChange checks that results are sorted from the newest change to the oldest, whatever their scores, and
// across paging. If some page has all words of the query, pages that lack a word must not be found.
func (s *suite) sortedByChange() {
	put := func(id string, age time.Duration, title string, texts ...string) {
		p := page(id, title, texts...)
		p.ChangedAt = indexedAt.Add(-age)
		s.put(p)
	}
	put("old", 48*time.Hour, "Lighthouse basin", "the lighthouse of the basin", "lighthouse basin")
	put("new", time.Hour, "Quay", "a quay, a crane, and behind them the basin with its lighthouse")
	put("b", 24*time.Hour, "Basin", "lighthouse")
	put("a", 24*time.Hour, "Basin", "lighthouse")
	put("other", 0, "Basin", "basin")
	sorted := search.Query{Text: "basin lighthouse", Sort: search.ByChange, Facets: true, Now: indexedAt}
	s.expect(sorted, "new", "a", "b", "old")
	res := s.search(sorted)
	if res.Count != 4 || len(res.Facets.Ages) != 2 || len(res.Results[0].Passages[0].Highlights) != 2 ||
		!res.Results[1].ChangedAt.Equal(indexedAt.Add(-24*time.Hour)) {
		s.Errorf("have %+v", res)
	}
	paged := sorted
	paged.Skip, paged.Top = 1, 2
	if have := ids(s.search(paged)); !slices.Equal(have, []string{"a", "b"}) {
		s.Errorf("the second page: %v", have)
	}
	sorted.Since = indexedAt.Add(-30 * time.Hour)
	s.expect(sorted, "new", "a", "b")
	s.expect(search.Query{Text: "crane submarine", Sort: search.ByChange}, "new")
	s.expect(search.Query{Text: "submarine", Sort: search.ByChange})
}

// suggestions checks that titles are suggested by the beginnings of their words. A title is suggested once, and only
// if it matches all typed words. The number of suggestions is limited.
func (s *suite) suggestions() {
	s.put(page("a", "Harbour master", "x"), page("b", "Harbour lights", "x"), page("c", "harbour MASTER", "x"),
		page("d", "Quay", "the harbour"))
	ask := func(typed string) []string {
		s.Helper()
		have, err := s.ix.Suggest(s.Context(), typed)
		if err != nil {
			s.Fatalf("%q: %v", typed, err)
		}
		return have
	}
	for typed, want := range map[string]string{"harbour li": "Harbour lights", "LIGHTS har": "Harbour lights",
		"qua": "Quay", "harbour ma": "Harbour master"} {
		if have := ask(typed); !slices.ContainsFunc(have, func(t string) bool { return strings.EqualFold(t, want) }) {
			s.Errorf("%q: have %q, want %q", typed, have, want)
		}
	}
	if have := ask("harbour ma"); len(have) != 1 {
		s.Errorf("one title is told as %q", have)
	}
	for _, typed := range []string{"", " ", "*", `"`, "submar", "harbour submar", "our", `ha" OR "x`, "'"} {
		if have := ask(typed); len(have) > 0 {
			s.Errorf("%q: have %q", typed, have)
		}
	}
	for i := range 3 * search.MaxSuggestions {
		s.put(page(fmt.Sprintf("n%d", i), fmt.Sprintf("Notice %d of the port", i), "x"))
	}
	if have := ask("not"); len(have) != search.MaxSuggestions {
		s.Errorf("%d suggestions: %q", len(have), have)
	}
	if _, err := s.ix.Suggest(s.Context(), strings.Repeat("x", search.MaxSuggestRunes+1)); fault.FieldOf(err) != "q" {
		s.Errorf("too long: %v", err)
	}
}

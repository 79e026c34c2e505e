package searchtest

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
)

// grouped returns a page of a group with the given content, in two chunks that have the same words.
func grouped(id, group string, rank int, content string) search.Page {
	p := page(id, "Tides", "The tides of "+content, "More tides")
	p.Group, p.Precedence, p.Content = group, rank, content
	return p
}

// groups checks that pages of one group with the same content are one result, and are counted once, as soon as the
// second of them is put. Other pages are not affected.
func (s *suite) groups() {
	find := func(want ...string) {
		s.Helper()
		q := search.Query{Text: "tides", Facets: true, Now: indexedAt}
		s.expectAnyOrder(q, want...)
		if res := s.search(q); res.Count != len(want) || len(want) > 0 && res.Facets.Hosts[0].Count != len(want) {
			s.Errorf("count %d, facets %+v, want %d", res.Count, res.Facets.Hosts, len(want))
		}
	}
	s.put(grouped("b", "g", 1, "march"))
	find("b")
	s.put(grouped("a", "g", 1, "march"))
	find("a") // the pages differ only in their ids
	s.put(grouped("c", "g", 0, "march"))
	find("c")
	s.put(grouped("d", "h", 0, "march"), grouped("e", "", 0, "march"), grouped("f", "", 0, "march"))
	find("c", "d", "e", "f")
	if err := s.ix.Remove(s.Context(), "c", nil); err != nil {
		s.Fatal(err)
	}
	find("a", "d", "e", "f")

	was, is := grouped("b", "g", 1, "march"), grouped("b", "g", 1, "april")
	is.Known = was.Contents()
	s.put(is)
	find("a", "b", "d", "e", "f") // the pages of the group have different content
	moved := grouped("a", "h", 2, "march")
	moved.Known = grouped("a", "g", 1, "march").Contents()
	s.put(moved)
	find("b", "d", "e", "f")
	s.expect(search.Query{Text: "tides april"}, "b")
	s.groupsAndFilters()
}

// groupsAndFilters checks that the hidden page of a group is found if a filter excludes the page that is shown in its
// place.
func (s *suite) groupsAndFilters() {
	old := grouped("k", "k", 1, "june")
	old.Host, old.ChangedAt = "old.example", indexedAt.Add(-time.Hour)
	s.put(old, grouped("l", "k", 0, "june"))
	s.expect(search.Query{Text: "june"}, "l")
	s.expect(search.Query{Text: "june", Host: "old.example"}, "k")
	var want []string
	for i := range 12 {
		id := fmt.Sprintf("n%02d", i)
		s.put(grouped(id, id, 0, "july"), grouped("o"+id, id, 1, "july"))
		want = append(want, id)
	}
	for i := range 3 { // paging neither repeats nor skips a result
		s.expectAnyOrder(search.Query{Text: "july", Top: 4, Skip: 4 * i}, want[4*i:4*i+4]...)
	}
}

// nearGroups checks that two pages of one group are one result, even if one is found by its words and the other by
// its vector.
func (s *suite) nearGroups() {
	s.put(embedded(grouped("a", "g", 1, "march"), towards(0.9)), embedded(grouped("b", "g", 0, "march"), towards(0.8)),
		embedded(page("c", "Trains", "the express"), towards(0.1)))
	for _, words := range []string{"tides", "flood"} {
		q := search.Query{Text: words, Vector: towards(1), Facets: true, Now: indexedAt}
		s.expect(q, "b", "c")
		if hosts := s.search(q).Facets.Hosts; len(hosts) != 1 || hosts[0].Count != 2 {
			s.Errorf("%s: %v", words, hosts)
		}
	}
}

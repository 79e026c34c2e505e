package searchtest

import (
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/search"
)

// facets checks that each matching page is counted once, shown or not, and that a query can be narrowed to each
// value.
func (s *suite) facets() {
	put := func(id, host, kind, language string, age time.Duration) {
		p := page(id, "Basin", "the basin", "another basin")
		p.Host, p.Type, p.Language, p.ChangedAt = host, kind, language, indexedAt.Add(-age)
		s.put(p)
	}
	put("a", "port.example", "page", "en", time.Hour)
	put("b", "port.example", "page", "de", 25*time.Hour)
	put("c", "port.example", "entry", "", 29*24*time.Hour)
	put("d", "sea.example", "page", "de", 1000*24*time.Hour)
	s.put(page("e", "Quay", "nothing of the kind"))
	ask := search.Query{Text: "basin", Top: 1, Facets: true, Now: indexedAt}
	want := &search.Facets{
		Hosts:     []search.Facet{{Value: "port.example", Count: 3}, {Value: "sea.example", Count: 1}},
		Types:     []search.Facet{{Value: "page", Count: 3}, {Value: "entry", Count: 1}},
		Languages: []search.Facet{{Value: "de", Count: 2}, {Value: "en", Count: 1}},
		Ages: []search.Facet{{Value: "day", Count: 1}, {Value: "month", Count: 1}, {Value: "older", Count: 1},
			{Value: "week", Count: 1}},
	}
	if diff := cmp.Diff(want, s.search(ask).Facets); diff != "" {
		s.Errorf("-want +have\n%s", diff)
	}
	ask.Host = "sea.example"
	want = &search.Facets{
		Hosts: []search.Facet{{Value: "sea.example", Count: 1}}, Types: []search.Facet{{Value: "page", Count: 1}},
		Languages: []search.Facet{{Value: "de", Count: 1}}, Ages: []search.Facet{{Value: "older", Count: 1}},
	}
	if diff := cmp.Diff(want, s.search(ask).Facets); diff != "" {
		s.Errorf("narrowed: -want +have\n%s", diff)
	}
	if res := s.search(search.Query{Text: "basin"}); res.Facets != nil {
		s.Errorf("nobody asked for %v", res.Facets)
	}
	s.expectAnyOrder(search.Query{Text: "basin", Since: indexedAt.Add(-7 * 24 * time.Hour)}, "a", "b")
	for i := range search.MaxFacets + 5 {
		put(fmt.Sprintf("m%02d", i), fmt.Sprintf("h%02d.example", i), "page", "en", 0)
	}
	if hosts := s.search(search.Query{Text: "basin", Facets: true,
		Now: indexedAt}).Facets.Hosts; len(hosts) != search.MaxFacets || hosts[0].Value != "port.example" ||
		hosts[1].Value != "h00.example" {
		s.Errorf("%d hosts: %v", len(hosts), hosts)
	}
}

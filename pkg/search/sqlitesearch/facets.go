package sqlitesearch

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
)

// facets counts the pages that match by each of their values, whole times each of those that were read.
func (s *statement) facets(pages []*candidate, whole float64) *search.Facets {
	of := func(value func(*candidate) string) []search.Facet {
		counts := map[string]int{}
		for _, p := range pages {
			for v := range strings.SplitSeq(value(p), "\n") {
				counts[v]++
			}
		}
		delete(counts, "")
		facets := make([]search.Facet, 0, len(counts))
		for v, n := range counts {
			facets = append(facets, search.Facet{Value: v, Count: int(math.Round(float64(n) * whole))})
		}
		slices.SortFunc(facets, func(a, b search.Facet) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
		})
		if len(facets) == 0 {
			return nil
		}
		return facets[:min(search.MaxFacets, len(facets))]
	}
	return &search.Facets{
		Hosts:     of(func(p *candidate) string { return p.host }),
		Tags:      of(func(p *candidate) string { return p.tags }),
		Types:     of(func(p *candidate) string { return p.kind }),
		Languages: of(func(p *candidate) string { return p.language }),
		Ages:      of(func(p *candidate) string { return ageOf(p, s.query.Now) }),
	}
}

// ageOf is the youngest age that a page belongs to.
func ageOf(p *candidate, now time.Time) string {
	for _, a := range search.Ages {
		if p.changed >= now.Add(-a.Max).Unix() {
			return a.Name
		}
	}
	return search.Older
}

package azureaisearch

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
)

// facets counts the pages that were found. The service's own facets are not used, because they would count chunks. If
// not all chunks were fetched, the counts are estimates, like the count of pages.
func facets(groups []group, count int, now time.Time) *search.Facets {
	hosts, types, languages, ages := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	tags := map[string]int{}
	for _, g := range groups {
		best := g.hits[0]
		hosts[best.Host]++
		types[best.Type]++
		languages[best.Language]++
		ages[search.AgeOf(g.changed(), now)]++
		for _, t := range best.Tags {
			tags[t]++
		}
	}
	top := func(counts map[string]int) []search.Facet { return frequent(counts, len(groups), count) }
	return &search.Facets{Hosts: top(hosts), Tags: top(tags), Types: top(types), Languages: top(languages),
		Ages: top(ages)}
}

// frequent returns the most frequent values of the counted pages, and estimates of their counts among all matching
// pages.
func frequent(counts map[string]int, counted, all int) (list []search.Facet) {
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		if value != "" {
			list = append(list, search.Facet{Value: value, Count: estimate(counts[value], counted, all)})
		}
	}
	slices.SortStableFunc(list, func(a, b search.Facet) int { return cmp.Compare(b.Count, a.Count) })
	return list[:min(len(list), search.MaxFacets)]
}

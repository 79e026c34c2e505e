package sqlitesearch

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// count sets the number of matching pages, and the facets if the query requests them. If there are more pages than
// [bounds] allows, the number and the facets are estimates.
func (s *searcher) count(ctx context.Context, f found, ranked []*ranking.Page, res *search.Results) error {
	res.Estimated, res.DidYouMean = !f.complete, s.corrected
	rows, known := f.pages, map[int64]bool{}
	if !f.complete && !s.query.Facets {
		res.Count = max(int(math.Round(float64(len(rows))*f.whole)), len(ranked))
		return nil
	}
	if f.complete {
		for _, row := range rows {
			known[row] = true
		}
		for _, c := range s.near {
			if row := c >> slotBits; !known[row] {
				known[row] = true
				rows = append(rows, row)
			}
		}
	}
	if !s.query.Facets { // at this point, all pages are known
		const distinct = "SELECT count(DISTINCT p.same) FROM json_each(?) w CROSS JOIN pages p ON p.rowid = w.value"
		return s.tx.QueryRowContext(ctx, distinct, asJSON(rows)).Scan(&res.Count)
	}
	pages, err := values(ctx, s.tx, rows)
	if err != nil {
		return err
	}
	res.Count = max(int(math.Round(float64(len(pages))*f.whole)), len(ranked))
	res.Facets = facets(pages, f.whole, s.query.Now)
	return nil
}

// values reads the values for facets. It keeps only one of the pages that form one result.
func values(ctx context.Context, tx *sqlitefile.Statements, rows []int64) ([]*ranking.Page, error) {
	byRow := make(map[int64]*ranking.Page, len(rows))
	var p ranking.Page
	for err := range tx.Rows(ctx, "SELECT p.rowid, p.same, p.place, p.id, p.host, p.type, p.language, p.tags, "+
		"p.changed_at FROM json_each(?) w CROSS JOIN pages p ON p.rowid = w.value", []any{asJSON(rows)},
		&p.Row, &p.Same, &p.Precedence, &p.ID, &p.Host, &p.Type, &p.Language, &p.Tags, &p.Changed) {
		if err != nil {
			return nil, err
		}
		one := p
		byRow[p.Row] = &one
	}
	return ranking.Distinct(maps.Values(byRow)), nil
}

// facets counts the matching pages by each of their values. Each count is multiplied by whole, because the pages that
// were read may be only a sample.
func facets(pages []*ranking.Page, whole float64, now time.Time) *search.Facets {
	now = now.Truncate(time.Second) // the precision of stored times
	of := func(value func(*ranking.Page) string) []search.Facet {
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
		Hosts:     of(func(p *ranking.Page) string { return p.Host }),
		Tags:      of(func(p *ranking.Page) string { return p.Tags }),
		Types:     of(func(p *ranking.Page) string { return p.Type }),
		Languages: of(func(p *ranking.Page) string { return p.Language }),
		Ages:      of(func(p *ranking.Page) string { return search.AgeOf(time.Unix(p.Changed, 0), now) }),
	}
}

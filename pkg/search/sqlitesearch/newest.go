package sqlitesearch

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
)

const (
	maxSorted = 200_000 // maximum number of chunks whose pages are sorted by time of change
	maxRead   = 64      // maximum number of chunks to read of a page; the best of them are shown
)

// newest answers a query with pages that are sorted by time of change. The newest pages may be anywhere in the index,
// so newest looks up all matching chunks. But it reads only chunks of the pages that are shown.
func newest(ctx context.Context, s *searcher) (res search.Results, err error) {
	f, err := s.find(ctx, maxSorted)
	if err != nil {
		return res, err
	}
	chunks := make([]int64, len(f.best))
	for i, m := range f.best {
		chunks[i] = m.chunk
	}
	slices.Sort(chunks)
	byRow, err := s.pagesOf(ctx, chunks)
	if err != nil {
		return res, err
	}
	pages := ranking.Distinct(maps.Values(byRow))
	slices.SortFunc(pages, func(a, b *ranking.Page) int {
		return cmp.Or(cmp.Compare(b.Changed, a.Changed), cmp.Compare(a.ID, b.ID))
	})
	if err := s.count(ctx, f, pages, &res); err != nil {
		return res, err
	}
	pages = pages[min(s.query.Skip, len(pages)):min(s.query.Skip+s.query.Top, len(pages))]
	if err := s.scoreChunks(ctx, chunksOf(pages, chunks), byRow); err != nil {
		return res, err
	}
	for _, p := range pages {
		s.ranked.ScorePage(p)
	}
	res.Results, err = s.results(ctx, pages)
	return res, err
}

// chunksOf returns the first few chunks of each page.
func chunksOf(pages []*ranking.Page, chunks []int64) (some []int64) {
	shown := map[int64]int{}
	for _, p := range pages {
		shown[p.Row] = maxRead
	}
	for _, c := range chunks {
		if row := c >> slotBits; shown[row] > 0 {
			shown[row]--
			some = append(some, c)
		}
	}
	return some
}

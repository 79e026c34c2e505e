package sqlitesearch

import (
	"cmp"
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/search"
)

const (
	maxSorted = 200_000 // chunks whose pages are sorted by when they changed
	maxRead   = 64      // chunks of a page, of which the best are shown
)

// newest answers a query by when pages changed. The newest may stand anywhere in the index, so all chunks that match
// are asked for, but only those of the pages that are shown are read.
func newest(ctx context.Context, s *statement) (res search.Results, err error) {
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
	pages := once(byRow)
	slices.SortFunc(pages, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.changed, a.changed), cmp.Compare(a.id, b.id))
	})
	if err := s.count(ctx, f, pages, &res); err != nil {
		return res, err
	}
	pages = pages[min(s.query.Skip, len(pages)):min(s.query.Skip+s.query.Top, len(pages))]
	if err := s.scoreChunks(ctx, chunksOf(pages, chunks), byRow); err != nil {
		return res, err
	}
	for _, p := range pages {
		p.score = s.pageScore(p)
	}
	res.Results, err = s.results(ctx, pages)
	return res, err
}

// chunksOf are the first chunks of each page.
func chunksOf(pages []*candidate, chunks []int64) (some []int64) {
	shown := map[int64]int{}
	for _, p := range pages {
		shown[p.row] = maxRead
	}
	for _, c := range chunks {
		if row := c >> slotBits; shown[row] > 0 {
			shown[row]--
			some = append(some, c)
		}
	}
	return some
}

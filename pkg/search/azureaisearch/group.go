package azureaisearch

import (
	"slices"
	"time"
)

// maxPassages limits the number of passages that are shown of one result.
const maxPassages = 3

// group is a page with its best chunks. The best chunk comes first.
type group struct {
	page string
	hits []row
}

// changed returns the latest time of change among the page's chunks that were found.
func (g group) changed() time.Time {
	return slices.MaxFunc(g.hits, func(a, b row) int { return a.ChangedAt.Compare(b.ChangedAt) }).ChangedAt
}

// shownOf returns the best chunks of a page that may be shown together. All have the title of the best chunk. Chunks
// with another title belong to a version of the page that is being replaced.
func shownOf(g group) []row {
	same := slices.DeleteFunc(slices.Clone(g.hits), func(h row) bool { return h.Title != g.hits[0].Title })
	return same[:min(len(same), maxPassages)]
}

// estimate extrapolates the number of all matching pages. The given numbers are those of the best chunks, of the
// pages that contain these chunks, and of all matching chunks.
func estimate(pages, chunks, all int) int {
	if chunks == 0 || all <= chunks {
		return pages
	}
	return int(int64(pages) * int64(all) / int64(chunks))
}

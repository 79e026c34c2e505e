package crawl

import (
	"slices"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// Where no index is configured ([search.None]), a page is fetched, compared and kept like any other,
// and then rests at Crawled: what it would be searched by is in its snapshot. That is no debt. Nobody
// tries again until an index is configured, which has all that rests indexed when it has begun.

const noIndex = "no search index is configured"

// indexes reports whether pages enter an index.
func (w *Worker) indexes() bool {
	_, none := w.index.(search.None)
	return !none
}

// rest closes a check that would have indexed the page. What an index held that was configured
// before is still known of it, for it may come back.
func (c *check) rest(r reading) {
	c.ImageExclusion, c.ImagesHash = r.imageExclusion, r.imagesHash
	if !c.keepsStatus() {
		c.Status, c.ErrorMessage = registry.Crawled, ""
	}
	c.noteRest()
}

// noteRest says once in the history why the page is not Indexed.
func (c *check) noteRest() {
	said := slices.ContainsFunc(c.History, func(d registry.Decision) bool { return d.Why == noIndex })
	if !said {
		c.Record(c.o.Clock(), "notIndexed", noIndex)
	}
}

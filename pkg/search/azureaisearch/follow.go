package azureaisearch

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

var errNoFeed = fault.New(fault.Unavailable, "Azure AI Search does not tell what was written to it")

// Page returns Unavailable: writes of the last seconds may not be visible.
func (ix *Index) Page(context.Context, string) (search.Page, error) { return search.Page{}, errNoFeed }

// Follow returns Unavailable.
func (ix *Index) Follow(context.Context, search.FollowQuery) (search.Followed, error) {
	return search.Followed{}, errNoFeed
}

// Forget does nothing.
func (ix *Index) Forget(context.Context, time.Time) error { return nil }

package handlers

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry/answer"
)

// freshnessOf reads from a request how recently results must have been checked. If the request allows pages to be
// checked again, the caller's key must allow it, too, because a check sends requests to a site.
func freshnessOf(ctx context.Context, maxAge, stale string) (f answer.Freshness, err error) {
	f.Recheck = stale == api.StaleRecheck
	if maxAge == "" {
		if f.Recheck {
			return f, fault.Field("maxAge", "maxAge is missing: stale says what becomes of pages that are older")
		}
		return f, nil
	}
	age, err := wire.Age("maxAge", maxAge)
	if err == nil && f.Recheck {
		err = wire.MayCall(ctx, api.ReindexItem.Endpoint)
	}
	f.Since = time.Now().Add(-age)
	return f, err
}

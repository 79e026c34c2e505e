package handlers

import (
	"context"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/registry"
)

// items lists the registered items, a page at a time.
func (h *itemHandlers) items(ctx context.Context, q api.ItemQuery) (api.ItemPage, error) {
	f, err := h.Lookup.Filter(registry.Filter{Host: q.Host, Status: registry.Status(q.Status), Tag: q.Tag,
		Paused: q.Paused}, "")
	if err != nil {
		return api.ItemPage{}, err
	}
	page, err := h.Lookup.Page(ctx, registry.LookupQuery{Filter: f, Sort: q.Sort, After: q.Continuation, Top: q.Top})
	return api.ItemPage{Items: itemsJSON(page.Items), Continuation: page.Next}, err
}

func itemsJSON(found []registry.Item) []api.Item {
	out := make([]api.Item, len(found))
	for i := range found {
		out[i] = itemJSON(&found[i])
	}
	return out
}

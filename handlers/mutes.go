package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
)

func (h *changeHandlers) listMutes(ctx context.Context, q api.MuteQuery) (api.Mutes, error) {
	return h.Notify.Muted(ctx, q.ItemID)
}

// addMute mutes a page that is registered.
func (h *changeHandlers) addMute(ctx context.Context, q api.MuteRequest) (api.Mute, error) {
	it, err := h.Items.Find(ctx, source.ID(q.ItemID))
	if err != nil {
		return api.Mute{}, wire.Field("itemId", err)
	}
	q.ItemID = string(it.ID)
	return h.Notify.Mute(ctx, q, notify.Page{URL: it.NormalizedSource, Title: it.Title})
}

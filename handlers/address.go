package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// publicAddress returns the address to which messages lead. For an administrator it lists addresses of the machine, to
// choose from.
func (h *changeHandlers) publicAddress(ctx context.Context, _ api.None) (api.PublicAddress, error) {
	out, err := h.Notify.PublicAddress(ctx)
	if wire.MayCall(ctx, api.SavePublicAddress.Endpoint) != nil {
		out.Machine = nil
	}
	return out, err
}

func (h *changeHandlers) savePublicAddress(ctx context.Context, q api.PublicAddressRequest) (api.PublicAddress, error) {
	return h.Notify.SavePublicAddress(ctx, q.URL, wire.CallerOf(ctx).Name)
}

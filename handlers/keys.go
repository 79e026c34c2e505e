package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// listKeys lists the keys.
func (h *keyHandlers) listKeys(ctx context.Context, _ api.None) (api.Keys, error) {
	all, err := h.Ring.List(ctx)
	return keys.JSON(all), err
}

// addKey makes a key. This answer is the only one that contains the key.
func (h *keyHandlers) addKey(ctx context.Context, q api.KeyRequest) (any, error) {
	k, secret, err := h.Ring.Add(ctx, q.Name, q.Scope)
	if err != nil {
		return nil, err
	}
	h.Log.InfoContext(ctx, "key added", "key", k.Name, "scope", k.Scope)
	return wire.Unkept{Body: api.NewKey{Key: k.JSON(), Secret: secret}}, nil
}

// removeKey removes a key.
func (h *keyHandlers) removeKey(ctx context.Context, q api.KeyName) (api.Key, error) {
	k, err := h.Ring.Remove(ctx, q.Name)
	if err == nil {
		h.Log.InfoContext(ctx, "key removed", "key", k.Name)
	}
	return k.JSON(), err
}

package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// listKeys tells which keys there are.
func listKeys(ctx context.Context, v *call, _ api.None) (api.Keys, error) {
	all, err := v.Keys.List(ctx)
	return keys.JSON(all), err
}

// addKey makes one, and shows it this once.
func addKey(ctx context.Context, v *call, q api.KeyRequest) (any, error) {
	k, secret, err := v.Keys.Add(ctx, q.Name, q.Scope)
	if err != nil {
		return nil, err
	}
	v.log.InfoContext(ctx, "key added", "key", k.Name, "scope", k.Scope)
	return wire.Unkept{Body: api.NewKey{Key: k.JSON(), Secret: secret}}, nil
}

// removeKey ends one.
func removeKey(ctx context.Context, v *call, q api.KeyName) (api.Key, error) {
	k, err := v.Keys.Remove(ctx, q.Name)
	if err == nil {
		v.log.InfoContext(ctx, "key removed", "key", k.Name)
	}
	return k.JSON(), err
}

package handlers

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// A bound holds all routes and triggers, each with the services that it uses, and the services that every invocation
// needs.
type bound struct {
	of       *Services
	routes   map[*api.Endpoint]wire.Route
	triggers map[string]wire.Trigger
	keys     *keys.Ring
}

// open opens the services and binds routes and triggers to them. It reuses the binding while Open returns the same
// services.
func (s *server) open(ctx context.Context) (*bound, error) {
	v, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	if b := s.last.Load(); b != nil && b.of == v {
		return b, nil
	}
	b := v.bind(s)
	s.last.Store(b)
	return b, nil
}

// bind makes the routes and triggers of all areas.
func (v *Services) bind(s *server) *bound {
	b := &bound{of: v, routes: map[*api.Endpoint]wire.Route{}, triggers: map[string]wire.Trigger{}, keys: v.Keys}
	areas, workers := v.areas(s)
	for _, a := range areas {
		for _, r := range a.Routes() {
			b.routes[r.Endpoint] = r
		}
	}
	for _, w := range workers {
		maps.Copy(b.triggers, w.Triggers())
	}
	return b
}

// flushed makes all deferred writes durable before an invocation that may write is answered, so that no answer speaks
// of what may be lost. It returns the given error, or else its own.
func (b *bound) flushed(ctx context.Context, err error) error {
	return cmp.Or(err, b.of.Store.Flush(context.WithoutCancel(ctx)))
}

// flush writes the activity log and the record of the index in use, if either is due. It only logs an error, because
// the host would repeat the whole invocation if flush reported the error.
func (b *bound) flush(ctx context.Context, log *slog.Logger) {
	_, failed := b.of.Indexes.Check(ctx)
	if err := errors.Join(b.of.Activity.Flush(ctx), failed); err != nil {
		log.WarnContext(ctx, "activity not written; a later invocation will", "kind", fault.KindOf(err), "err", err)
	}
}

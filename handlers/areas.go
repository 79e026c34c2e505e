package handlers

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/tidemark/tidemark/handlers/changes"
	"github.com/tidemark/tidemark/handlers/find"
	"github.com/tidemark/tidemark/handlers/pushed"
	"github.com/tidemark/tidemark/handlers/runs"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// area is a part of the API with the services that it needs: its routes, and the triggers of the work that they begin.
type area interface {
	Routes() []wire.Route
	Triggers() map[string]wire.Trigger
}

// areas give each part of the API the services that it needs, and no others.
func (v *Services) areas(log *slog.Logger) []area {
	return []area{
		&runs.Handlers{Rebuilds: v.Rebuilds, Bulk: v.Bulk, Migrate: v.Migrate, Backfill: v.Backfill, Polls: v.Polls,
			Mails: v.Imports, Lists: v.Lists, Lookup: v.lookup(), Log: log},
		&pushed.Handlers{Entries: v.Entries, Enrich: v.Enrich, Lookup: v.lookup(), Rules: v.Rules, Log: log},
		&find.Handlers{Answers: v.answers(log), Index: v.Index, Lookup: v.lookup(), Log: log},
		&changes.Handlers{Feed: v.Registry.Feed, Notify: v.Notify, Log: log},
	}
}

// bound are the routes and triggers of all areas, for the services that they were made with.
type bound struct {
	of       *Services
	routes   map[*api.Endpoint]wire.Route
	triggers map[string]wire.Trigger
}

// bind gives the routes and triggers over services, which are the same from one invocation to the next.
func (s *server) bind(v *Services) *bound {
	if b := s.bound.Load(); b != nil && b.of == v {
		return b
	}
	b := &bound{v, map[*api.Endpoint]wire.Route{}, map[string]wire.Trigger{}}
	for _, a := range v.areas(s.Log) {
		for _, r := range a.Routes() {
			b.routes[r.Endpoint] = r
		}
		for name, t := range a.Triggers() {
			b.triggers[name] = t
		}
	}
	c := &call{v, s.Log, s.Metrics, s}
	for _, h := range routes() {
		b.routes[h.Endpoint] = wire.Route{Endpoint: h.Endpoint,
			Answer: func(r *http.Request) (int, any, error) { return h.answer(r, c) }}
	}
	for name, t := range triggers {
		b.triggers[name] = func(ctx context.Context, e wire.Envelope) (string, error) { return t(ctx, c, e) }
	}
	s.bound.Store(b)
	return b
}

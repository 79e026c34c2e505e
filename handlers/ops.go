package handlers

import (
	"context"
	"log/slog"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
)

// This file answers requests about the app itself: the state of hosts and of the services that the app depends on,
// its keys, metrics and settings, and the description of the API.

// appState answers requests about the state of hosts and of the services that the app depends on.
type appState struct {
	Hosts          *registry.Hosts
	Jobs           *registry.Jobs
	Rebuilds       *rebuild.Service
	Migrate        *migrate.Service
	Storage, Index pinger
	Browser        *render.Renderer  // renders pages; nil if there is no browser
	Indexes        *activity.Indexes // notices instances with an index of their own; may be nil
	Metrics        *telemetry.Metrics
	Version        string
	Log            *slog.Logger

	statuses sharing[api.StatusQuery, api.SearchStatus]
}

// pinger is a service outside the process. Ping returns an error if the service does not answer or cannot be written
// to.
type pinger interface {
	Ping(ctx context.Context) error
}

// Routes returns the routes about the state of the app and its hosts.
func (h *appState) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.GetStatus, h.status),
		wire.On(api.GetHost, h.host),
		{Endpoint: api.GetHealth.Endpoint, Answer: h.health},
	}
}

// processHandlers answers requests about this process: its recent work and its settings.
type processHandlers struct {
	Metrics  *telemetry.Metrics
	Activity *activity.Log
	Settings map[string]string // the settings, without the values of secrets
}

// Routes returns the routes about this process.
func (h *processHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.OnAny(api.GetMetrics, h.metrics),
		wire.On(api.GetActivity, h.lastHours),
		wire.On(api.GetConfig, h.config),
	}
}

// keyHandlers answers requests about the keys of the API.
type keyHandlers struct {
	Ring *keys.Ring
	Log  *slog.Logger
}

// Routes returns the routes about keys.
func (h *keyHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListKeys, h.listKeys),
		wire.OnAny(api.AddKey, h.addKey),
		wire.On(api.RemoveKey, h.removeKey),
	}
}

// apiDescription answers requests for the description of the API.
type apiDescription struct{}

// Routes returns the routes of the description.
func (apiDescription) Routes() []wire.Route {
	return []wire.Route{
		{Endpoint: api.GetOpenAPI.Endpoint, Answer: openAPI},
		{Endpoint: api.GetDocs.Endpoint, Answer: docs},
		{Endpoint: api.GetSchema.Endpoint, Answer: schemaOfFile},
	}
}

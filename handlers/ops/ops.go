// Package ops answers requests about the app itself: the state of hosts and of the services that the app depends on,
// its keys, metrics and settings, and the description of the API.
package ops

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

// State answers requests about the state of hosts and of the services that the app depends on.
type State struct {
	Hosts          *registry.Hosts
	Jobs           *registry.Jobs
	Rebuilds       *rebuild.Service
	Migrate        *migrate.Service
	Storage, Index Pinger
	Browser        *render.Renderer  // renders pages; nil if there is no browser
	Indexes        *activity.Indexes // notices instances with an index of their own; may be nil
	Metrics        *telemetry.Metrics
	Version        string
	Log            *slog.Logger

	statuses sharing[api.StatusQuery, api.SearchStatus]
}

// Pinger is a service outside the process. Ping returns an error if the service does not answer or cannot be written
// to.
type Pinger interface {
	Ping(ctx context.Context) error
}

// Routes returns the routes about the state of the app and its hosts.
func (h *State) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.GetStatus, h.status),
		wire.On(api.GetHost, h.host),
		{Endpoint: api.GetHealth.Endpoint, Answer: h.health},
	}
}

// Process answers requests about this process: its recent work and its settings.
type Process struct {
	Metrics  *telemetry.Metrics
	Activity *activity.Log
	Settings map[string]string // the settings, without the values of secrets
}

// Routes returns the routes about this process.
func (h *Process) Routes() []wire.Route {
	return []wire.Route{
		wire.OnAny(api.GetMetrics, h.metrics),
		wire.On(api.GetActivity, h.lastHours),
		wire.On(api.GetConfig, h.config),
	}
}

// Keys answers requests about the keys of the API.
type Keys struct {
	Ring *keys.Ring
	Log  *slog.Logger
}

// Routes returns the routes about keys.
func (h *Keys) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.ListKeys, h.listKeys),
		wire.OnAny(api.AddKey, h.addKey),
		wire.On(api.RemoveKey, h.removeKey),
	}
}

// Description answers requests for the description of the API.
type Description struct{}

// Routes returns the routes of the description.
func (Description) Routes() []wire.Route {
	return []wire.Route{
		{Endpoint: api.GetOpenAPI.Endpoint, Answer: openAPI},
		{Endpoint: api.GetDocs.Endpoint, Answer: docs},
		{Endpoint: api.GetSchema.Endpoint, Answer: schemaOfFile},
	}
}

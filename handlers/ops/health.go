package ops

import (
	"context"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/health"
	"github.com/tidemark/tidemark/pkg/search"
)

// healthTime bounds how long the health check waits for all the services that the app depends on.
const healthTime = 5 * time.Second

// health checks whether the services that the app depends on answer and accept writes. Anyone may read the answer, so
// it does not contain errors, but only what an operator should do about them.
func (h *State) health(r *http.Request) (int, any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), healthTime)
	defer cancel()
	out := api.Health{Status: "ok", Storage: "ok", Index: "ok", Version: h.Version, AsOf: time.Now().UTC()}
	status := http.StatusOK
	ping := func(service Pinger, state *string) {
		if err := service.Ping(ctx); err != nil {
			h.Log.ErrorContext(ctx, "unhealthy", "err", err)
			*state, out.Status = health.Message(err, "cannot be reached"), "unavailable"
			status = http.StatusServiceUnavailable
		}
	}
	ping(h.Storage, &out.Storage)
	ping(h.Index, &out.Index)
	if _, none := h.Index.(search.None); none {
		out.Index = "none is configured: set SEARCH_ENDPOINT"
	}
	if active, err := h.Rebuilds.Active(ctx); err == nil && len(active) > 0 {
		out.Rebuild = active[0].ID
	}
	if st, err := h.Migrate.Get(ctx); err == nil && wire.MigrationState(st) != api.MigrationCurrent {
		out.Migration = wire.MigrationState(st)
	}
	return status, out, nil
}

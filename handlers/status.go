package handlers

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/tidemark/tidemark/handlers/runs"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/health"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// status sums up the registry without reading its items (A23).
func status(ctx context.Context, v *call, q api.StatusQuery) (out api.SearchStatus, err error) {
	stats, err := v.Registry.Hosts.Stats(ctx, q.Host)
	if err != nil {
		return out, err
	}
	if q.Host != "" && len(stats) == 0 {
		return out, fault.New(fault.NotFound, "nothing is registered for the host %q", q.Host)
	}
	out = statusJSON(stats, time.Now().UTC())
	if out.InFlight == 0 && slices.ContainsFunc(stats, func(h registry.HostStats) bool { return h.Unread }) {
		if out.InFlight, err = v.Registry.Jobs.Queued(ctx); err != nil {
			return out, err
		}
	}
	out.Rebuilds, err = rebuildsJSON(ctx, v, q.Host, out)
	return out, err
}

func statusJSON(stats []registry.HostStats, now time.Time) api.SearchStatus {
	out := api.SearchStatus{AsOf: now, Hosts: make([]api.HostStatus, len(stats))}
	total := registry.HostStats{Items: map[registry.Status]int{}}
	for i, h := range stats {
		out.Hosts[i] = api.HostStatus{Host: h.Host, Counts: countsJSON(h), PausedUntil: h.PausedUntil,
			PauseReason: h.PauseReason}
		for status, n := range h.Items {
			total.Items[status] += n
		}
		total.Due += h.Due
		total.InFlight += h.InFlight
		total.Rebuilding += h.Rebuilding
		total.Guarded += h.Guarded
		total.Checks += h.Checks
		total.Changes += h.Changes
		total.Errors += h.Errors
	}
	out.Counts = countsJSON(total)
	return out
}

func countsJSON(h registry.HostStats) api.Counts {
	c := api.Counts{Items: map[api.Status]int{}, Due: h.Due, InFlight: h.InFlight, Rebuilding: h.Rebuilding,
		Guarded: h.Guarded}
	for _, s := range registry.Statuses {
		c.Items[api.Status(s)] = h.Items[s]
	}
	if h.Checks > 0 {
		c.ChangeRate = float64(h.Changes) / float64(h.Checks)
		c.ErrorRate = float64(h.Errors) / float64(h.Checks)
	}
	return c
}

// rebuildsJSON lists the rebuilds that go on and concern a host, or any when it is empty.
func rebuildsJSON(ctx context.Context, v *call, host string, counts api.SearchStatus) ([]api.Rebuild, error) {
	active, err := v.Rebuilds.Active(ctx)
	if err != nil {
		return nil, err
	}
	left := map[string]int{"": counts.Rebuilding}
	for _, h := range counts.Hosts {
		left[h.Host] = h.Rebuilding
	}
	var out []api.Rebuild
	for _, run := range active {
		if host == "" || run.Host == "" || run.Host == host {
			out = append(out, runs.RebuildJSON(run, left[run.Host]))
		}
	}
	return out, nil
}

// checkHealth asks the things we depend on whether they answer and can be written. It tells strangers no more
// of an error than what an operator has to do about it.
func checkHealth(r *http.Request, v *call) (int, any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	h := api.Health{Status: "ok", Storage: "ok", Index: "ok", Version: v.Version, AsOf: time.Now().UTC()}
	status := http.StatusOK
	fail := func(what *string, err error) {
		if err != nil {
			v.log.ErrorContext(ctx, "unhealthy", "err", err)
			*what, h.Status, status = health.Told(err, "cannot be reached"), "unavailable", http.StatusServiceUnavailable
		}
	}
	fail(&h.Storage, v.Store.Ping(ctx))
	fail(&h.Index, v.Index.Ping(ctx))
	if _, none := v.Index.(search.None); none {
		h.Index = "none is configured: set SEARCH_ENDPOINT"
	}
	if active, err := v.Rebuilds.Active(ctx); err == nil && len(active) > 0 {
		h.Rebuild = active[0].ID
	}
	if st, err := v.Migrate.Get(ctx); err == nil && runs.MigrationState(st) != api.MigrationCurrent {
		h.Migration = runs.MigrationState(st)
	}
	return status, h, nil
}

// config tells how the app was set; nothing of what changes while it runs (spec 001).
func config(_ context.Context, v *call, _ api.None) (api.Config, error) {
	return api.Config{Settings: v.Config}, nil
}

package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
)

// status sums up the registry without reading its items (A23).
func (s *server) status(r *http.Request, v *Services) (int, any, error) {
	q := queryOf(r, "host")
	host := q.text("host")
	if q.err != nil {
		return 0, nil, q.err
	}
	stats, err := v.Registry.Stats(r.Context(), host)
	if err != nil {
		return 0, nil, err
	}
	if host != "" && len(stats) == 0 {
		return 0, nil, fault.New(fault.NotFound, "nothing is registered for the host %q", host)
	}
	out := statusJSON(stats, time.Now().UTC())
	if out.Rebuilds, err = rebuildsJSON(r.Context(), v, host, out); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, out, nil
}

func statusJSON(stats []registry.HostStats, now time.Time) api.SearchStatus {
	out := api.SearchStatus{AsOf: now, Hosts: make([]api.HostStatus, len(stats))}
	total := registry.HostStats{Items: map[registry.Status]int{}}
	for i, h := range stats {
		out.Hosts[i] = api.HostStatus{Host: h.Host, Counts: countsJSON(h), PausedUntil: h.PausedUntil, PauseReason: h.PauseReason}
		for status, n := range h.Items {
			total.Items[status] += n
		}
		total.Due += h.Due
		total.InFlight += h.InFlight
		total.Rebuilding += h.Rebuilding
		total.Checks += h.Checks
		total.Changes += h.Changes
		total.Errors += h.Errors
	}
	out.Counts = countsJSON(total)
	return out
}

func countsJSON(h registry.HostStats) api.Counts {
	c := api.Counts{Items: map[api.Status]int{}, Due: h.Due, InFlight: h.InFlight, Rebuilding: h.Rebuilding}
	for _, s := range registry.Statuses {
		c.Items[api.Status(s)] = h.Items[s]
	}
	if h.Checks > 0 {
		c.ChangeRate = float64(h.Changes) / float64(h.Checks)
		c.ErrorRate = float64(h.Errors) / float64(h.Checks)
	}
	return c
}

// health asks the things we depend on whether they answer.
func (s *server) health(r *http.Request, v *Services) (int, any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	h := api.Health{Status: "ok", Storage: "ok", Index: "ok", Version: s.Version, AsOf: time.Now().UTC()}
	status := http.StatusOK
	fail := func(what *string, err error) {
		if err != nil {
			s.Log.ErrorContext(ctx, "unhealthy", "err", err)
			*what, h.Status, status = "cannot be reached", "unavailable", http.StatusServiceUnavailable
		}
	}
	fail(&h.Storage, v.Store.Ping(ctx))
	if _, none := v.Index.(search.None); none {
		h.Index = "none is configured: set SEARCH_ENDPOINT"
	} else {
		_, err := v.Index.Count(ctx)
		fail(&h.Index, err)
	}
	if runs, err := v.Rebuilds.Active(ctx); err == nil && len(runs) > 0 {
		h.Rebuild = runs[0].ID
	}
	return status, h, nil
}

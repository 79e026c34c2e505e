package handlers

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/registry"
)

// status sums up the registry without reading its items (A23).
func (h *appState) status(ctx context.Context, q api.StatusQuery) (api.SearchStatus, error) {
	return h.statuses.get(ctx, q, func(ctx context.Context) (api.SearchStatus, error) { return h.readStatus(ctx, q) })
}

func (h *appState) readStatus(ctx context.Context, q api.StatusQuery) (out api.SearchStatus, err error) {
	stats, err := h.Hosts.Stats(ctx, q.Host)
	if err != nil {
		return out, err
	}
	if q.Host != "" && len(stats) == 0 {
		return out, fault.New(fault.NotFound, "nothing is registered for the host %q", q.Host)
	}
	out = statusJSON(stats, time.Now().UTC())
	if out.InFlight == 0 && slices.ContainsFunc(stats, func(h registry.HostStats) bool { return h.Unread }) {
		if out.InFlight, err = h.Jobs.Queued(ctx); err != nil {
			return out, err
		}
	}
	if q.Host == "" {
		out.Renders = rendersJSON(h.Metrics)
		if out.Generations, _, err = generationsNow(ctx, h.Generations); err != nil {
			h.Log.WarnContext(ctx, "generations not shown", "kind", fault.KindOf(err), "err", err)
		}
	}
	out.Rebuilds, err = h.rebuilds(ctx, q.Host, out)
	return out, err
}

// rendersJSON returns what browsers cost; nil while there is nothing to tell.
func rendersJSON(m *telemetry.Metrics) *api.Renders {
	seconds, pages := m.Renders.Total()
	_, well := m.Renders.Total("ok")
	out := api.Renders{Pages: int(pages), Failed: int(pages - well), Spared: int(m.Spared.Total())}
	if out == (api.Renders{}) {
		return nil
	}
	if pages > 0 {
		out.MeanSeconds = math.Round(seconds/float64(pages)*1000) / 1000
	}
	return &out
}

func statusJSON(stats []registry.HostStats, now time.Time) api.SearchStatus {
	out := api.SearchStatus{AsOf: now, Hosts: make([]api.HostStatus, len(stats))}
	total := registry.HostStats{Items: map[registry.Status]int{}}
	for i, h := range stats {
		out.Hosts[i] = hostStatus(h)
		for status, n := range h.Items {
			total.Items[status] += n
		}
		total.Due += h.Due
		total.Unread = total.Unread || h.Unread
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
	c := api.Counts{Items: map[api.Status]int{}, Due: h.Due, DueAtLeast: h.Unread, InFlight: h.InFlight,
		Rebuilding: h.Rebuilding, Guarded: h.Guarded}
	for _, s := range registry.Statuses {
		c.Items[api.Status(s)] = h.Items[s]
	}
	if h.Checks > 0 {
		c.ChangeRate = float64(h.Changes) / float64(h.Checks)
		c.ErrorRate = float64(h.Errors) / float64(h.Checks)
	}
	return c
}

// rebuilds lists the rebuilds in progress that concern the given host. If host is empty, it lists all of them.
func (h *appState) rebuilds(ctx context.Context, host string, counts api.SearchStatus) ([]api.Rebuild, error) {
	active, err := h.Rebuilds.Active(ctx)
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
			out = append(out, rebuildJSON(run, left[run.Host]))
		}
	}
	return out, nil
}

// maxRobotsShown limits the number of bytes of a robots.txt that are shown.
const maxRobotsShown = 64 << 10

// host reports how Tidemark treats a host, and why.
func (h *appState) host(ctx context.Context, q api.HostName) (api.HostDetail, error) {
	view, err := h.Hosts.View(ctx, q.Host)
	if err != nil {
		return api.HostDetail{}, err
	}
	return hostJSON(view), nil
}

func hostStatus(h registry.HostStats) api.HostStatus {
	out := api.HostStatus{Host: h.Host, Counts: countsJSON(h), PausedUntil: h.PausedUntil, PauseReason: h.PauseReason}
	if u := h.Unreached; u.Tries > 0 {
		out.Unreachable = &api.Unreachable{Why: u.Why, Of: u.Of, Since: u.Since, Tries: u.Tries, NextTry: u.Next}
	}
	return out
}

func hostJSON(v registry.HostView) api.HostDetail {
	out := api.HostDetail{
		HostStatus: hostStatus(v.HostStats),
		MinDelayMS: v.MinDelay.Milliseconds(), MaxDelayMS: v.MaxDelay.Milliseconds(),
		MaxConcurrent: v.MaxConcurrent, CrawlDelayMS: v.CrawlDelay.Milliseconds(), NextStartAt: v.NextStart,
		NextDueAt: v.NextDueAt,
		Workers:   v.Workers, Requests: v.Requests, RecentChecks: v.Checks, TombstonesToday: v.Losses,
		Robots: []api.RobotsState{}, Days: []api.HostDay{},
		RequestsToday: int(v.Today.Requests), BytesToday: v.Today.Bytes,
		Notices: v.Notices, RequestsPerDay: int(v.Daily.Requests), BytesPerDay: v.Daily.Bytes, MaxItems: v.MaxItems,
	}
	for _, d := range v.Days {
		if d.Requests > 0 || d.All > 0 {
			out.Days = append(out.Days, api.HostDay{Day: d.Day, Requests: d.Requests, Bytes: d.Bytes, Checks: d.All,
				Changes: d.Changed, Errors: d.Failed})
		}
	}
	for _, scheme := range []string{"https", "http"} {
		if row, ok := v.Robots[scheme]; ok {
			out.Robots = append(out.Robots, api.RobotsState{
				Scheme: scheme, Verdict: row.Verdict, Reason: row.Reason, StatusCode: row.StatusCode,
				FetchedAt: row.FetchedAt, Expires: row.Expires, Text: string(row.Text[:min(len(row.Text), maxRobotsShown)]),
			})
		}
	}
	return out
}

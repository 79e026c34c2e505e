package handlers

import (
	"context"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/registry"
)

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

func hostJSON(v registry.HostView) api.HostDetail {
	out := api.HostDetail{
		HostStatus: api.HostStatus{Host: v.Host, Counts: countsJSON(v.HostStats), PausedUntil: v.PausedUntil,
			PauseReason: v.PauseReason},
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

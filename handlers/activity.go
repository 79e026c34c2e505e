package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/activity"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fault"
)

// activity sums up what was done in the last hours.
func (s *server) activity(r *http.Request, v *Services) (int, any, error) {
	q := queryOf(r, "hours")
	hours := q.number("hours", api.DefaultHours, 1, activity.MaxHours)
	if q.err != nil {
		return 0, nil, q.err
	}
	report, err := v.Activity.Read(r.Context(), hours)
	if err != nil {
		return 0, nil, err
	}
	out := api.Activity{AsOf: time.Now().UTC(), From: report.From, Total: api.ActivityCounts(report.Total), Hours: []api.ActivityHour{}}
	for _, h := range report.Hours {
		out.Hours = append(out.Hours, api.ActivityHour{Hour: h.Begins, ActivityCounts: api.ActivityCounts(h.Counts)})
	}
	return http.StatusOK, out, nil
}

// flush writes what was done, if it is time to. That it cannot be written is nothing to do work again for.
func (s *server) flush(ctx context.Context, v *Services) {
	if err := v.Activity.Flush(ctx); err != nil {
		s.Log.WarnContext(ctx, "activity not written; a later invocation will", "kind", fault.KindOf(err), "err", err)
	}
}

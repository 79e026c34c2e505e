package handlers

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/activity"
)

// lastHours returns the activity of the last hours.
func (h *processHandlers) lastHours(ctx context.Context, q api.ActivityQuery) (api.Activity, error) {
	report, err := h.Activity.Read(ctx, q.Hours)
	return activityJSON(report, time.Now().UTC()), err
}

func activityJSON(report activity.Report, now time.Time) api.Activity {
	return api.Activity{AsOf: now, From: report.From, Total: api.ActivityCounts(report.Total),
		Hours: wire.Each(report.Hours, func(h activity.Hour) api.ActivityHour {
			return api.ActivityHour{Hour: h.Begins, ActivityCounts: api.ActivityCounts(h.Counts)}
		})}
}

// config shows the settings of the app, which do not change while it runs (spec 001).
func (h *processHandlers) config(context.Context, api.None) (api.Config, error) {
	return api.Config{Settings: h.Settings}, nil
}

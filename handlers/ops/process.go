package ops

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/activity"
)

// lastHours returns the activity of the last hours.
func (h *Process) lastHours(ctx context.Context, q api.ActivityQuery) (api.Activity, error) {
	report, err := h.Activity.Read(ctx, q.Hours)
	return activityJSON(report, time.Now().UTC()), err
}

func activityJSON(report activity.Report, now time.Time) api.Activity {
	out := api.Activity{AsOf: now, From: report.From, Total: api.ActivityCounts(report.Total), Hours: []api.ActivityHour{}}
	for _, h := range report.Hours {
		out.Hours = append(out.Hours, api.ActivityHour{Hour: h.Begins, ActivityCounts: api.ActivityCounts(h.Counts)})
	}
	return out
}

// config shows the settings of the app, which do not change while it runs (spec 001).
func (h *Process) config(context.Context, api.None) (api.Config, error) {
	return api.Config{Settings: h.Settings}, nil
}

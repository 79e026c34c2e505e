package handlers

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// lastHours sums up what was done in the last hours.
func lastHours(ctx context.Context, v *call, q api.ActivityQuery) (api.Activity, error) {
	report, err := v.Activity.Read(ctx, q.Hours)
	out := api.Activity{AsOf: time.Now().UTC(), From: report.From, Total: api.ActivityCounts(report.Total),
		Hours: []api.ActivityHour{}}
	for _, h := range report.Hours {
		out.Hours = append(out.Hours, api.ActivityHour{Hour: h.Begins, ActivityCounts: api.ActivityCounts(h.Counts)})
	}
	return out, err
}

// flush writes what was done, if it is time to. A failure is no reason to do the work again.
func flush(ctx context.Context, v *call) {
	if err := v.Activity.Flush(ctx); err != nil {
		v.log.WarnContext(ctx, "activity not written; a later invocation will", "kind", fault.KindOf(err), "err", err)
	}
}

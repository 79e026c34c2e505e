package handlers

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/run"
)

// crawlTimer sends jobs for due items, then does the other work of each minute. Each part has its own share of the
// time, so even a sweep of very many items leaves time for the parts after it.
func (h *checkTimers) crawlTimer(ctx context.Context, _ wire.Envelope) (string, error) {
	sweep, end := run.PartOf(ctx, 3, 4)
	report, err := h.Jobs.Sweep(sweep)
	end()
	err = errors.Join(err, run.Watch(ctx, h.AfterSweep...))
	h.Log.InfoContext(ctx, "swept", "hints", report.Hints, "partitions", report.Partitions, "claimed", report.Claimed,
		"jobs", report.Jobs,
		"late_seconds", int(report.Late.Seconds()), "unfinished", report.Unfinished)
	text := fmt.Sprintf("%s claimed in %s", words.Count(report.Claimed, "item"), words.Count(report.Jobs, "job"))
	if report.Unfinished {
		text += "; time was over before all was looked at, the next sweep goes on"
	}
	return text, err
}

// purgeTimer schedules an early check of each tombstone that has been kept long enough; at that check, the worker
// purges the tombstone. Without the timer, a shorter PurgeGone would not affect checks that are already scheduled.
// The timer also removes old activity, changes and deliveries.
func (h *checkTimers) purgeTimer(ctx context.Context, _ wire.Envelope) (string, error) {
	moved, err := h.Items.ExpeditePurge(ctx, h.PurgeGone)
	h.Log.InfoContext(ctx, "purges expedited", "items", moved)
	note := func(done, unit string, removed int, failed error) {
		if err = errors.Join(err, failed); failed == nil && removed > 0 {
			h.Log.InfoContext(ctx, done, unit, removed)
		}
	}
	rows, failed := h.Activity.Trim(ctx)
	note("old activity removed", "rows", rows, failed)
	segments, failed := h.Feed.Purge(ctx, h.KeepChanges)
	note("old changes removed", "segments", segments, failed)
	deliveries, failed := h.Deliveries.Purge(ctx)
	note("old deliveries removed", "deliveries", deliveries, failed)
	return fmt.Sprintf("%s to be purged earlier", words.Count(moved, "item")), err
}

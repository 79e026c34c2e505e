package checks

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
func (h *Timers) crawlTimer(ctx context.Context, _ wire.Envelope) (string, error) {
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
func (h *Timers) purgeTimer(ctx context.Context, _ wire.Envelope) (string, error) {
	moved, err := h.Items.ExpeditePurge(ctx, h.PurgeGone)
	h.Log.InfoContext(ctx, "purges expedited", "items", moved)
	if removed, failed := h.Activity.Trim(ctx); failed != nil {
		err = errors.Join(err, failed)
	} else if removed > 0 {
		h.Log.InfoContext(ctx, "old activity removed", "rows", removed)
	}
	if removed, failed := h.Feed.Purge(ctx, h.KeepChanges); failed != nil {
		err = errors.Join(err, failed)
	} else if removed > 0 {
		h.Log.InfoContext(ctx, "old changes removed", "segments", removed)
	}
	if removed, failed := h.Deliveries.Purge(ctx); failed != nil {
		err = errors.Join(err, failed)
	} else if removed > 0 {
		h.Log.InfoContext(ctx, "old deliveries removed", "deliveries", removed)
	}
	return fmt.Sprintf("%s to be purged earlier", words.Count(moved, "item")), err
}

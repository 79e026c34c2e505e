package handlers

import (
	"context"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/registry"
)

// This file implements the queue and timer functions that check items. Timers send jobs for due items and remove
// old data; workers do the jobs.

// checkQueue answers the triggers that receive jobs from the queues.
type checkQueue struct {
	Worker   *crawl.Worker
	Instance string // identifies the host instance; empty if unknown
	Process  string // identifies this process
	Log      *slog.Logger
}

// Triggers returns the triggers of the queues.
func (h *checkQueue) Triggers() map[string]wire.Trigger {
	return map[string]wire.Trigger{
		"CrawlWorker":     h.work(h.Worker.Process),
		"CrawlPoison":     h.crawlPoison,
		"CrawlSlowWorker": h.work(h.Worker.ProcessSlow), // of jobs that were moved so that they do not delay others
		"CrawlSlowPoison": h.crawlPoison,
	}
}

// checkTimers answer the triggers that the host calls at fixed times.
type checkTimers struct {
	Jobs       *registry.Jobs
	Items      *registry.Items
	Activity   *activity.Log
	Feed       *feed.Feed
	Deliveries *notify.Worker
	// AfterSweep is the other work of each minute. Its functions share the time that remains after the sweep.
	AfterSweep  []func(context.Context) (int, error)
	PurgeGone   time.Duration // how long tombstones are kept; 0 means for ever
	KeepChanges time.Duration // how long the feed keeps changes
	Log         *slog.Logger
}

// Triggers returns the triggers of the timers.
func (h *checkTimers) Triggers() map[string]wire.Trigger {
	return map[string]wire.Trigger{"CrawlTimer": h.crawlTimer, "PurgeTimer": h.purgeTimer}
}

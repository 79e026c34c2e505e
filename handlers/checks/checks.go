// Package checks answers the triggers that check items. Timers send jobs for due items and remove old data; workers
// do the jobs.
package checks

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

// Queue answers the triggers of the job queues.
type Queue struct {
	Worker *crawl.Worker
	Log    *slog.Logger
}

// Triggers are the triggers of the queues.
func (h *Queue) Triggers() map[string]wire.Trigger {
	return map[string]wire.Trigger{
		"CrawlWorker":     h.crawlWorker,
		"CrawlPoison":     h.crawlPoison,
		"CrawlSlowWorker": h.crawlSlowWorker,
		"CrawlSlowPoison": h.crawlPoison,
	}
}

// Timers answer the timers.
type Timers struct {
	Jobs       *registry.Jobs
	Items      *registry.Items
	Activity   *activity.Log
	Feed       *feed.Feed
	Deliveries *notify.Worker
	// AfterSweep is other work that is done each minute. Each function gets its own share of the time that remains
	// after the sweep.
	AfterSweep  []func(context.Context) (int, error)
	PurgeGone   time.Duration // how long tombstones are kept; 0 for ever
	KeepChanges time.Duration // how long the feed keeps changes
	Log         *slog.Logger
}

// Triggers are the timers.
func (h *Timers) Triggers() map[string]wire.Trigger {
	return map[string]wire.Trigger{"CrawlTimer": h.crawlTimer, "PurgeTimer": h.purgeTimer}
}

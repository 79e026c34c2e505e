package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

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
	Hosts      *registry.Hosts
	Items      *registry.Items
	Worker     *crawl.Worker
	Activity   *activity.Log
	Feed       *feed.Feed
	Index      search.Index
	Deliveries *notify.Worker
	Rules      *notify.Follower
	Undo       *undo.Log
	Bulk       *bulk.Service
	// AfterSweep is the other work of each minute. Its functions share the time that remains after the sweep.
	AfterSweep  []func(context.Context) (int, error)
	PurgeGone   time.Duration // how long tombstones are kept; 0 means for ever
	KeepChanges time.Duration // how long the feed keeps changes
	Metrics     *telemetry.Metrics
	Log         *slog.Logger

	quiet quiet
}

// Triggers returns the triggers of the timers.
func (h *checkTimers) Triggers() map[string]wire.Trigger {
	return map[string]wire.Trigger{"CrawlTimer": h.crawlTimer, "PurgeTimer": h.purgeTimer}
}

// crawlTimer sends jobs for due items, then does the other work of each minute. Each part has its
// own share of the time, so even a sweep of very many items leaves time for the parts after it.
func (h *checkTimers) crawlTimer(ctx context.Context, _ wire.Envelope) (string, error) {
	sweep, end := run.PartOf(ctx, 3, 4)
	report, err := h.Jobs.Sweep(sweep)
	end()
	now := time.Now()
	h.show(ctx, err == nil, now)
	err = errors.Join(err, run.Watch(ctx, h.AfterSweep...))
	h.Worker.TellFailures(ctx)
	h.Deliveries.TellStuck(ctx)
	if report == (registry.SweepReport{}) {
		if sweeps := h.quiet.another(now); sweeps > 0 {
			h.Log.DebugContext(ctx, "nothing was due", "sweeps", sweeps, "due", h.Jobs.Overdue().Items, "checks",
				h.Metrics.Checks.Total())
		}
		return "", err
	}
	h.Log.InfoContext(ctx, "swept", "hints", report.Hints, "partitions", report.Partitions, "claimed", report.Claimed,
		"jobs", report.Jobs,
		"late_seconds", int(report.Late.Seconds()), "unfinished", report.Unfinished)
	text := fmt.Sprintf("%s claimed in %s", words.Count(report.Claimed, "item"), words.Count(report.Jobs, "job"))
	if report.Unfinished {
		text += "; time was over before all was looked at, the next sweep goes on"
	}
	return text, err
}

// show sets the metrics that say what waits, from what the sweep has read.
func (h *checkTimers) show(ctx context.Context, swept bool, now time.Time) {
	m, left := h.Metrics, h.Jobs.Overdue()
	m.Due.Set(float64(left.Items))
	m.HostsUnreachable.Set(float64(left.Unreached))
	m.OldestDue.Since(left.Oldest)
	if swept {
		m.LastSweep.Since(now)
	}
	counts, err := h.Hosts.Tally(ctx)
	if err != nil {
		h.Log.WarnContext(ctx, "items are not counted", "kind", fault.KindOf(err), "err", err)
	}
	for status, n := range counts {
		m.Items.Set(float64(n), string(status))
	}
}

// quiet counts sweeps that found nothing. The log has one line of them in an hour, so that it can be told from a timer
// that has stopped.
type quiet struct {
	mu     sync.Mutex
	sweeps int
	since  time.Time
}

// another counts one sweep. It returns how many there were if that must be told now.
func (q *quiet) another(now time.Time) (tell int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.sweeps++; q.since.IsZero() {
		q.since = now
	}
	if now.Sub(q.since) < time.Hour {
		return 0
	}
	tell, q.sweeps, q.since = q.sweeps, 0, now
	return tell
}

// purgeTimer schedules an early check of each tombstone that has been kept long enough; at that
// check, the worker purges the tombstone. Without the timer, a shorter PurgeGone would not affect
// checks that are already scheduled. The timer also removes old activity, changes and deliveries, and finds the rules
// that can report nothing any more.
func (h *checkTimers) purgeTimer(ctx context.Context, _ wire.Envelope) (string, error) {
	moved, err := h.Items.ExpeditePurge(ctx, h.PurgeGone)
	note := func(done, unit string, removed int, failed error) {
		if err = errors.Join(err, failed); failed == nil && removed > 0 {
			h.Log.InfoContext(ctx, done, unit, removed)
		}
	}
	note("purges expedited", "items", moved, nil)
	rows, failed := h.Activity.Trim(ctx)
	note("old activity removed", "rows", rows, failed)
	segments, failed := h.Feed.Purge(ctx, h.KeepChanges)
	note("old changes removed", "segments", segments, failed)
	note("old deletions forgotten", "", 0, h.Index.Forget(ctx, time.Now().Add(-h.KeepChanges)))
	deliveries, failed := h.Deliveries.Purge(ctx)
	note("old deliveries removed", "deliveries", deliveries, failed)
	done, failed := h.Undo.Sweep(ctx)
	note("undos removed", "records", done, failed)
	noted, failed := h.Bulk.Sweep(ctx)
	note("changes of bulk runs removed", "rows", noted, failed)
	rules, failed := h.Rules.Review(ctx)
	note("rules can report nothing any more", "rules", rules, failed)
	if moved == 0 {
		return "", err
	}
	return fmt.Sprintf("%s to be purged earlier", words.Count(moved, "item")), err
}

// work returns the trigger that does one job by a method of the worker. Its report says how many
// items were done, and how many were not because other workers have them.
func (h *checkQueue) work(process func(context.Context, registry.Job) error) wire.Trigger {
	return func(ctx context.Context, e wire.Envelope) (string, error) {
		job, err := jobOf(e)
		if err != nil {
			return "", err
		}
		job.Attempt = job.AttemptBy(e.MessageID(), h.Instance, h.Process)
		job.Counts = &registry.JobCounts{}
		if err := process(ctx, job); err != nil {
			return "", wire.Kept(err)
		}
		return reportOf(job), nil
	}
}

// reportOf says what became of the items of a job.
func reportOf(job registry.Job) string {
	report := fmt.Sprintf("%d of %s of %s done", job.Counts.Done, words.Count(len(job.Items), "item"), job.Host)
	if n := job.Counts.Locked; n > 0 {
		report += fmt.Sprintf(", %d locked by other workers", n)
	}
	return report
}

// crawlPoison handles a job that failed on every try: it records the failure on the job's items.
func (h *checkQueue) crawlPoison(ctx context.Context, e wire.Envelope) (string, error) {
	job, err := jobOf(e)
	if err != nil {
		return "", err
	}
	why := "processing failed on every try and was given up; see the app's log"
	h.Log.ErrorContext(ctx, "crawl job poisoned", "host", job.Host, "items", len(job.Items))
	return why, h.Worker.GiveUp(ctx, job, why)
}

func jobOf(e wire.Envelope) (registry.Job, error) {
	body, err := e.Job()
	if err != nil {
		return registry.Job{}, err
	}
	return registry.ParseJob(body)
}

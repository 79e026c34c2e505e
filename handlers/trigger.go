package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
)

// trigger does the work of a queue or timer function; what it returns is logged by the host.
type trigger func(ctx context.Context, v *call, e wire.Envelope) (report string, err error)

// result is what the host wants to hear. Outputs may be empty but the object must be there.
type result struct {
	Outputs     map[string]any
	Logs        []string
	ReturnValue any
}

func (s *server) serveTrigger(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		r, e, err := s.enter(withFunction(r, name))
		var report string
		if err == nil {
			report, err = s.invoke(r, e, name)
		}
		status, outcome := http.StatusOK, telemetry.OutcomeOK
		switch kind := fault.KindOf(err); kind {
		case "":
		case fault.Invalid, fault.NotFound, fault.Blocked, fault.TooLarge:
			s.Log.ErrorContext(r.Context(), "message dropped", "kind", kind, "err", err)
			outcome, report = telemetry.OutcomeDropped, err.Error()
		default:
			s.Log.ErrorContext(r.Context(), "invocation failed", "kind", kind, "err", err)
			status, outcome, report = http.StatusInternalServerError, telemetry.OutcomeFailed, err.Error()
		}
		if err != nil {
			s.Metrics.Errors.Add(1, "invocation", string(fault.KindOf(err)))
		}
		s.over(r, began, outcome)
		res := result{Outputs: map[string]any{}, Logs: []string{}}
		if report != "" {
			res.Logs = append(res.Logs, report)
		}
		wire.JSON(w, status, res)
	}
}

// enter reads the envelope. A message goes on in the trace that it was sent in; what the host calls us
// for otherwise is in the host's.
func (s *server) enter(r *http.Request) (*http.Request, wire.Envelope, error) {
	var e wire.Envelope
	if err := json.NewDecoder(r.Body).Decode(&e); fault.Is(err, fault.Unavailable) {
		return r, e, err // it has not arrived: the message is not dropped for that
	} else if err != nil {
		return r, e, fault.New(fault.Invalid, "envelope: %v", err)
	}
	scope := telemetry.From(r.Context())
	if age, ok := e.Age(time.Now()); ok {
		s.Metrics.QueueAge.Observe(age.Seconds(), scope.Function)
	}
	if sent, ok := e.SentBy(); ok {
		scope.Trace = sent.Child()
		r = r.WithContext(telemetry.With(r.Context(), scope))
	}
	return r, e, nil
}

// invoke calls the trigger. A panic is an error like others here, because the host wants the same
// JSON for it.
func (s *server) invoke(r *http.Request, e wire.Envelope, name string) (report string, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.ErrorContext(r.Context(), "trigger panicked", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			report, err = "", fmt.Errorf("panic: %v", p)
		}
	}()
	services, err := s.Open(r.Context())
	if err != nil {
		return "", fault.New(fault.Unavailable, "services: %w", err)
	}
	defer flush(r.Context(), &call{services, s.Log, s.Metrics, s})
	return s.bind(services).triggers[name](r.Context(), e)
}

// crawlTimer sends jobs for what is due, lets rules decide about what has changed, requeues runs that have stalled,
// advances a migration, and, once a day, mends what is shown of all hosts. Each has a time of its own, so that none is
// left out when one before it, such as the sweep under overload, needs more than there is.
func crawlTimer(ctx context.Context, v *call, _ wire.Envelope) (string, error) {
	sweep, end := run.PartOf(ctx, 3, 4)
	report, err := v.Registry.Jobs.Sweep(sweep)
	end()
	err = errors.Join(err, run.Watch(ctx, followChanges(v),
		v.Rebuilds.RequeueStalled, v.Bulk.RequeueStalled, v.Imports.RequeueStalled,
		v.Backfill.RequeueStalled, v.Polls.RequeueStalled, v.Migrate.Advance, v.Registry.Hosts.Recount))
	v.log.InfoContext(ctx, "swept", "hints", report.Hints, "partitions", report.Partitions, "claimed", report.Claimed,
		"jobs", report.Jobs,
		"late_seconds", int(report.Late.Seconds()), "unfinished", report.Unfinished)
	text := fmt.Sprintf("%s claimed in %s", words.Count(report.Claimed, "item"), words.Count(report.Jobs, "job"))
	if report.Unfinished {
		text += "; time was over before all was looked at, the next sweep goes on"
	}
	return text, err
}

// purgeTimer brings tombstones forward whose time is over before their next check, after the
// setting was changed. Purging itself is the worker's, when they are due. It removes old activity, changes and
// deliveries, too.
func purgeTimer(ctx context.Context, v *call, _ wire.Envelope) (string, error) {
	moved, err := v.Registry.Items.ExpeditePurge(ctx, v.PurgeGone)
	v.log.InfoContext(ctx, "purges expedited", "items", moved)
	if removed, failed := v.Activity.Trim(ctx); failed != nil {
		err = errors.Join(err, failed)
	} else if removed > 0 {
		v.log.InfoContext(ctx, "old activity removed", "rows", removed)
	}
	if removed, failed := v.Registry.Feed.Purge(ctx, v.KeepChanges); failed != nil {
		err = errors.Join(err, failed)
	} else if removed > 0 {
		v.log.InfoContext(ctx, "old changes removed", "segments", removed)
	}
	if removed, failed := v.Notify.Worker.Purge(ctx); failed != nil {
		err = errors.Join(err, failed)
	} else if removed > 0 {
		v.log.InfoContext(ctx, "old deliveries removed", "deliveries", removed)
	}
	return fmt.Sprintf("%s to be purged earlier", words.Count(moved, "item")), err
}

// crawlWorker does one job.
func crawlWorker(ctx context.Context, v *call, e wire.Envelope) (string, error) {
	job, err := jobOf(e)
	if err != nil {
		return "", err
	}
	if err := v.Worker.Process(ctx, job); err != nil {
		return "", wire.Kept(err)
	}
	return fmt.Sprintf("%s of %s", words.Count(len(job.Items), "item"), job.Host), nil
}

// crawlSlowWorker does one that was moved out of the way.
func crawlSlowWorker(ctx context.Context, v *call, e wire.Envelope) (string, error) {
	job, err := jobOf(e)
	if err != nil {
		return "", err
	}
	if err := v.Worker.ProcessSlow(ctx, job); err != nil {
		return "", wire.Kept(err)
	}
	return fmt.Sprintf("%s of %s", words.Count(len(job.Items), "item"), job.Host), nil
}

// crawlPoison records on its items that a job could not be done, however often it was tried.
func crawlPoison(ctx context.Context, v *call, e wire.Envelope) (string, error) {
	job, err := jobOf(e)
	if err != nil {
		return "", err
	}
	why := "processing failed on every try and was given up; see the app's log"
	v.log.ErrorContext(ctx, "crawl job poisoned", "host", job.Host, "items", len(job.Items))
	return why, v.Worker.GiveUp(ctx, job, why)
}

func jobOf(e wire.Envelope) (registry.Job, error) {
	body, err := e.Job()
	if err != nil {
		return registry.Job{}, err
	}
	return registry.ParseJob(body)
}

// followChanges decides who is told of what is new. It is CrawlTimer's: a timer of its own would cost as much again
// while nothing happens.
func followChanges(v *call) func(ctx context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		report, err := v.Notify.Follower.Follow(ctx)
		if report.Deliveries+report.Resent > 0 {
			v.log.InfoContext(ctx, "changes followed", "looked", report.Looked, "deliveries", report.Deliveries,
				"resent", report.Resent)
		}
		return report.Resent, err
	}
}

package handlers

import (
	"context"
	"fmt"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/registry"
)

// work returns the trigger that does one job by a method of the worker. Its report says how many items were done, and
// how many were not because other workers have them.
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

package checks

import (
	"context"
	"fmt"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/registry"
)

// work returns a trigger that does one job with the given function.
func work(process func(context.Context, registry.Job) error) wire.Trigger {
	return func(ctx context.Context, e wire.Envelope) (string, error) {
		job, err := jobOf(e)
		if err != nil {
			return "", err
		}
		if err := process(ctx, job); err != nil {
			return "", wire.Kept(err)
		}
		return fmt.Sprintf("%s of %s", words.Count(len(job.Items), "item"), job.Host), nil
	}
}

// crawlPoison handles a job that failed on every try: it records the failure on the job's items.
func (h *Queue) crawlPoison(ctx context.Context, e wire.Envelope) (string, error) {
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

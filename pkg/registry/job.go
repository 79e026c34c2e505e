package registry

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// Queued is about how many jobs are on their way or in work.
func (r *Jobs) Queued(ctx context.Context) (int, error) {
	jobs, err := r.s.jobs.Length(ctx)
	slow, failed := r.s.slow.Length(ctx)
	return jobs + slow, errors.Join(err, failed)
}

// send puts jobs for claimed items into the queue. A failure is logged and forgotten: the due
// rows say until when the jobs may arrive, and the sweep sends others after that.
func (r *store) send(ctx context.Context, partition, host, reason string, items []JobItem) {
	for some := range slices.Chunk(items, JobItems) {
		job := Job{PartitionKey: partition, Host: host, Items: some, Reason: reason, TraceParent: telemetry.TraceParent(ctx)}
		body, _ := json.Marshal(job) // strings and numbers always encode
		if err := r.jobs.Send(ctx, body, 0); err != nil {
			r.o.Log.WarnContext(ctx, "crawl job not sent; the sweep will", "host", host, "items", len(some),
				"kind", fault.KindOf(err))
		}
	}
}

// MoveToSlow sends a job that nobody has begun to the queue for hosts that do not answer. If the message is
// lost, the sweep sends another.
func (r *Jobs) MoveToSlow(ctx context.Context, job Job) error {
	body, _ := json.Marshal(job) // strings and numbers always encode
	return r.s.slow.Send(ctx, body, 0)
}

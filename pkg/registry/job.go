package registry

import (
	"context"
	"encoding/json"
	"errors"
)

// Queued returns the approximate number of jobs that are waiting or in progress.
func (r *Jobs) Queued(ctx context.Context) (int, error) {
	jobs, err := r.s.Jobs.Length(ctx)
	slow, failed := r.s.Slow.Length(ctx)
	return jobs + slow, errors.Join(err, failed)
}

// received reports whether workers have received all jobs that were sent.
func (r *Jobs) received(ctx context.Context) (bool, error) {
	jobs, err := r.s.Jobs.Waits(ctx)
	slow, failed := r.s.Slow.Waits(ctx)
	return !jobs && !slow, errors.Join(err, failed)
}

// MoveToSlow moves a job, on which no worker has begun to work, to the queue for hosts that do not answer. If the
// message is lost, a sweep sends another job for the items. The job keeps the name of its first message, so that it
// takes over the items of a dead worker that had the same message.
func (r *Jobs) MoveToSlow(ctx context.Context, job Job) error {
	job.Message = job.Attempt.Message
	body, _ := json.Marshal(job) // strings and numbers always encode
	return r.s.Slow.Send(ctx, body, 0)
}

package crawl

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/placement"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Worker processes jobs. It is safe for concurrent use.
type Worker struct {
	*checker
	jobs    *registry.Jobs
	waiting waiting
	gate    gate
	slots   slots
}

// New makes a worker that asks hosts through hosts, and places what they answer through pages. Where pages have no
// index, items stay at Crawled.
func New(in Stores, hosts *politeness.Hosts, pages *placement.Service, o Options) *Worker {
	o = o.withDefaults()
	return &Worker{
		checker: &checker{
			in: in, hosts: hosts, pages: pages, o: o, stored: &reader{in.Moves, in.Snapshots, o.Documents},
		},
		jobs: in.Jobs, gate: newGate(), slots: newSlots(),
	}
}

// Hosts are those that the worker asks.
func (w *Worker) Hosts() *politeness.Hosts { return w.hosts }

// Process does a job. It may be called for the same job any number of times. An error means that
// our own storage or index failed: unfinished items wait in their due rows, and calling again is
// right. When too many jobs of hosts that do not answer are in progress, another one is moved to the
// queue of [Worker.ProcessSlow].
func (w *Worker) Process(ctx context.Context, job registry.Job) (err error) {
	defer fault.Wrap(&err, "crawl %s", job.Host)
	// The registry knows whether the host answered when it was last asked. If not, the job is begun only in a slot.
	s := slot{of: &w.slots}
	b, err := w.jobs.BeginIf(ctx, job, s.mayBegin)
	defer s.release()
	switch {
	case err != nil:
		return err
	case s.refused:
		return w.jobs.MoveToSlow(ctx, job)
	case b == nil:
		return nil // all of its items are with other workers, or not due
	}
	return w.process(ctx, b, s.release)
}

// ProcessSlow is [Worker.Process] for a job that was moved: it waits for a slot.
func (w *Worker) ProcessSlow(ctx context.Context, job registry.Job) (err error) {
	defer fault.Wrap(&err, "crawl %s", job.Host)
	leave, err := w.slots.wait(ctx)
	if err != nil {
		return err
	}
	defer leave()
	b, err := w.jobs.Begin(ctx, job)
	if err != nil || b == nil {
		return err
	}
	return w.process(ctx, b, leave)
}

// process works on a batch. leave gives the job's slot back, as soon as the host has answered.
func (w *Worker) process(ctx context.Context, b *registry.Batch, leave func()) error {
	j := w.newJob(b, leave)
	j.run(ctx)
	// What was done is committed even if the batch failed: it need not be done again.
	if err := j.commit(ctx, true); err != nil {
		return errors.Join(j.progress.failed, err)
	}
	if j.progress.failed != nil || !b.More {
		return j.progress.failed
	}
	// The host has more items that are due. This comes last: a job that is lost here is found by the next sweep.
	_, err := w.jobs.Refill(ctx, b.Partition)
	return err
}

// GiveUp records on the items of a poisoned job that it could not be processed (A19).
func (w *Worker) GiveUp(ctx context.Context, job registry.Job, why string) error {
	return w.jobs.Fail(ctx, job, func(it *registry.Item, now time.Time) {
		set, err := w.in.Tags.Effective(ctx, it)
		if err != nil {
			w.o.Log.WarnContext(ctx, "tags could not be read", "id", it.ID, "err", err)
		}
		verdict.GiveUp(it, verdict.Basis{Rules: w.rules(), Options: set}, why, now, w.o.Jitter())
	})
}

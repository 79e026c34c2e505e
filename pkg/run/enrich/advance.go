package enrich

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/run"
)

const (
	// leaseTime is how long a step holds its batch. It is longer than a function may run.
	leaseTime = 6 * time.Minute
	// refusedWait is the pause after the service has refused a batch because of settings or quotas. After the pause,
	// the batch is sent again.
	refusedWait = 30 * time.Minute
	// pendingWait is the pause while the service processes the file of a batch.
	pendingWait = time.Minute
)

// Report is the result of one call by the timer.
type Report struct {
	Active int // number of active batches
	Moved  int // number of active batches whose state changed
}

// Advance performs a step for every active batch of every schema. When a step fails, Advance continues with the next
// batch. At the end it returns all errors. While T1_BATCH_MODEL is not set, batches wait.
func (s *Service) Advance(ctx context.Context) (r Report, err error) {
	if s.models.Batch == "" {
		return r, nil
	}
	for _, schema := range s.o.Schemas {
		list, listed := listActive(ctx, s.batches[schema])
		err = errors.Join(err, listed)
		for _, a := range list {
			r.Active++
			moved, failed := (&batchStep{svc: s, cancelled: a.CancelledAt}).advance(ctx, s.batches[schema], a.ID)
			if moved {
				r.Moved++
			}
			if err = errors.Join(err, failed); ctx.Err() != nil {
				return r, err
			}
		}
	}
	return r, err
}

// batchStep is one step of one batch.
type batchStep struct {
	svc       *Service
	cancelled time.Time // when cancellation was requested; zero if it was not
	files     []string  // the files with the answers of the collected batch
}

func (t *batchStep) advance(ctx context.Context, runs *run.Runs[Batch], id string) (moved bool, err error) {
	b, err := runs.Get(ctx, id)
	now, read := t.svc.now(), b.etag
	if err != nil || b.State == Done || now.Before(b.Lease) || now.Before(b.NotBefore) && t.cancelled.IsZero() {
		return false, err
	}
	if err := runs.Advance(ctx, &b, 0, t.do); err != nil {
		return false, err
	}
	if b.State == Done {
		t.tidy(ctx)
		t.svc.o.Log.InfoContext(ctx, "batch done", "batch", b.ID, "schema", b.Schema, "enriched", b.Enriched, "skipped",
			b.Skipped, "failed", b.Failed,
			"cancelled", b.Cancelled, "again", b.Again, "strangers", b.Strangers, "tokens_in", b.Usage.In, "tokens_out",
			b.Usage.Out, "cost", b.Usage.Cost)
	}
	return b.etag != read, nil
}

// do performs the next step of a batch, whatever its state.
func (t *batchStep) do(ctx context.Context, b *Batch) (run.Next, error) {
	switch {
	case b.State != Running && !t.cancelled.IsZero():
		return t.withdraw(ctx, b)
	case b.State != Running:
		return t.send(ctx, b)
	case !t.cancelled.IsZero() && b.CancelledAt.IsZero():
		return run.Next{}, t.stop(ctx, b)
	}
	return t.poll(ctx, b)
}

// send sends a batch to the service, unless the service already has it from an earlier step.
func (t *batchStep) send(ctx context.Context, b *Batch) (run.Next, error) {
	tried := !b.SentAt.IsZero()
	if !tried {
		b.SentAt = t.svc.now()
	}
	if err := t.lease(ctx, b, Sending); err != nil {
		return run.Next{}, err
	}
	if tried {
		if found, err := t.resume(ctx, b); err != nil || found {
			return run.Next{}, err
		}
	}
	if b.File != "" && b.Model != t.svc.models.Batch {
		t.remove(ctx, b) // its questions are for another model
	}
	b.Model = t.svc.models.Batch
	w := sending{b: b}
	err := t.svc.schedule.Run(ctx, &w)
	switch fault.KindOf(err) {
	case "":
		if tried && b.State == Done { // no question is left, but an earlier step may have uploaded some
			t.remove(ctx, b)
		}
	case fault.Invalid, fault.Blocked, fault.NotFound, fault.TooLarge, fault.Throttled:
		err = errors.Join(err, t.putOff(ctx, b, err))
	}
	return w.next, err
}

// lease acquires the batch for this step.
func (t *batchStep) lease(ctx context.Context, b *Batch, state BatchState) error {
	b.State, b.Lease = state, t.svc.now().Add(leaseTime)
	err := t.svc.batches[b.Schema].Save(ctx, b)
	if fault.Lost(err) {
		return run.ErrDone // another process works on the batch
	}
	return err
}

// putOff queues a batch again after the service has refused it. It removes the file of the batch from the service,
// unless the service only asked for a pause. Then the file is used again, and the service may even have started the
// batch.
func (t *batchStep) putOff(ctx context.Context, b *Batch, why error) error {
	wait := max(refusedWait, fault.RetryAfter(why))
	switch {
	case errors.Is(why, llm.ErrPending):
		wait = pendingWait
	case !fault.Is(why, fault.Throttled):
		t.remove(ctx, b)
	}
	b.State, b.Message, b.NotBefore, b.Lease = Queued, line(why.Error(), maxMessage), t.svc.now().Add(wait), time.Time{}
	return t.svc.batches[b.Schema].Save(ctx, b)
}

// maxMessage bounds the stored text of an error, in characters.
const maxMessage = 500

// poll asks the service for the state of a batch, and collects the batch when the service has finished it. If the
// service no longer knows the batch, the batch counts as finished, without results.
func (t *batchStep) poll(ctx context.Context, b *Batch) (run.Next, error) {
	remote, err := t.svc.models.Batches.Batch(ctx, b.Remote)
	if fault.Is(err, fault.NotFound) {
		remote, err = llm.Batch{ID: b.Remote, State: llm.Failed, Status: "unknown to the service", Message: err.Error()}, nil
	}
	if err == nil && remote.State == llm.Working && remote.Status == b.Status {
		err = run.ErrDone // nothing has changed
	}
	if err != nil {
		return run.Next{}, err
	}
	b.Status, b.Message = remote.Status, line(remote.Message, maxMessage)
	if remote.State == llm.Working {
		return run.Next{}, nil
	}
	if err := t.lease(ctx, b, Running); err != nil {
		return run.Next{}, err
	}
	w := collecting{b: b, remote: remote}
	t.files = remote.Files
	if err = t.svc.collect.Run(ctx, &w); err == nil {
		t.remove(ctx, b, remote.Input)
	}
	return w.next, err
}

// tidy removes the files with the answers of a finished batch from the service. They are needed until the batch is
// stored as done: if the process dies just after that, they remain until the service deletes them.
func (t *batchStep) tidy(ctx context.Context) {
	for _, file := range t.files {
		_ = t.svc.models.Batches.Delete(ctx, file)
	}
}

// remove removes files from the service: the given ones, and those with the questions of a batch, because they contain
// people's mails. The service may have several of these, because an upload whose answer was lost is repeated. If this
// fails, the client logs it, and the files remain until the service deletes them.
func (t *batchStep) remove(ctx context.Context, b *Batch, files ...string) {
	named, _ := t.svc.models.Batches.Named(ctx, b.file())
	files = slices.Concat(files, []string{b.File}, named)
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		if file != "" {
			_ = t.svc.models.Batches.Delete(ctx, file)
		}
	}
	b.File = ""
}

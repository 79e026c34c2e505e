package enrich

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

const (
	// leaseTime is longer than a function may run.
	leaseTime = 6 * time.Minute
	// refusedWait is until a batch is sent again that the service did not take, for settings or quotas.
	refusedWait = 30 * time.Minute
)

// Report is what a step of the timer did.
type Report struct {
	Active int // batches that go on
	Moved  int // of these, those that have come to another state
}

// Advance has every batch of every schema come a step further. It works on all of them whatever
// fails, and says what did. Where T1_BATCH_MODEL is not set, batches wait until it is.
func (s *Service) Advance(ctx context.Context) (r Report, err error) {
	if s.models.Batch == "" {
		return r, nil
	}
	for _, schema := range s.o.Schemas {
		list, listed := listActive(ctx, s.tables[schema])
		err = errors.Join(err, listed)
		for _, a := range list {
			r.Active++
			moved, failed := stepper{s}.step(ctx, schema, a)
			if moved {
				r.Moved++
			}
			if failed != nil && !fault.Is(failed, fault.Conflict) { // somebody else is at it
				err = errors.Join(err, failed)
			}
			if ctx.Err() != nil {
				return r, err
			}
		}
	}
	return r, err
}

// stepper takes batches a step further.
type stepper struct{ svc *Service }

// step has one batch come a step further.
func (s stepper) step(ctx context.Context, schema string, a active) (moved bool, err error) {
	defer fault.Wrap(&err, "batch %s of %s", a.id, schema)
	b, err := s.svc.read(ctx, schema, a.id)
	now, cancelled := s.svc.o.Clock().UTC(), !a.cancelledAt.IsZero()
	if err != nil || b.State == Done || now.Before(b.lease) || now.Before(b.NotBefore) && !cancelled {
		return false, err
	}
	switch {
	case b.State != Running && cancelled:
		moved, err = s.withdraw(ctx, &b)
	case b.State != Running:
		moved, err = s.send(ctx, &b)
	case cancelled && b.CancelledAt.IsZero():
		moved, err = s.stop(ctx, &b, a.cancelledAt)
	default:
		moved, err = s.poll(ctx, &b)
	}
	if err == nil && b.State == Done {
		s.svc.o.Log.InfoContext(ctx, "batch done", "batch", b.ID, "schema", b.Schema, "enriched", b.Enriched, "skipped",
			b.Skipped, "failed", b.Failed,
			"cancelled", b.Cancelled, "again", b.Again, "strangers", b.Strangers, "tokens_in", b.Usage.In, "tokens_out",
			b.Usage.Out, "cost", b.Usage.Cost)
	}
	return moved, err
}

// send has the service take a batch, unless it is found there from a step before.
func (s stepper) send(ctx context.Context, b *Batch) (moved bool, err error) {
	tried := !b.SentAt.IsZero()
	if !tried {
		b.SentAt = s.svc.o.Clock().UTC()
	}
	b.Model = s.svc.models.Batch
	if err := s.lease(ctx, b, Sending); err != nil {
		return false, err
	}
	if tried {
		if found, err := s.resume(ctx, b); err != nil || found {
			return err == nil, err
		}
	}
	err = s.svc.schedule.Run(ctx, &sending{b: b})
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Blocked, fault.NotFound, fault.TooLarge, fault.Throttled:
		return false, errors.Join(err, s.putOff(ctx, b, err))
	}
	return err == nil, err
}

// lease takes the batch for this step.
func (s stepper) lease(ctx context.Context, b *Batch, state BatchState) error {
	b.State, b.lease = state, s.svc.o.Clock().UTC().Add(leaseTime)
	return s.svc.write(ctx, b)
}

// putOff queues a batch again that the service did not take.
func (s stepper) putOff(ctx context.Context, b *Batch, why error) error {
	wait := max(refusedWait, fault.RetryAfter(why))
	b.State, b.Message, b.NotBefore, b.lease = Queued, line(why.Error(), maxMessage), s.svc.o.Clock().UTC().Add(wait),
		time.Time{}
	return s.svc.write(ctx, b)
}

// maxMessage bounds what is kept of an error, in characters.
const maxMessage = 500

// poll asks how far a batch is, and collects it when it is over. A batch that the service does not
// know any more is over, without results.
func (s stepper) poll(ctx context.Context, b *Batch) (moved bool, err error) {
	remote, err := s.svc.models.Batches.Batch(ctx, b.Remote)
	if fault.Is(err, fault.NotFound) {
		remote, err = llm.Batch{ID: b.Remote, State: llm.Failed, Status: "unknown to the service", Message: err.Error()}, nil
	}
	if err != nil || remote.State == llm.Working && remote.Status == b.Status {
		return false, err
	}
	b.Status, b.Message = remote.Status, line(remote.Message, maxMessage)
	if remote.State == llm.Working {
		return true, s.svc.write(ctx, b)
	}
	if err := s.lease(ctx, b, Running); err != nil {
		return false, err
	}
	if err := s.svc.collect.Run(ctx, &collecting{b: b, remote: remote}); err != nil {
		return false, err
	}
	s.tidy(ctx, remote)
	return true, nil
}

// tidy removes the files of a batch that is done: they are people's mails. Where that fails, which the
// client logs, they lie there as long as the service keeps files.
func (s stepper) tidy(ctx context.Context, remote llm.Batch) {
	for _, file := range append([]string{remote.Input}, remote.Files...) {
		if file != "" {
			_ = s.svc.models.Batches.Delete(ctx, file)
		}
	}
}

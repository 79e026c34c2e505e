package enrich

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run"
)

// cancelledText is the message of a line that has no answer in a cancelled batch.
const cancelledText = "the batch was cancelled"

// withdraw ends a cancelled batch that the service does not have. If an earlier step may have sent the batch,
// withdraw first searches for it at the service. If the service has it, the next step stops it there.
func (t *batchStep) withdraw(ctx context.Context, b *Batch) (run.Next, error) {
	if err := t.lease(ctx, b, b.State); err != nil {
		return run.Next{}, err
	}
	if !b.SentAt.IsZero() {
		if found, err := t.resume(ctx, b); err != nil || found {
			return run.Next{}, err
		}
		t.remove(ctx, b)
	}
	return t.svc.finish(ctx, b)
}

// stop asks the service to cancel a batch. The batch is collected when the service has finished it, like any other.
// The service may refuse, because it has already finished the batch, or because it cannot cancel batches. Then it is
// not asked again, and its answers are used.
func (t *batchStep) stop(ctx context.Context, b *Batch) error {
	remote, err := t.svc.models.Batches.Cancel(ctx, b.Remote)
	switch fault.KindOf(err) {
	case "":
		b.Status = remote.Status
	case fault.Invalid, fault.NotFound, fault.Blocked:
		b.Message = line("not cancelled: "+err.Error(), maxMessage)
	default:
		return err
	}
	b.CancelledAt = t.cancelled
	return nil
}

// release decides the outcome of those lines of a cancelled batch that are waiting, or that would be asked about
// again. It returns all lines in their new state.
func (s *Service) release(ctx context.Context, b *Batch, lines []Line) ([]Line, error) {
	var decided, left []Line
	for _, l := range lines {
		if l.Outcome == Waiting || l.Outcome == Again {
			left = append(left, l)
		} else {
			decided = append(decided, l)
		}
	}
	err := s.decideLines(ctx, b, left, func(l *Line) error { return s.releaseOne(ctx, b, l) })
	return append(decided, left...), err
}

// releaseOne releases an entry from a cancelled batch. An entry that the batch has not claimed stays as it is.
func (s *Service) releaseOne(ctx context.Context, b *Batch, l *Line) error {
	l.Outcome, l.Message = Cancelled, cancelledText
	err := change(ctx, s.entries, b.Schema, l.Entry, func(e Entry) (Record, bool) {
		r := e.Tier1
		ours := r.Status == Pending && root(r.Batch) == root(b.ID)
		r.Status, r.Batch, r.Error, r.At = Failed, b.ID, cancelledText, s.now()
		return r, ours
	})
	return fault.Except(err, fault.NotFound) // the entry no longer exists
}

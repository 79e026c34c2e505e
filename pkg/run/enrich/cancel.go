package enrich

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run"
)

// cancelledText is why a line has no answer whose batch was cancelled.
const cancelledText = "the batch was cancelled"

// withdraw ends a cancelled batch that the service does not have. One that a step before perhaps began
// there is looked for first, and stopped by the next step.
func (t *turn) withdraw(ctx context.Context, b *Batch) (run.Next, error) {
	if err := t.lease(ctx, b, b.State); err != nil {
		return run.Next{}, err
	}
	if !b.SentAt.IsZero() {
		if found, err := t.resume(ctx, b); err != nil || found {
			return run.Next{}, err
		}
	}
	return t.svc.finish(ctx, b)
}

// stop asks the service to end a batch. It is collected once it is over, as any other. A service that
// refuses, because the batch is over or because it cannot, is not asked again; what it does answer is
// used then.
func (t *turn) stop(ctx context.Context, b *Batch) error {
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

// release gives the lines of a cancelled batch that wait, or would be asked again, their outcome, and
// gives all lines as they are then.
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

// releaseOne takes an entry out of a cancelled batch. One that was not claimed for it stays as it is.
func (s *Service) releaseOne(ctx context.Context, b *Batch, l *Line) error {
	l.Outcome, l.Message = Cancelled, cancelledText
	err := change(ctx, s.entries, b.Schema, l.Entry, func(e Entry) (Record, bool) {
		r := e.Tier1
		ours := r.Status == Pending && root(r.Batch) == root(b.ID)
		r.Status, r.Batch, r.Error, r.At = Failed, b.ID, cancelledText, s.now()
		return r, ours
	})
	if fault.Is(err, fault.NotFound) {
		return nil // the entry is gone
	}
	return err
}

package enrich

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// finish ends a batch whose lines are decided. The same transaction moves the lines that are to be asked about again
// into the next batch, because no step reads this batch afterwards. In a cancelled batch these lines are cancelled
// instead. If the batch is cancelled at this moment, the transaction fails, and a later step ends the batch once the
// lease has expired.
func (s *Service) finish(ctx context.Context, b *Batch) (end run.Next, err error) {
	runs := s.batches[b.Schema]
	a, etag, err := readActive(ctx, runs, b.ID)
	if fault.Is(err, fault.NotFound) {
		return end, run.ErrDone
	}
	if err != nil {
		return end, err
	}
	lines, err := s.Lines(ctx, b.Schema, b.ID)
	if err != nil {
		return end, err
	}
	if b.CancelledAt = a.CancelledAt; !a.CancelledAt.IsZero() {
		if lines, err = s.release(ctx, b, lines); err != nil {
			return end, err
		}
	}
	active := runs.InactiveOp(b.ID)
	active.Entity.ETag = etag
	end.Ops = []storage.Op{active}
	again, now := b.count(lines), s.now()
	b.Next = ""
	if len(again) > 0 {
		b.Next = b.next()
		next := Batch{
			ID: b.Next, V: 1, Schema: b.Schema, State: Queued, Attempt: b.Attempt + 1, Model: b.Model, Lines: len(again),
			CreatedAt: now, NotBefore: b.NotBefore,
		}
		end.Ops = append(end.Ops, runs.Op(&next), runs.ActiveOp(next.ID))
		err = s.writeNew(ctx, &next, again)
	}
	b.State, b.EndedAt, b.Lease, b.NotBefore = Done, now, time.Time{}, time.Time{}
	return end, err
}

// count adds up the outcomes of lines, and returns the entries to ask about again.
func (b *Batch) count(lines []Line) (again []string) {
	b.Lines, b.Enriched, b.Skipped, b.Failed, b.Cancelled, b.Again, b.Usage = len(lines), 0, 0, 0, 0, 0, llm.Usage{}
	for _, l := range lines {
		b.Usage = b.Usage.Add(l.Usage)
		switch l.Outcome {
		case Written:
			b.Enriched++
		case Skipped:
			b.Skipped++
		case Fruitless:
			b.Failed++
		case Cancelled:
			b.Cancelled++
		default:
			again = append(again, l.Entry)
		}
	}
	b.Again = len(again)
	return again
}

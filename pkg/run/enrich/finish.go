package enrich

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/storage"
)

// finish ends a batch whose lines are decided. What is to be asked again goes into the next one by the
// same transaction, for after this nobody looks at it any more; in a cancelled batch it is cancelled. A
// batch that is cancelled in this moment is a Conflict, and ends when the lease is over.
func (s stepper) finish(ctx context.Context, b *Batch) error {
	t := s.svc.tables[b.Schema]
	a, err := readActive(ctx, t, b.ID)
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Conflict, "somebody else has ended it")
	}
	if err != nil {
		return err
	}
	lines, err := s.svc.Lines(ctx, b.Schema, b.ID)
	if err != nil {
		return err
	}
	if b.CancelledAt = a.cancelledAt; !a.cancelledAt.IsZero() {
		if lines, err = s.release(ctx, b, lines); err != nil {
			return err
		}
	}
	again, now := b.count(lines), s.svc.o.Clock().UTC()
	var next []storage.Op
	b.Next = ""
	if len(again) > 0 {
		b.Next = b.next()
		if next, err = s.svc.prepare(ctx, Batch{
			ID: b.Next, Schema: b.Schema, State: Queued, Attempt: b.Attempt + 1, Model: b.Model, Lines: len(again),
			CreatedAt: now, NotBefore: b.NotBefore,
		}, again); err != nil {
			return err
		}
	}
	ended := *b
	ended.State, ended.EndedAt, ended.lease, ended.NotBefore = Done, now, time.Time{}, time.Time{}
	tags, err := t.Transact(ctx, append([]storage.Op{
		{Kind: storage.Replace, Entity: ended.entity()},
		{Kind: storage.Delete, Entity: storage.Entity{Key: activeKey(b.ID), ETag: a.etag}},
	}, next...)...)
	if err == nil {
		*b = ended
		b.etag = tags[0]
	}
	return err
}

// count adds up the lines, and gives the entries of those that are to be asked again.
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

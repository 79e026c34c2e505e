package enrich

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Outcome is the result of a line.
type Outcome string

// The outcomes of lines. Only lines with the outcome Waiting are still open.
const (
	Waiting   Outcome = "waiting"
	Written   Outcome = "enriched"
	Skipped   Outcome = "skipped" // nothing to do: the entry is enriched, in another batch, or deleted
	Fruitless Outcome = "failed"
	Cancelled Outcome = "cancelled" // the batch was cancelled before there was an answer
	Again     Outcome = "again"     // the line was moved to the next batch
)

// Line is one entry of a batch.
type Line struct {
	No      int
	Entry   string    `col:"entry"`
	Outcome Outcome   `col:"outcome"`
	Message string    `col:"message"` // the reason for the outcome; empty for Waiting and Written
	Usage   llm.Usage `col:",inline"`
}

var lineRows = row.Of[Line]()

// writeLines writes lines, a hundred in a transaction. Only the holder of the lease calls it. If there were a second
// holder, it would write the same values.
func (s *Service) writeLines(ctx context.Context, b *Batch, lines []Line) error {
	var ops []storage.Op
	for _, l := range lines {
		ops = append(ops, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key: storage.Key{Partition: b.ID, Row: fmt.Sprintf("%05d", l.No)}, Props: lineRows.Encode(&l),
		}})
	}
	return storage.TransactAll(ctx, s.batches[b.Schema].Table, ops)
}

// writeNew writes the lines of a batch before its row, so that every batch has its lines.
func (s *Service) writeNew(ctx context.Context, b *Batch, ids []string) error {
	var lines []Line
	for i, id := range ids {
		lines = append(lines, Line{No: i, Entry: id, Outcome: Waiting})
	}
	return s.writeLines(ctx, b, lines)
}

// Lines reads the lines of a batch in order.
func (s *Service) Lines(ctx context.Context, schema, batch string) (lines []Line, err error) {
	runs, err := s.in(schema)
	if err != nil {
		return nil, err
	}
	for e, err := range runs.Table.Query(ctx, storage.Query{Partition: batch}) {
		if err != nil {
			return nil, err
		}
		l, _ := lineRows.Decode(e.Props) // a row without columns can be decoded, too
		l.No, _ = strconv.Atoi(e.Row)
		lines = append(lines, l)
	}
	return lines, nil
}

// lineID returns the id of a line at the service. It consists of the batch, a number, and the digest of the question.
// It has at most 29 + 1 + 5 + 1 + 20 of the 64 bytes that are allowed.
func lineID(batch string, no int, digest string) string {
	return fmt.Sprintf("%s_%05d_%s", batch, no, digest)
}

// splitLineID parses the id of a line, and reports whether the line belongs to the given batch.
func splitLineID(batch, id string) (no int, digest string, ours bool) {
	rest, ours := strings.CutPrefix(id, batch+"_")
	number, digest, found := strings.Cut(rest, "_")
	no, err := strconv.Atoi(number)
	return no, digest, ours && found && err == nil && len(digest) == 2*digestBytes && id == lineID(batch, no, digest)
}

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

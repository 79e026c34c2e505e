package enrich

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/llm"
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

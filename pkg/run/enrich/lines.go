package enrich

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Outcome is what became of a line.
type Outcome string

// The outcomes of lines. Only Waiting ones are worked on.
const (
	Waiting   Outcome = "waiting"
	Written   Outcome = "enriched"
	Skipped   Outcome = "skipped" // nothing to do: enriched already, in another batch, or gone
	Fruitless Outcome = "failed"
	Cancelled Outcome = "cancelled" // without an answer, with its batch
	Again     Outcome = "again"     // in the next batch
)

// Line is an entry in a batch.
type Line struct {
	No      int
	Entry   string
	Outcome Outcome
	Message string // why, unless it is Waiting or Written
	Usage   llm.Usage
}

func (l *Line) entity(batch string) storage.Entity {
	return storage.Entity{Key: storage.Key{Partition: batch, Row: fmt.Sprintf("%05d", l.No)}, Props: storage.Properties{
		"entry": l.Entry, "outcome": string(l.Outcome), "message": l.Message,
		"tokensIn": int64(l.Usage.In), "tokensOut": int64(l.Usage.Out), "cost": l.Usage.Cost,
	}}
}

// writeLines writes lines, a hundred to a transaction. Only the holder of the lease writes them, and
// only to what any other would write.
func writeLines(ctx context.Context, t storage.Table, batch string, lines []Line) error {
	for chunk := range slices.Chunk(lines, storage.MaxOps) {
		var ops []storage.Op
		for _, l := range chunk {
			ops = append(ops, storage.Op{Kind: storage.Upsert, Entity: l.entity(batch)})
		}
		if _, err := t.Transact(ctx, ops...); err != nil {
			return err
		}
	}
	return nil
}

// Lines reads the lines of a batch in their order.
func (s *Service) Lines(ctx context.Context, schema, batch string) ([]Line, error) {
	t, err := s.table(schema)
	if err != nil {
		return nil, err
	}
	var lines []Line
	for e, err := range t.Query(ctx, storage.Query{Partition: batch}) {
		if err != nil {
			return nil, err
		}
		p := props(e.Props)
		no, _ := strconv.Atoi(e.Row)
		lines = append(lines, Line{
			No: no, Entry: p.text("entry"), Outcome: Outcome(p.text("outcome")), Message: p.text("message"),
			Usage: llm.Usage{In: p.number("tokensIn"), Out: p.number("tokensOut"), Cost: p.float("cost")},
		})
	}
	return lines, nil
}

// lineID is what a line is called at the service: batch, number, and digest of the question. It has at
// most 29 + 1 + 5 + 1 + 20 bytes of the 64 that there are.
func lineID(batch string, no int, digest string) string {
	return fmt.Sprintf("%s_%05d_%s", batch, no, digest)
}

// splitLineID reads the id of a line of that batch; false for any other.
func splitLineID(batch, id string) (no int, digest string, ours bool) {
	rest, ours := strings.CutPrefix(id, batch+"_")
	number, digest, found := strings.Cut(rest, "_")
	no, err := strconv.Atoi(number)
	return no, digest, ours && found && err == nil && len(digest) == 2*digestBytes && id == lineID(batch, no, digest)
}

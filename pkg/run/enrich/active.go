package enrich

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// active is the row that says that a batch is running, and whether it is to be cancelled. The batch's own row cannot
// hold the latter: a concurrent write there could lose the batch's id at the service. Here, the timer reads it at no
// extra cost.
type active struct {
	ID          string
	CancelledAt time.Time `col:"cancelledAt"` // zero if nobody did
}

var actives = row.Of[active]()

// readActive reads the row of one batch; NotFound if it does not go on.
func readActive(ctx context.Context, runs *run.Runs[Batch], id string) (a active, etag storage.ETag, err error) {
	a, etag, err = actives.Load(ctx, runs.Table, runs.Key(run.ActivePrefix+id))
	if err == nil && etag == "" {
		err = fault.New(fault.NotFound, "the batch %s does not go on", id)
	}
	return a, etag, err
}

// listActive lists the batches that go on, oldest first as far as their ids tell.
func listActive(ctx context.Context, runs *run.Runs[Batch]) (list []active, err error) {
	for e, err := range runs.Table.Query(ctx, runs.Prefix(run.ActivePrefix)) {
		if err != nil {
			return nil, err
		}
		a, _ := actives.Decode(e.Props) // no column must be readable
		a.ID = strings.TrimPrefix(e.Row, run.ActivePrefix)
		list = append(list, a)
	}
	slices.Reverse(list)
	return list, nil
}

// tellCancelled says of batches that go on whether their end was asked for. A list of batches that are
// all done costs nothing.
func tellCancelled(ctx context.Context, runs *run.Runs[Batch], list []Batch) error {
	if !slices.ContainsFunc(list, func(b Batch) bool { return b.State != Done }) {
		return nil
	}
	going, err := listActive(ctx, runs)
	for i, b := range list {
		for _, a := range going {
			if a.ID == b.ID {
				list[i].CancelledAt = a.CancelledAt
			}
		}
	}
	return err
}

// Cancel asks for the end of a batch, which [Service.Advance] brings about: what the service has
// answered by then is used, all else is cancelled. Asking again is asking once. Kinds: NotFound if the
// schema has none of that id; Conflict for a batch that is done.
func (s *Service) Cancel(ctx context.Context, schema, id string) (Batch, error) {
	b, err := s.Batch(ctx, schema, id)
	switch {
	case err != nil:
		return b, err
	case b.State == Done && b.Next != "":
		return b, fault.New(fault.Conflict, "the batch is done; what it left goes on in the batch %s, which can be cancelled",
			b.Next)
	case b.State == Done:
		return b, fault.New(fault.Conflict, "the batch is done already")
	case !b.CancelledAt.IsZero():
		return b, nil
	}
	runs := s.batches[schema]
	a, etag, err := readActive(ctx, runs, id)
	if err == nil {
		b.CancelledAt = runs.Now()
		a.CancelledAt = b.CancelledAt
		_, err = runs.Table.Transact(ctx, actives.Put(runs.Key(run.ActivePrefix+id), etag, &a))
	}
	if fault.Lost(err) {
		return s.Cancel(ctx, schema, id) // it has ended or been cancelled meanwhile, so this is the last time
	}
	return b, err
}

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

// active is the row of an active batch; it also records whether the batch is to be cancelled. The row of the batch
// itself cannot record this: a concurrent write of that row could lose the id that the service has given to the
// batch. The timer reads the row of type active at no extra cost.
type active struct {
	ID          string
	CancelledAt time.Time `col:"cancelledAt"` // zero if nobody has cancelled the batch
}

var actives = row.Of[active]()

// readActive reads the row of one active batch. Errors: NotFound when the batch is not active.
func readActive(ctx context.Context, runs *run.Runs[Batch], id string) (a active, etag storage.ETag, err error) {
	a, etag, err = actives.Load(ctx, runs.Table, runs.Key(run.ActivePrefix+id))
	if err == nil && etag == "" {
		err = fault.New(fault.NotFound, "the batch %s does not go on", id)
	}
	return a, etag, err
}

// listActive lists the active batches by the times in their ids, oldest first.
func listActive(ctx context.Context, runs *run.Runs[Batch]) (list []active, err error) {
	for e, err := range runs.Table.Query(ctx, runs.Prefix(run.ActivePrefix)) {
		if err != nil {
			return nil, err
		}
		a, _ := actives.Decode(e.Props) // a row without columns can be decoded, too
		a.ID = strings.TrimPrefix(e.Row, run.ActivePrefix)
		list = append(list, a)
	}
	slices.Reverse(list)
	return list, nil
}

// addCancelled sets the time of cancellation of those batches in the list that are active. If all batches in the list
// are done, it costs nothing.
func addCancelled(ctx context.Context, runs *run.Runs[Batch], list []Batch) error {
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

// Cancel requests the cancellation of a batch. [Service.Advance] carries it out: answers that the service has given
// by then are used, and everything else is cancelled. Repeated requests have no further effect. Errors: NotFound when
// the schema has no batch with that id; Conflict for a batch that is done.
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
		return s.Cancel(ctx, schema, id) // the batch has ended or was cancelled, so this second call is the last
	}
	return b, err
}

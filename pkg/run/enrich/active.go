package enrich

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	activePrefix = "active|"
	afterActive  = "active}"
)

// active is the row that says that a batch goes on, and whether its end was asked for. That is said here
// and not in the batch's own row, whose writer would lose the batch's id at the service to whoever came
// between; and here the timer reads it for nothing.
type active struct {
	id          string
	cancelledAt time.Time // zero if nobody did
	etag        storage.ETag
}

func activeKey(id string) storage.Key { return rowKey(activePrefix + id) }

func activeOf(e storage.Entity) active {
	return active{strings.TrimPrefix(e.Row, activePrefix), props(e.Props).time("cancelledAt"), e.ETag}
}

// readActive reads the row of one batch; NotFound if it does not go on.
func readActive(ctx context.Context, t storage.Table, id string) (active, error) {
	e, err := t.Get(ctx, activeKey(id))
	return activeOf(e), err
}

// listActive lists the batches that go on, oldest first as far as their ids tell.
func listActive(ctx context.Context, t storage.Table) (list []active, err error) {
	for e, err := range t.Query(ctx, storage.Query{Partition: partition, RowFrom: activePrefix, RowTo: afterActive}) {
		if err != nil {
			return nil, err
		}
		list = append(list, activeOf(e))
	}
	slices.Reverse(list)
	return list, nil
}

// goesOn reports whether a batch, or another attempt of it, is among the active ones.
func goesOn(going []active, id string) bool {
	return slices.ContainsFunc(going, func(a active) bool { return root(a.id) == root(id) })
}

// tellCancelled says of batches that go on whether their end was asked for. A list of batches that are
// all done costs nothing.
func (s *Service) tellCancelled(ctx context.Context, t storage.Table, list []Batch) error {
	if !slices.ContainsFunc(list, func(b Batch) bool { return b.State != Done }) {
		return nil
	}
	going, err := listActive(ctx, t)
	for i, b := range list {
		for _, a := range going {
			if a.id == b.ID {
				list[i].CancelledAt = a.cancelledAt
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
	t := s.tables[schema]
	a, err := readActive(ctx, t, id)
	if err == nil {
		b.CancelledAt = s.o.Clock().UTC()
		_, err = t.Transact(ctx, storage.Op{Kind: storage.Replace, Entity: storage.Entity{
			Key: activeKey(id), ETag: a.etag, Props: storage.Properties{"cancelledAt": storage.FormatTime(b.CancelledAt)},
		}})
	}
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return s.Cancel(ctx, schema, id) // it has ended or been cancelled meanwhile, so this is the last time
	}
	return b, err
}

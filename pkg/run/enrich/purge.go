package enrich

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// KeepDone is how long batches that are done are kept, with their lines. What they gave is in the entries.
const KeepDone = 30 * 24 * time.Hour

// purgePortion bounds the batches of a schema that one call removes.
const purgePortion = 20

// Purge removes batches that have been done for [KeepDone], 20 of each schema at a time. So that looking
// costs next to nothing, a call does it only in the first two minutes of an hour; every other does
// nothing. What one leaves undone, the next does.
func (s *Service) Purge(ctx context.Context) (removed int, err error) {
	now := s.o.Clock().UTC()
	if now.Minute() >= 2 {
		return 0, nil
	}
	for _, schema := range s.o.Schemas {
		old, listed := s.old(ctx, schema, now)
		err = errors.Join(err, listed)
		for _, b := range old {
			failed := s.remove(ctx, &b)
			if failed == nil {
				removed++
			} else if !fault.Is(failed, fault.NotFound) && !fault.Is(failed, fault.Conflict) { // somebody else is at it
				err = errors.Join(err, failed)
			}
		}
	}
	return removed, err
}

// old lists batches that have been kept for long enough: their ids tell when they were made, their rows
// when they ended.
func (s *Service) old(ctx context.Context, schema string, now time.Time) (list []Batch, err error) {
	before := now.Add(-KeepDone)
	q := storage.Query{Partition: partition, RowFrom: newID(before, ""), RowTo: afterIDs}
	for e, err := range s.tables[schema].Query(ctx, q) {
		if err != nil {
			return list, err
		}
		if b := batchOf(e); b.State == Done && b.EndedAt.Before(before) {
			list = append(list, b)
		}
		if len(list) == purgePortion {
			break
		}
	}
	return list, nil
}

// remove removes a batch. Its row comes last, so that lines whose removal was cut short are found again;
// those of a next batch that was cancelled before it became one (see [Service.finish]) go with it.
func (s *Service) remove(ctx context.Context, b *Batch) error {
	t := s.tables[b.Schema]
	partitions := []string{b.ID}
	if b.Cancelled > 0 && b.Next == "" {
		partitions = append(partitions, b.next())
	}
	for _, p := range partitions {
		if err := removeLines(ctx, t, p); err != nil {
			return err
		}
	}
	_, err := t.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: rowKey(b.ID), ETag: b.etag}})
	return err
}

func removeLines(ctx context.Context, t storage.Table, batch string) error {
	var ops []storage.Op
	for e, err := range t.Query(ctx, storage.Query{Partition: batch, Select: []string{"outcome"}}) {
		if err != nil {
			return err
		}
		ops = append(ops, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: e.Key, ETag: e.ETag}})
	}
	for chunk := range slices.Chunk(ops, storage.MaxOps) {
		if _, err := t.Transact(ctx, chunk...); err != nil {
			return err
		}
	}
	return nil
}

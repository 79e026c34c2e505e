package enrich

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// KeepDone is how long finished batches and their lines are kept. Their results are in the entries.
const KeepDone = 30 * 24 * time.Hour

// purgePortion limits the number of batches of a schema that one call removes.
const purgePortion = 20

// Purge removes batches that have been done for [KeepDone], up to 20 of each schema per call. Each call continues
// where the last one stopped. To keep the search cheap, Purge works only in the first two minutes of an hour; at
// other times it returns at once.
func (s *Service) Purge(ctx context.Context) (removed int, err error) {
	now := s.now()
	if now.Minute() >= 2 {
		return 0, nil
	}
	before := now.Add(-KeepDone)
	for _, schema := range s.o.Schemas {
		runs := s.batches[schema]
		q := runs.Prefix(idPrefix)
		q.RowFrom = newID(before, "") // ids have the time of creation, rows the time of the end
		n, failed := runs.Retire(ctx, q, purgePortion,
			func(b *Batch) bool { return b.State == Done && b.EndedAt.Before(before) }, s.remove)
		removed, err = removed+n, errors.Join(err, failed)
	}
	return removed, err
}

// remove removes a batch. It removes the row last, so that a batch whose removal was interrupted is found again. It
// also removes the lines of a next batch, if that batch was cancelled before its row was written (see
// [Service.finish]).
func (s *Service) remove(ctx context.Context, b *Batch) error {
	runs, partitions := s.batches[b.Schema], []string{b.ID}
	if b.Cancelled > 0 && b.Next == "" {
		partitions = append(partitions, b.next())
	}
	for _, p := range partitions {
		if err := run.Drop(ctx, runs.Table, storage.Query{Partition: p, Select: []string{"outcome"}}); err != nil {
			return err
		}
	}
	_, err := runs.Table.Transact(ctx, storage.DeleteOp(runs.Key(b.ID), b.etag))
	return err
}

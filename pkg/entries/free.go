package entries

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Free ends the claims of all outbox entries and news. Callers must know that no other process works on the store. A
// claim that changes meanwhile is kept. Free creates tables that are missing.
func Free(ctx context.Context, store storage.Store) error {
	for _, name := range Tables() {
		if err := store.Table(name).Create(ctx); err != nil {
			return err
		}
	}
	s := New(store, Options{}).In(Production)
	partitions, err := s.policies.partitions(ctx)
	if err != nil {
		return err
	}
	for _, partition := range partitions {
		if err := s.outbox.free(ctx, partition); err != nil {
			return err
		}
	}
	return nil
}

// free ends the claims in a partition.
func (o outbox) free(ctx context.Context, partition string) error {
	q := storage.Query{Partition: partition, RowFrom: newsPrefix, RowTo: outboxEnd, Select: []string{"until"}}
	for e, err := range o.rows.Query(ctx, q) {
		if err != nil {
			return err
		}
		c := outboxEntryOf(e)
		if c.until.IsZero() {
			continue
		}
		c.until = time.Time{}
		if _, err := o.rows.Transact(ctx, c.op(storage.Merge)); err != nil && !fault.Lost(err) {
			return err
		}
	}
	return nil
}

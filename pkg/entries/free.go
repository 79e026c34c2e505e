package entries

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Free ends the claims of outbox entries and of news, whoever has them. Callers must know that no other process works
// on the store. A claim that changes meanwhile is kept.
func Free(ctx context.Context, store storage.Store) error {
	s := New(store, Options{}).In(Production)
	partitions, err := s.policies.partitions(ctx)
	for _, partition := range partitions {
		if err == nil {
			err = s.outbox.free(ctx, partition)
		}
	}
	if fault.Is(err, fault.NotFound) { // the store is new
		return nil
	}
	return err
}

// free ends the claims in a partition.
func (o outbox) free(ctx context.Context, partition string) error {
	q := storage.Query{Partition: partition, RowFrom: newsPrefix, RowTo: "x}", Select: []string{"until"}}
	for e, err := range o.rows.Query(ctx, q) {
		if err != nil {
			return err
		}
		if until, _ := e.Props["until"].(string); !storage.ParseTime(until).After(o.now()) {
			continue
		}
		_, err := o.rows.Transact(ctx, storage.Op{Kind: storage.Merge, Entity: storage.Entity{Key: e.Key, ETag: e.ETag,
			Props: storage.Properties{"until": storage.FormatTime(o.now())}}})
		if err != nil && !fault.Lost(err) {
			return err
		}
	}
	return nil
}

package notify

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Free ends the claims of all deliveries. Callers must know that no other process works on the store. A delivery that
// changes meanwhile keeps its claim. Free creates the table if it is missing.
func Free(ctx context.Context, store storage.Store) error {
	rows := store.Table(Table)
	if err := rows.Create(ctx); err != nil {
		return err
	}
	for e, err := range rows.Query(ctx, storage.Query{Partition: partition, RowFrom: waitingAs, RowTo: waitingAs + "~"}) {
		if err != nil {
			return err
		}
		d, err := deliveryRows.Decode(e.Props)
		if err != nil || d.Claimed.IsZero() {
			continue // a delivery that cannot be read is not sent either
		}
		d.Claimed = time.Time{}
		op := deliveryRows.Put(e.Key, e.ETag, &d)
		if _, err := rows.Transact(ctx, op); err != nil && !fault.Lost(err) {
			return err
		}
	}
	return nil
}

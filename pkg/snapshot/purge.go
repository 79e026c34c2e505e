package snapshot

import (
	"context"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Purge removes everything that is kept of an item: its captures, its edges, the rows that look
// its captures up, and the blobs that no other item has. Edges of other items that name its
// captures stay. Nobody may capture the item meanwhile. After an error it has to be called again,
// and goes on where it was.
func (s *Store) Purge(ctx context.Context, id source.ID) (err error) {
	defer fault.Wrap(&err, "purge snapshots of %s", id)
	captures, err := s.List(ctx, id)
	if err != nil {
		return err
	}
	// First, for if the item is captured again before this was done, it must not be said to have
	// what has gone.
	if err := s.clear(ctx, id); err != nil {
		return err
	}
	for _, c := range captures {
		if err := s.forget(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// forget removes a capture and what finds it.
func (s *Store) forget(ctx context.Context, c Capture) error {
	for _, key := range []storage.Key{contentKey(c), uriKey(c)} {
		if err := s.unpoint(ctx, key, c.lineage().ID); err != nil {
			return err
		}
	}
	return s.drop(ctx, c)
}

// drop removes a capture. Its row goes last, because it is what tells that there is something left
// to do.
func (s *Store) drop(ctx context.Context, c Capture) error {
	if err := s.release(ctx, c.ItemID, c.RawHash); err != nil {
		return err
	}
	_, err := s.captures.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{
		Key: captureKey(c.ItemID, c.RawHash), ETag: storage.AnyETag,
	}})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// clear removes what is in an item's partition beside captures, but not the look-up rows that name captures of
// others.
func (s *Store) clear(ctx context.Context, id source.ID) error {
	var ops []storage.Op
	for e, err := range s.captures.Query(ctx, storage.Query{Partition: string(id), RowFrom: edgeRows}) {
		if err != nil {
			return err
		}
		if item, _ := lineage.CaptureID(text(e, "capture")).Split(); item != "" && item != string(id) && e.Row != tipRow {
			continue
		}
		ops = append(ops, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: e.Key, ETag: storage.AnyETag}})
	}
	return s.deleteAll(ctx, ops)
}

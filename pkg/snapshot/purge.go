package snapshot

import (
	"context"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Purge removes everything that is kept of an item: its captures, and the blobs that no other item
// has. Nobody may capture the item meanwhile. After an error it has to be called again, and goes on
// where it was.
func (s *Store) Purge(ctx context.Context, id source.ID) (err error) {
	defer fault.Wrap(&err, "purge snapshots of %s", id)
	captures, err := s.List(ctx, id)
	if err != nil {
		return err
	}
	for _, c := range captures {
		if err := s.drop(ctx, c); err != nil {
			return err
		}
	}
	return nil
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

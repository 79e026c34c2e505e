package snapshot

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Purge removes everything that is kept of an item: its captures, its edges, their look-up rows, and the blobs that
// no other item needs. Edges of other items stay, even if they refer to captures of this item. Meanwhile no process
// may capture the item. After an error, callers must repeat the call, which continues where it stopped.
func (s *Store) Purge(ctx context.Context, id source.ID) (err error) {
	defer fault.Wrap(&err, "purge snapshots of %s", id)
	captures, err := s.List(ctx, id)
	if err != nil {
		return err
	}
	// The tip and edges must be removed first. If the item is captured again before the purge is done, it must not
	// appear to have the captures that were removed.
	if err := s.clear(ctx, id); err != nil {
		return err
	}
	for _, body := range byBody(captures) {
		if err := s.forget(ctx, body); err != nil {
			return err
		}
	}
	return nil
}

// forget removes the captures of one body and their look-up rows.
func (s *Store) forget(ctx context.Context, body []Capture) error {
	for _, c := range body {
		for _, key := range []storage.Key{contentKey(c), uriKey(c)} {
			if err := s.captures.unpoint(ctx, key, c.lineage().ID); err != nil {
				return err
			}
		}
	}
	return s.drop(ctx, body, nil)
}

// drop removes the captures of one body. The row of the first capture is removed last, because it shows that there is
// work left. What captures of the item that are left refer to stays.
func (s *Store) drop(ctx context.Context, body []Capture, left [][]Capture) error {
	for _, c := range body[1:] {
		if err := s.captures.delete(ctx, readingKey(c.ItemID, c.RawHash, c.NormalizationVersion)); err != nil {
			return err
		}
	}
	c := body[0]
	for _, hash := range c.bodies() {
		if slices.ContainsFunc(left, func(o []Capture) bool { return slices.Contains(o[0].bodies(), hash) }) {
			continue
		}
		if err := s.bodies.release(ctx, c.ItemID, hash); err != nil {
			return err
		}
	}
	return s.captures.delete(ctx, captureKey(c.ItemID, c.RawHash))
}

// bodies returns the hashes of the bodies that a capture refers to.
func (c Capture) bodies() []string {
	if c.PlainHash == "" {
		return []string{c.RawHash}
	}
	return []string{c.RawHash, c.PlainHash}
}

func (t captures) delete(ctx context.Context, key storage.Key) error {
	return storage.DeleteRow(ctx, t, key)
}

// clear removes the rows of an item's partition that are not captures. It keeps the look-up rows that refer to
// captures of other items.
func (s *Store) clear(ctx context.Context, id source.ID) error {
	var ops []storage.Op
	for e, err := range s.captures.Query(ctx, storage.Query{Partition: string(id), RowFrom: changeRows}) {
		if err != nil {
			return err
		}
		if item, _ := pointed(e).ID.Split(); item != "" && item != string(id) && e.Row != tipRow {
			continue
		}
		ops = append(ops, storage.DeleteOp(e.Key, storage.AnyETag))
	}
	return storage.TransactAll(ctx, s.captures, ops)
}

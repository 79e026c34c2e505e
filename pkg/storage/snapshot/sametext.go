package snapshot

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// SaveSame stores a body with other bytes than the item's present capture, but with the same text: c.SameTextAs is the
// hash of that capture's body. The new capture supersedes nothing, and neither the tip nor a look-up refers to it. The
// item's newest captures of the text are kept, as many as most says, beside the first; before is the capture that the
// source answered with until now. After an error, callers must repeat SaveSame, with the same body or a newer one.
func (s *Store) SaveSame(ctx context.Context, c Capture, body []byte, before Had, most int) (err error) {
	defer fault.Wrap(&err, "snapshot of %s", c.ItemID)
	first, _, err := s.captures.find(ctx, c.ItemID, c.RawHash, "")
	if err != nil {
		return err
	}
	if first.ItemID == "" {
		if err := s.bodies.save(ctx, c, body); err != nil {
			return err
		}
		c.LastVerifiedAt = c.CapturedAt
		_, err := s.captures.Transact(ctx, captureRow.Put(captureKey(c.ItemID, c.RawHash), "", &c))
		if err != nil {
			return err
		}
	} else if err := s.Verify(ctx, c.ItemID, Had{RawHash: c.RawHash, Verified: c.CapturedAt}); err != nil {
		return err
	}
	if err := s.Verify(ctx, c.ItemID, before); err != nil {
		return err
	}
	return s.dropSame(ctx, c, most)
}

// Verify records when an item's source last answered with a body. It does nothing if the item has no such capture, or
// if the time is zero.
func (s *Store) Verify(ctx context.Context, id source.ID, had Had) error {
	if had.RawHash == "" || had.Verified.IsZero() {
		return nil
	}
	_, err := s.captures.Transact(ctx, verified(captureKey(id, had.RawHash), had.Verified))
	return absent(err)
}

// dropSame removes the oldest captures of a text, except the first of the text and the given one.
func (s *Store) dropSame(ctx context.Context, c Capture, most int) error {
	captures, err := s.List(ctx, c.ItemID)
	if err != nil {
		return err
	}
	var same [][]Capture
	for _, body := range byBody(captures) {
		if body[0].SameTextAs == c.SameTextAs && body[0].RawHash != c.RawHash {
			same = append(same, body)
		}
	}
	slices.SortFunc(same, func(a, b []Capture) int { return b[0].CapturedAt.Compare(a[0].CapturedAt) })
	for i := most - 1; i < len(same); i++ {
		if err := s.drop(ctx, same[i]); err != nil {
			return err
		}
	}
	return nil
}

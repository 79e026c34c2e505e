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
// source answered with until now, which stays. After an error, callers must repeat SaveSame, with the same body or a
// newer one. Errors: Invalid without SameTextAs.
func (s *Store) SaveSame(ctx context.Context, c Capture, body []byte, before Had, most int) (err error) {
	defer fault.Wrap(&err, "snapshot of %s", c.ItemID)
	if c.SameTextAs == "" {
		return fault.New(fault.Invalid, "the capture names no other with its text")
	}
	// The body is written even if there is a capture, whose removal may have been interrupted.
	if err := s.bodies.save(ctx, c, body); err != nil {
		return err
	}
	if err := s.insertSame(ctx, c); err != nil {
		return err
	}
	if err := s.Verify(ctx, c.ItemID, before); err != nil {
		return err
	}
	return s.dropSame(ctx, c, before.RawHash, most)
}

// insertSame writes the row of a capture or, if there is one, the time of this answer and the text that it has now.
func (s *Store) insertSame(ctx context.Context, c Capture) error {
	key := captureKey(c.ItemID, c.RawHash)
	first, _, err := s.captures.find(ctx, c.ItemID, c.RawHash, "")
	if err != nil {
		return err
	}
	if first.ItemID == "" {
		c.LastVerifiedAt = c.CapturedAt
		_, err = s.captures.Transact(ctx, captureRow.Put(key, "", &c))
		return err
	}
	seen := verified(key, c.CapturedAt)
	if first.SameTextAs != "" {
		seen.Entity.Props["sameTextAs"] = c.SameTextAs
	}
	_, err = s.captures.Transact(ctx, seen)
	return absent(err)
}

// Verify records when an item's source last answered with a body. It does nothing if the item has no such capture, if
// the time is zero, or if a later time is known.
func (s *Store) Verify(ctx context.Context, id source.ID, had Had) error {
	if had.RawHash == "" || had.Verified.IsZero() {
		return nil
	}
	key := captureKey(id, had.RawHash)
	e, err := s.captures.Get(ctx, key)
	if err != nil || !captureOf(e).LastVerifiedAt.Before(had.Verified) {
		return absent(err)
	}
	op := verified(key, had.Verified)
	op.Entity.ETag = e.ETag
	if _, err = s.captures.Transact(ctx, op); fault.Lost(err) {
		return nil // another process knows better
	}
	return absent(err)
}

// dropSame removes the oldest captures of a text, except the first of the text, the given capture, and the one that
// the item's row names as served.
func (s *Store) dropSame(ctx context.Context, c Capture, served string, most int) error {
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
		// The item may have returned to the body since the list was read.
		e, err := s.captures.Get(ctx, captureKey(c.ItemID, same[i][0].RawHash))
		if err != nil && absent(err) != nil {
			return err
		}
		if same[i][0].RawHash == served || err == nil && captureOf(e).SameTextAs == "" {
			continue
		}
		if err := s.drop(ctx, same[i]); err != nil {
			return err
		}
	}
	return nil
}

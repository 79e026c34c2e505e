package snapshot

import (
	"cmp"
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// SaveSame stores a body with other bytes than the item's present capture, but with the same text: c.SameTextAs is the
// hash of that capture's body. The new capture supersedes nothing, and neither the tip nor a look-up refers to it. Of
// the item's captures of the text that declare the same values, the first is kept and as many of the newest as most
// says; before is the capture that the source answered with until now, which stays. SaveSame returns the summary of
// the captures that count for [Retention]. After an error, callers must repeat SaveSame, with the same body or a newer
// one. Errors: Invalid without SameTextAs.
func (s *Store) SaveSame(ctx context.Context, c Capture, body []byte, before Had, most int) (k Kept, err error) {
	defer fault.Wrap(&err, "snapshot of %s", c.ItemID)
	if c.SameTextAs == "" {
		return k, fault.New(fault.Invalid, "the capture names no other with its text")
	}
	// The body is written even if there is a capture, whose removal may have been interrupted.
	if err := s.saveBodies(ctx, c, body); err != nil {
		return k, err
	}
	if err := s.insertSame(ctx, c); err != nil {
		return k, err
	}
	if err := s.Verify(ctx, c.ItemID, before); err != nil {
		return k, err
	}
	captures, err := s.List(ctx, c.ItemID)
	if err != nil {
		return k, err
	}
	bodies := byBody(captures)
	firsts, same := firstOfTexts(bodies)
	slices.SortFunc(firsts, byAge)
	return keptOf(firsts, c.SameTextAs), s.dropSame(ctx, c, bodies, same, before.RawHash, most)
}

// sameText identifies the captures of an item that have the same text for retention: the same text, and the same
// declared values.
type sameText struct{ text, declared string }

func sameTextOf(c Capture) sameText { return sameText{cmp.Or(c.SameTextAs, c.RawHash), c.Declared} }

// firstsOf returns the hash of the body that was captured first with each text. It gets one capture of each body.
func firstsOf(captures []Capture) map[sameText]string {
	all := map[sameText]Capture{}
	for _, c := range captures {
		key := sameTextOf(c)
		have, found := all[key]
		earlier := cmp.Or(c.CapturedAt.Compare(have.CapturedAt), cmp.Compare(c.RawHash, have.RawHash)) < 0
		if !found || c.SameTextAs == "" || have.SameTextAs != "" && earlier {
			all[key] = c
		}
	}
	firsts := map[sameText]string{}
	for key, c := range all {
		firsts[key] = c.RawHash
	}
	return firsts
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

// Known reports whether another body of an item was captured that has the text and the declared values of c.
func (s *Store) Known(ctx context.Context, c Capture) (known bool, err error) {
	defer fault.Wrap(&err, "snapshot of %s", c.ItemID)
	first, _, err := s.captures.find(ctx, c.ItemID, c.SameTextAs, "")
	if err != nil || first.ItemID != "" && sameTextOf(first) == sameTextOf(c) {
		return err == nil, err
	}
	captures, err := s.List(ctx, c.ItemID)
	return slices.ContainsFunc(captures, func(o Capture) bool {
		return o.RawHash != c.RawHash && sameTextOf(o) == sameTextOf(c)
	}), err
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

// dropSame removes the oldest of the captures that came later with the text of a given one, except the given capture
// and the one that the item's row names as served.
func (s *Store) dropSame(
	ctx context.Context, c Capture, bodies [][]Capture, same []Capture, served string, most int,
) error {
	var left []Capture
	for _, o := range same {
		switch {
		case o.RawHash == c.RawHash:
			most-- // the given capture is one of the newest
		case sameTextOf(o) == sameTextOf(c):
			left = append(left, o)
		}
	}
	slices.SortFunc(left, byAge)
	for _, gone := range left[min(max(most, 0), len(left)):] {
		// The item may have returned to the body since the list was read.
		e, err := s.captures.Get(ctx, captureKey(c.ItemID, gone.RawHash))
		if err != nil && absent(err) != nil {
			return err
		}
		if gone.RawHash == served || err == nil && captureOf(e).SameTextAs == "" {
			continue
		}
		if bodies, err = s.dropBody(ctx, bodies, gone.RawHash); err != nil {
			return err
		}
	}
	return nil
}

// dropBody removes all captures of one of an item's bodies, and returns the other bodies in the same slice.
func (s *Store) dropBody(ctx context.Context, bodies [][]Capture, rawHash string) ([][]Capture, error) {
	at := slices.IndexFunc(bodies, func(body []Capture) bool { return body[0].RawHash == rawHash })
	body := bodies[at]
	left := slices.Delete(bodies, at, at+1)
	return left, s.drop(ctx, body, left)
}

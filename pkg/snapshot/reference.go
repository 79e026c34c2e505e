package snapshot

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Who deletes a blob has it alone until the lease ends, and gives up well before that.
const (
	burialLease = 30 * time.Second
	burialTime  = 20 * time.Second
)

// races bounds how often a lost race is run again. Each round has one winner, and few workers keep
// the same body at the same moment.
const races = 50

const blobRow = "blob"

func blobKey(rawHash string) storage.Key {
	return storage.Key{Partition: strings.TrimPrefix(rawHash, "sha256:"), Row: blobRow}
}

func referenceKey(id source.ID, rawHash string) storage.Key {
	return storage.Key{Partition: strings.TrimPrefix(rawHash, "sha256:"), Row: "ref|" + string(id)}
}

// lively is the row of a blob that may not be deleted.
func lively(rawHash string, tag storage.ETag) storage.Entity {
	return blobEntity(rawHash, tag, time.Time{})
}

func blobEntity(rawHash string, tag storage.ETag, dyingUntil time.Time) storage.Entity {
	return storage.Entity{Key: blobKey(rawHash), ETag: tag, Props: storage.Properties{"dyingUntil": storage.FormatTime(dyingUntil)}}
}

// hold makes sure that nobody deletes a blob while an item's captures need it. It comes before the
// blob is written. Throttled while somebody deletes it.
func (s *Store) hold(ctx context.Context, id source.ID, rawHash string) error {
	ref := storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: referenceKey(id, rawHash)}}
	for range races {
		_, err := s.refs.Transact(ctx, ref, storage.Op{Kind: storage.Insert, Entity: lively(rawHash, "")})
		if !fault.Is(err, fault.Conflict) || blames(err, 0) {
			return heldAlready(err)
		}
		blob, err := s.refs.Get(ctx, blobKey(rawHash))
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if wait := dyingUntil(blob).Sub(s.now()); wait > 0 {
			return fault.After(wait, "snapshot %s is being deleted", rawHash)
		}
		_, err = s.refs.Transact(ctx, ref, storage.Op{Kind: storage.Replace, Entity: lively(rawHash, blob.ETag)})
		if !lost(err) || blames(err, 0) {
			return heldAlready(err)
		}
	}
	return fault.New(fault.Unavailable, "too many keep the snapshot %s at once", rawHash)
}

// heldAlready turns the conflict over a reference that stands into success: while one stands, the
// blob is not deleted.
func heldAlready(err error) error {
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// release gives up an item's hold on a blob, and deletes the blob when nobody else holds it. It
// may be called again, and must be after an error.
func (s *Store) release(ctx context.Context, id source.ID, rawHash string) error {
	mine := storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: referenceKey(id, rawHash), ETag: storage.AnyETag}}
	for range races {
		h, err := s.holders(ctx, id, rawHash)
		if err != nil || h.blob.ETag == "" || h.others && !h.mine {
			return err // nobody knows of the blob any more, or it is the others' alone
		}
		if h.others {
			// The blob's row is written too, so that of the last two to leave one loses and looks again.
			_, err = s.refs.Transact(ctx, mine, storage.Op{Kind: storage.Replace, Entity: lively(rawHash, h.blob.ETag)})
		} else {
			err = s.bury(ctx, rawHash, h, mine)
		}
		if !lost(err) {
			return err
		}
	}
	return fault.New(fault.Unavailable, "too many give up the snapshot %s at once", rawHash)
}

// bury deletes a blob that nobody else holds. Its row says so first, in the transaction that takes the
// last hold away: from then on, until the lease ends, nobody can hold it.
func (s *Store) bury(ctx context.Context, rawHash string, h holders, mine storage.Op) error {
	ctx, cancel := context.WithTimeout(ctx, burialTime)
	defer cancel()
	ops := []storage.Op{{Kind: storage.Replace, Entity: blobEntity(rawHash, h.blob.ETag, s.now().Add(burialLease))}}
	if h.mine { // not so where a burial is taken up again
		ops = append(ops, mine)
	}
	tags, err := s.refs.Transact(ctx, ops...)
	if err != nil {
		return err
	}
	name, err := blobName(rawHash)
	if err != nil {
		return err
	}
	if err := s.blobs.Delete(ctx, name); err != nil {
		return err
	}
	_, err = s.refs.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: blobKey(rawHash), ETag: tags[0]}})
	if lost(err) {
		return nil // taken up by somebody else
	}
	return err
}

// holders is who holds a blob.
type holders struct {
	blob         storage.Entity // its row; no revision when there is none
	mine, others bool
}

// holders tells who holds a blob beside an item. It reads no more than it needs for that: a body
// may be that of very many items.
func (s *Store) holders(ctx context.Context, id source.ID, rawHash string) (h holders, err error) {
	_, err = s.refs.Get(ctx, referenceKey(id, rawHash))
	if h.mine = err == nil; err != nil && !fault.Is(err, fault.NotFound) {
		return h, err
	}
	mine := referenceKey(id, rawHash)
	for e, err := range s.refs.Query(ctx, storage.Query{Partition: mine.Partition, PageSize: 3}) {
		switch {
		case err != nil:
			return h, err
		case e.Row == blobRow: // the first
			h.blob = e
		case e.Row != mine.Row:
			h.others = true
			return h, nil
		}
	}
	return h, nil
}

func dyingUntil(blob storage.Entity) time.Time {
	until, _ := blob.Props["dyingUntil"].(string)
	return storage.ParseTime(until)
}

// lost reports whether somebody else wrote first.
func lost(err error) bool { return fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) }

// blames reports whether an error is that of one operation of a transaction.
func blames(err error, index int) bool {
	op, ok := errors.AsType[*storage.OpError](err)
	return ok && op.Index == index
}

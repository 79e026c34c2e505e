package snapshot

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
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
	return storage.Entity{Key: blobKey(rawHash), ETag: tag,
		Props: storage.Properties{"dyingUntil": storage.FormatTime(dyingUntil)}}
}

// bodies are the blobs, and the rows that say which items refer to them.
type bodies struct {
	refs  storage.Table
	blobs storage.Container
	now   func() time.Time // for leases only
}

// acquire makes sure that nobody deletes a blob while an item's captures need it. It comes before the
// blob is written. Throttled while somebody deletes it.
func (b bodies) acquire(ctx context.Context, id source.ID, rawHash string) error {
	ref := storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: referenceKey(id, rawHash)}}
	for range races {
		_, err := b.refs.Transact(ctx, ref, storage.Op{Kind: storage.Insert, Entity: lively(rawHash, "")})
		if !fault.Is(err, fault.Conflict) || blames(err, 0) {
			return referred(err)
		}
		blob, err := b.refs.Get(ctx, blobKey(rawHash))
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if wait := dyingUntil(blob).Sub(b.now()); wait > 0 {
			return fault.After(wait, "snapshot %s is being deleted", rawHash)
		}
		_, err = b.refs.Transact(ctx, ref, storage.Op{Kind: storage.Replace, Entity: lively(rawHash, blob.ETag)})
		if !fault.Lost(err) || blames(err, 0) {
			return referred(err)
		}
	}
	return fault.New(fault.Unavailable, "too many save the snapshot %s at once", rawHash)
}

// referred turns the conflict over an existing reference into success: while there is one, the blob is not
// deleted.
func referred(err error) error {
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// release removes an item's reference to a blob, and deletes the blob when no other item refers to it. It
// may be called again, and must be after an error.
func (b bodies) release(ctx context.Context, id source.ID, rawHash string) error {
	mine := storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: referenceKey(id, rawHash), ETag: storage.AnyETag}}
	for range races {
		refs, err := b.references(ctx, id, rawHash)
		if err != nil || refs.blob.ETag == "" || refs.others && !refs.mine {
			return err // nobody knows of the blob any more, or it is that of others alone
		}
		if refs.others {
			// The blob's row is written too, so that of the last two to leave one loses and looks again.
			_, err = b.refs.Transact(ctx, mine, storage.Op{Kind: storage.Replace, Entity: lively(rawHash, refs.blob.ETag)})
		} else {
			err = b.bury(ctx, rawHash, refs, mine)
		}
		if !fault.Lost(err) {
			return err
		}
	}
	return fault.New(fault.Unavailable, "too many give up the snapshot %s at once", rawHash)
}

// bury deletes a blob to which no other item refers. Its row says so first, in the transaction that removes the
// last reference: from then on, until the lease ends, nobody can acquire it.
func (b bodies) bury(ctx context.Context, rawHash string, refs references, mine storage.Op) error {
	ctx, cancel := context.WithTimeout(ctx, burialTime)
	defer cancel()
	ops := []storage.Op{{Kind: storage.Replace, Entity: blobEntity(rawHash, refs.blob.ETag, b.now().Add(burialLease))}}
	if refs.mine { // else a burial is taken up again
		ops = append(ops, mine)
	}
	tags, err := b.refs.Transact(ctx, ops...)
	if err != nil {
		return err
	}
	name, err := blobName(rawHash)
	if err != nil {
		return err
	}
	if err := b.blobs.Delete(ctx, name); err != nil {
		return err
	}
	_, err = b.refs.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: blobKey(rawHash),
		ETag: tags[0]}})
	if fault.Lost(err) {
		return nil // taken up by somebody else
	}
	return err
}

// references tell who refers to a blob.
type references struct {
	blob         storage.Entity // its row; no revision when there is none
	mine, others bool
}

// references tells who refers to a blob beside an item. It reads no more than it needs for that: a body
// may be that of very many items.
func (b bodies) references(ctx context.Context, id source.ID, rawHash string) (h references, err error) {
	_, err = b.refs.Get(ctx, referenceKey(id, rawHash))
	if h.mine = err == nil; err != nil && !fault.Is(err, fault.NotFound) {
		return h, err
	}
	mine := referenceKey(id, rawHash)
	for e, err := range b.refs.Query(ctx, storage.Query{Partition: mine.Partition, PageSize: 3}) {
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

// blames reports whether an error is that of one operation of a transaction.
func blames(err error, index int) bool {
	op, ok := errors.AsType[*storage.OpError](err)
	return ok && op.Index == index
}

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

// A process that deletes a blob has sole access to the blob until its lease ends. It gives up well before that time.
const (
	burialLease = 30 * time.Second
	burialTime  = 20 * time.Second
)

// races limits the number of tries if other processes keep winning. Each round has one winner, and few workers save
// the same body at the same moment.
const races = 50

const blobRow = "blob"

func blobKey(rawHash string) storage.Key {
	return storage.Key{Partition: strings.TrimPrefix(rawHash, "sha256:"), Row: blobRow}
}

func referenceKey(id source.ID, rawHash string) storage.Key {
	return storage.Key{Partition: strings.TrimPrefix(rawHash, "sha256:"), Row: "ref|" + string(id)}
}

// lively returns the row of a blob that is not being deleted.
func lively(rawHash string, tag storage.ETag) storage.Entity {
	return blobEntity(rawHash, tag, time.Time{})
}

func blobEntity(rawHash string, tag storage.ETag, dyingUntil time.Time) storage.Entity {
	return storage.Entity{Key: blobKey(rawHash), ETag: tag,
		Props: storage.Properties{"dyingUntil": storage.FormatTime(dyingUntil)}}
}

// bodies holds the blobs, and the rows that record which items refer to them.
type bodies struct {
	refs  storage.Table
	blobs storage.Container
	now   func() time.Time // only for leases
}

// acquire adds an item's reference to a blob, which prevents the blob's deletion. It must be called before the blob
// is written. Errors: Throttled while another process deletes the blob. The reference is deferred: a blob that is
// there has one, because the blob is written later.
func (b bodies) acquire(ctx context.Context, id source.ID, rawHash string) error {
	ctx = storage.Deferred(ctx)
	ref := storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: referenceKey(id, rawHash)}}
	for range races {
		_, err := b.refs.Transact(ctx, ref, storage.Op{Kind: storage.Insert, Entity: lively(rawHash, "")})
		if !fault.Is(err, fault.Conflict) || isOfOp(err, 0) {
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
		if !fault.Lost(err) || isOfOp(err, 0) {
			return referred(err)
		}
	}
	return fault.New(fault.Unavailable, "too many save the snapshot %s at once", rawHash)
}

// referred converts a conflict with an existing reference to success: while a reference exists, the blob is not
// deleted.
func referred(err error) error { return fault.Except(err, fault.Conflict) }

// release removes an item's reference to a blob, and deletes the blob if no other item refers to it. Callers may
// repeat the call. After an error, they must repeat it.
func (b bodies) release(ctx context.Context, id source.ID, rawHash string) error {
	mine := storage.DeleteOp(referenceKey(id, rawHash), storage.AnyETag)
	for range races {
		refs, err := b.references(ctx, id, rawHash)
		if err != nil || refs.blob.ETag == "" || refs.others && !refs.mine {
			return err // nothing to do: the blob has no row, or only other items refer to it
		}
		if refs.others {
			// The transaction also writes the blob's row. If the last two items release the blob at the same time,
			// one of the transactions therefore fails, and its process reads the references again.
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

// bury deletes a blob to which no other item refers. First, one transaction removes the last reference and records
// that the blob is being deleted. From then on, until the lease ends, no item can acquire the blob.
func (b bodies) bury(ctx context.Context, rawHash string, refs references, mine storage.Op) error {
	ctx, cancel := context.WithTimeout(ctx, burialTime)
	defer cancel()
	ops := []storage.Op{{Kind: storage.Replace, Entity: blobEntity(rawHash, refs.blob.ETag, b.now().Add(burialLease))}}
	if refs.mine { // without a reference, this call resumes an earlier deletion
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
	_, err = b.refs.Transact(ctx, storage.DeleteOp(blobKey(rawHash), tags[0]))
	return fault.Except(err, fault.Conflict, fault.NotFound) // another process has resumed the deletion
}

// references reports which items refer to a blob: mine is for the given item, and others is for all other items.
type references struct {
	blob         storage.Entity // the blob's row, whose revision is empty if there is no row
	mine, others bool
}

// references reads whether the given item refers to a blob, and whether any other item does. It reads as few rows as
// possible, because very many items may share a body.
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
		case e.Row == blobRow: // this row sorts before the references
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

// isOfOp reports whether err concerns the operation with the given index in a transaction.
func isOfOp(err error, index int) bool {
	op, ok := errors.AsType[*storage.OpError](err)
	return ok && op.Index == index
}

package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// Remove requests the purge of an item: the item is due now, and its worker sends no request to the site. Where people
// can take back what they do, the worker only takes the item out of the index, and purges it when it is too late for
// that. Remove returns the changed item. If the source is registered again before the purge, the item is kept and
// starts anew. Errors: NotFound.
func (r *Items) Remove(ctx context.Context, id source.ID) (Item, error) {
	done := r.begun(ctx, undo.Removal, id, undo.Removed)
	return r.editFor(ctx, id, reasonRemoved, func(it *Item, now time.Time) (bool, error) {
		if it.RemoveRequested && (it.checkIsDue(now) || it.RemoveAfter.After(now)) {
			return false, errUnchanged // the purge was requested before
		}
		if err := r.s.Options.Undo.Keep(ctx, done, removal{}, removal{true}); err != nil {
			return false, err
		}
		if !it.IndexPending {
			it.ResumeAt = it.NextCrawlAt
		}
		it.RemoveRequested, it.RemoveAfter = true, done.Until()
		it.recordDone(now, "removal", "somebody asked for the item to be removed"+by(ctx), done)
		return true, nil
	})
}

// removal is what a record says of the removal of an item.
type removal struct {
	Removed bool `json:"removed,omitempty"`
}

// Restore takes back the removal of an item, of which everything but its place in the index is still there. It requests
// a check now, which indexes what is stored. Without a record, it leaves an item as it is that is not to be removed.
// Errors: Conflict if a record has nothing to take back; NotFound.
func (r *Items) Restore(ctx context.Context, id source.ID, done *undo.Record) (Item, error) {
	return r.edit(ctx, id, func(it *Item, now time.Time) (bool, error) {
		if done == nil && !it.RemoveRequested {
			return false, errUnchanged
		}
		if done != nil {
			if err := undo.Back(done, &removal{it.RemoveRequested}); err != nil {
				return false, err
			}
		}
		it.RemoveRequested, it.RemoveAfter, it.DraftUntil = false, time.Time{}, time.Time{}
		it.Record(now, "taken back", "the item is not removed"+by(ctx))
		if it.IndexedHash == "" && it.Paused {
			it.NextCrawlAt = Never
			return false, nil
		}
		it.SetStale() // a worker may be taking it out of the index
		it.IndexPending = it.IndexedHash != ""
		return true, nil
	})
}

// beginUnasked begins those items of a job that need no request to the host. It is called when the host is not
// available. It parks the other items until the host is available.
func (r *Jobs) beginUnasked(ctx context.Context, job Job, owner string, host *hostRecord, todo []*Item,
	until time.Time) (*Batch, error) {
	now := r.s.Now()
	b := &Batch{
		Partition: job.PartitionKey, Host: job.Host, Reason: job.Reason, RunID: job.RunID, Permits: 1,
		Until: policy.Stamp(now.Add(LockTime)), CrawlDelay: host.Policy.Pace.CrawlDelay, owner: owner,
		attempt: job.Attempt, counts: job.Counts,
	}
	for _, it := range todo {
		if it.AsksNobody() {
			b.Items = append(b.Items, it)
		} else {
			b.rest = append(b.rest, it)
		}
	}
	if len(b.Items) == 0 {
		return nil, r.park(ctx, *host, todo, until)
	}
	host.Policy.Join(now, owner)
	// While a host is unavailable, a sweep may write a hint that is later than the end of the lock.
	return b, r.lock(ctx, b, host, b.Items, now.Add(ClaimHint))
}

// repent handles an item that was changed while it was being purged. If the item is wanted again, its remaining rows
// are kept; [Item.revive] has already dropped every reference to purged data. If the item is not wanted, its
// remaining rows are deleted.
func (p *pending) repent(cur Item) {
	buried := !cur.GoneSince.IsZero() && cur.GoneSince.Equal(p.Item.GoneSince)
	draft := !cur.DraftUntil.IsZero() && cur.DraftUntil.Equal(p.Item.DraftUntil)
	if cur.RemoveRequested || cur.MovedTo != "" || buried || draft {
		p.Item.written(cur.revision())
		return
	}
	p.Purge, p.Item, p.asked, p.changes = false, cur, true, nil
	p.Item.LockedUntil, p.Item.LockOwner = time.Time{}, ""
}

// readPointers reads the revisions of the pointers to items that are to be purged.
func (c *commit) readPointers(ctx context.Context) error {
	for _, p := range c.done {
		if !p.Purge || p.Item.MovedTo != "" { // the pointer leads to the other item
			continue
		}
		e, err := c.r.s.Index.Get(ctx, indexKey(p.Item.Hash()))
		if ignoreLost(err) != nil {
			return err
		}
		p.pointer = e.ETag
	}
	return nil
}

// dropPointers deletes the pointers to purged items, except those of items that were registered again.
//
// A registration reads the host row, then writes the pointer, then inserts the item, provided that the host row is
// unchanged. If it read the host row before the purge, its transaction fails, because the purge writes the host row.
// The registration then decides anew. If it read the host row after the purge, it has also written the pointer after
// this commit read the pointer, so the delete fails.
//
// If the process dies here, a pointer remains that leads to no item. Every pointer does so while its item is being
// registered.
func (c *commit) dropPointers(ctx context.Context) {
	for _, p := range c.done {
		if !p.Purge || p.pointer == "" {
			continue
		}
		_, err := c.r.s.Index.Transact(ctx, storage.DeleteOp(indexKey(p.Item.Hash()), p.pointer))
		if ignoreLost(err) != nil {
			c.r.s.Options.Log.WarnContext(ctx, "a pointer to nothing is left", "id", p.Item.ID, "err", err)
		}
	}
}

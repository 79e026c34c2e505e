package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Remove has an item purged: it is due now, and the worker that takes it asks nobody. The item as
// it then stands is returned. NotFound if there is none. Whoever registers the source before it is
// purged keeps the item, which begins anew.
func (r *Registry) Remove(ctx context.Context, id source.ID) (Item, error) {
	found, err := r.Find(ctx, id)
	if err != nil {
		return Item{}, err
	}
	var it Item
	sent := false
	err = r.onHost(ctx, found.Partition(), found.SourceHost, func(ctx context.Context) (err error) {
		if it, err = r.loadItem(ctx, found.key); err != nil {
			return err
		}
		if it.etag == "" {
			return unknown(id)
		}
		if it.RemoveRequested && it.comes(r.now()) {
			return nil // asked for before
		}
		sent = true
		return asConflict(r.requestRemoval(ctx, &it))
	})
	if err == nil && sent {
		r.send(ctx, it.Partition(), it.SourceHost, ReasonRemoved, []JobItem{it.job()})
	}
	return it, err
}

// requestRemoval writes the wish and brings the item forward to now.
func (r *Registry) requestRemoval(ctx context.Context, it *Item) error {
	host, err := r.loadHost(ctx, it.Partition(), it.SourceHost)
	if err != nil {
		return err
	}
	now, oldDue := r.now(), it.NextCrawlAt
	it.RemoveRequested, it.NextCrawlAt = true, now
	it.Record(now, "removal", "somebody asked for the item to be removed")
	host.claim(now, 1, r.o.Politeness(it.SourceHost))
	ops := []storage.Op{host.op(), itemOp(it, false)}
	if !oldDue.Equal(now) {
		ops = append(ops, deleteDue(it.key, oldDue))
	}
	ops = append(ops, upsertDue(it, now, now.Add(trust)))
	_, err = r.hinted(ctx, it.Partition(), []time.Time{now.Add(trust)}, ops)
	return err
}

// AsksNobody reports whether the item's next check leaves its site alone: it is to be removed, or its
// snapshot is to be indexed.
func (it *Item) AsksNobody() bool {
	return it.RemoveRequested || it.IndexPending && !it.Forced()
}

// beginUnasked is what can be done of a job whose host is not to be had: what asks nobody. The others
// are parked until then.
func (r *Registry) beginUnasked(ctx context.Context, job Job, owner string, host *hostEntry, todo []*Item, until time.Time) (*Batch, error) {
	now := r.now()
	b := &Batch{
		Partition: job.PartitionKey, Host: job.Host, Reason: job.Reason, RunID: job.RunID, Permits: 1,
		Until: stamp(now.Add(lockTime)), CrawlDelay: time.Duration(host.CrawlDelayMS) * time.Millisecond, owner: owner,
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
	return b, r.lock(ctx, b, host, b.Items)
}

// mayVanish reports whether the item's next check may purge it. A registration then has to say
// that somebody wants it, even if that check is due anyway.
func (it *Item) mayVanish() bool { return it.RemoveRequested || !it.GoneSince.IsZero() }

// keep takes note that somebody wants an item that may be on its way out. One that was to be
// removed begins anew; a tombstone stays, but its time begins again. A worker may have died while
// it purged, so nothing that should be kept elsewhere is relied on.
func (it *Item) keep(now time.Time) {
	switch {
	case it.RemoveRequested:
		*it = it.anew(now)
	case !it.GoneSince.IsZero():
		it.GoneSince, it.RawHash = now, ""
	}
}

// anew is the item as if it had just been registered. Its generations never fall, and whoever has
// it locked will notice.
func (it *Item) anew(now time.Time) Item {
	fresh := Item{
		Version: rowVersion, ID: it.ID, Type: it.Type, NormalizedSource: it.NormalizedSource,
		DisplaySource: it.DisplaySource, SourceHost: it.SourceHost, ContentGroupID: it.ContentGroupID,
		ParentPageID: it.ParentPageID, DiscoveryMethod: it.DiscoveryMethod, Status: Pending,
		ReindexRequested: it.ReindexRequested, ReindexGeneration: it.ReindexGeneration, ProcessedGeneration: it.ProcessedGeneration,
		RebuildRun: it.RebuildRun, RebuildPending: it.RebuildPending, // the host's row counts it
		HTTPRobotsAllowed: true, FirstSeen: now, NextCrawlAt: it.NextCrawlAt,
		LockedUntil: it.LockedUntil, LockOwner: it.LockOwner, History: it.History, key: it.key, etag: it.etag,
	}
	fresh.Record(now, "registered", "source added again while it was being removed")
	return fresh
}

// repent is for an item that somebody changed while it was purged: what is left of it goes, or, if
// somebody wants it, stays. [Item.keep] has then seen to it that nothing purged is relied on.
func (p *pending) repent(cur Item) {
	buried := !cur.GoneSince.IsZero() && cur.GoneSince.Equal(p.Item.GoneSince)
	if cur.RemoveRequested || buried {
		p.Item.etag = cur.etag
		return
	}
	p.Purge, p.Item = false, cur
	p.Item.LockedUntil, p.Item.LockOwner = time.Time{}, ""
}

// readPointers learns which revisions of the pointers lead to items that are to be purged.
func (c *commit) readPointers(ctx context.Context) error {
	for _, p := range c.done {
		if !p.Purge {
			continue
		}
		e, err := c.r.index.Get(ctx, indexKey(p.Item.key.Row))
		if ignoreLost(err) != nil {
			return err
		}
		p.pointer = e.ETag
	}
	return nil
}

// dropPointers deletes the pointers to items that were purged, unless somebody registered them
// again. A registration reads the host's row, then writes the pointer, then inserts the item under
// that revision of the host's row. If that was before the purge, which writes the host's row, it
// decides anew; if not, it has written the pointer since we read it. A pointer that stays behind
// because we die here leads nowhere, which is what it does while an item is being registered.
func (c *commit) dropPointers(ctx context.Context) {
	for _, p := range c.done {
		if !p.Purge || p.pointer == "" {
			continue
		}
		_, err := c.r.index.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{
			Key: indexKey(p.Item.key.Row), ETag: p.pointer,
		}})
		if ignoreLost(err) != nil {
			c.r.o.Log.WarnContext(ctx, "a pointer to nothing is left", "id", p.Item.ID, "err", err)
		}
	}
}

package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Remove has an item purged: it is due now, and the worker that takes it asks nobody. The item as
// it then stands is returned. NotFound if there is none. Whoever registers the source before it is
// purged keeps the item, which begins anew.
func (r *Items) Remove(ctx context.Context, id source.ID) (Item, error) {
	found, err := r.Find(ctx, id)
	if err != nil {
		return Item{}, err
	}
	var it Item
	var job []JobItem
	at := hostID{found.Partition(), found.SourceHost}
	err = r.s.changeHost(ctx, at, func(ctx context.Context, h *hostEntry) (*change, error) {
		job = nil
		if it, err = r.s.loadItem(ctx, found.key); err != nil {
			return nil, err
		}
		now, oldDue := r.s.now(), it.NextCrawlAt
		if it.etag == "" {
			return nil, unknown(id)
		}
		if it.RemoveRequested && it.checkIsDue(now) {
			return nil, nil // asked for before
		}
		it.RemoveRequested, it.NextCrawlAt = true, now
		it.Record(now, "removal", "somebody asked for the item to be removed"+by(ctx))
		h.Policy.Pace.Claim(now, 1, r.s.o.Politeness(it.SourceHost))
		job = []JobItem{jobItem(&it)}
		claimed := now.Add(jobTTL)
		return &change{ops: it.write(oldDue, claimed), hint: claimed}, nil
	})
	if err == nil {
		r.s.send(ctx, it.Partition(), it.SourceHost, ReasonRemoved, job)
	}
	return it, err
}

// AsksNobody reports whether the item's next check leaves its site alone: it is to be removed or has moved, or
// its snapshot is to be indexed.
func (it *Item) AsksNobody() bool {
	return it.RemoveRequested || it.MovedTo != "" || it.IndexPending && !it.Forced()
}

// beginUnasked is what can be done of a job whose host is not available: what asks nobody. The others
// are parked until then.
func (r *Jobs) beginUnasked(ctx context.Context, job Job, owner string, host *hostEntry, todo []*Item,
	until time.Time) (*Batch, error) {
	now := r.s.now()
	b := &Batch{
		Partition: job.PartitionKey, Host: job.Host, Reason: job.Reason, RunID: job.RunID, Permits: 1,
		Until: stamp(now.Add(lockTime)), CrawlDelay: host.Policy.Pace.CrawlDelay, owner: owner,
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
func (it *Item) mayVanish() bool {
	return it.RemoveRequested || it.MovedTo != "" || !it.GoneSince.IsZero()
}

// revive takes note that somebody wants an item that may be on its way out. One that was to be
// removed begins anew; a tombstone stays, but its time begins again. A worker may have died while
// it purged, so nothing that should be kept elsewhere is relied on.
func (it *Item) revive(now time.Time) {
	switch {
	case it.RemoveRequested || it.MovedTo != "":
		*it = it.anew(now)
	case !it.GoneSince.IsZero():
		it.GoneSince, it.RawHash = now, ""
	}
}

// anew is the item as if it had just been registered. Its generations never fall, and whoever has
// it locked will notice.
func (it *Item) anew(now time.Time) Item {
	fresh := Item{
		Identity: Identity{
			Version: rowVersion, ID: it.ID, Type: it.Type, NormalizedSource: it.NormalizedSource,
			DisplaySource: it.DisplaySource, SourceHost: it.SourceHost, ContentGroupID: it.ContentGroupID,
			ParentPageID: it.ParentPageID, DiscoveryMethod: it.DiscoveryMethod, Formers: it.Formers, FirstSeen: now,
		},
		Asked: Asked{ReindexGeneration: it.ReindexGeneration, RebuildRun: it.RebuildRun},
		Seen:  Seen{Status: Pending, HTTPRobotsAllowed: true, History: it.History},
		Plan: Plan{
			NextCrawlAt: it.NextCrawlAt, ReindexRequested: it.ReindexRequested,
			ProcessedGeneration: it.ProcessedGeneration, RebuildPending: it.RebuildPending, // the host's row counts it
		},
		Lock: Lock{LockedUntil: it.LockedUntil, LockOwner: it.LockOwner},
		key:  it.key, etag: it.etag,
	}
	fresh.Record(now, "registered", "source added again while it was being removed")
	return fresh
}

// repent is for an item that somebody changed while it was purged: what is left of it goes, or, if
// somebody wants it, stays. [Item.revive] has then seen to it that nothing purged is relied on.
func (p *pending) repent(cur Item) {
	buried := !cur.GoneSince.IsZero() && cur.GoneSince.Equal(p.Item.GoneSince)
	if cur.RemoveRequested || cur.MovedTo != "" || buried {
		p.Item.etag = cur.etag
		return
	}
	p.Purge, p.Item, p.asked = false, cur, true
	p.Item.LockedUntil, p.Item.LockOwner = time.Time{}, ""
}

// readPointers learns which revisions of the pointers lead to items that are to be purged.
func (c *commit) readPointers(ctx context.Context) error {
	for _, p := range c.done {
		if !p.Purge || p.Item.MovedTo != "" { // whose pointer leads on
			continue
		}
		e, err := c.r.s.index.Get(ctx, indexKey(p.Item.key.Row))
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
		_, err := c.r.s.index.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{
			Key: indexKey(p.Item.key.Row), ETag: p.pointer,
		}})
		if ignoreLost(err) != nil {
			c.r.s.o.Log.WarnContext(ctx, "a pointer to nothing is left", "id", p.Item.ID, "err", err)
		}
	}
}

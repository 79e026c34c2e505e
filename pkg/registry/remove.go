package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/registry/store"
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
	at := store.HostID{Partition: found.Partition(), Host: found.SourceHost}
	err = r.s.ChangeHost(ctx, at, func(ctx context.Context, h *store.Host) (*store.Change, error) {
		job = nil
		if it, err = r.s.LoadItem(ctx, found.Key()); err != nil {
			return nil, err
		}
		now, oldDue := r.s.Now(), it.NextCrawlAt
		if !it.Exists() {
			return nil, unknown(id)
		}
		if it.RemoveRequested && it.CheckIsDue(now) {
			return nil, nil // asked for before
		}
		it.RemoveRequested, it.NextCrawlAt = true, now
		it.Record(now, "removal", "somebody asked for the item to be removed"+by(ctx))
		h.Policy.Pace.Claim(now, 1, r.s.Options.Politeness(it.SourceHost))
		job = []JobItem{item.InJob(&it)}
		claimed := now.Add(item.JobTTL)
		return &store.Change{Ops: it.Write(oldDue, claimed), Hint: claimed}, nil
	})
	if err == nil {
		r.s.Send(ctx, it.Partition(), it.SourceHost, item.ReasonRemoved, job)
	}
	return it, err
}

// beginUnasked is what can be done of a job whose host is not available: what asks nobody. The others
// are parked until then.
func (r *Jobs) beginUnasked(ctx context.Context, job Job, owner string, host *store.Host, todo []*Item,
	until time.Time) (*Batch, error) {
	now := r.s.Now()
	b := &Batch{
		Partition: job.PartitionKey, Host: job.Host, Reason: job.Reason, RunID: job.RunID, Permits: 1,
		Until: policy.Stamp(now.Add(item.LockTime)), CrawlDelay: host.Policy.Pace.CrawlDelay, owner: owner,
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

// repent is for an item that somebody changed while it was purged: what is left of it goes, or, if
// somebody wants it, stays. [Item.revive] has then seen to it that nothing purged is relied on.
func (p *pending) repent(cur Item) {
	buried := !cur.GoneSince.IsZero() && cur.GoneSince.Equal(p.Item.GoneSince)
	if cur.RemoveRequested || cur.MovedTo != "" || buried {
		p.Item.Written(cur.Revision())
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
		e, err := c.r.s.Index.Get(ctx, item.IndexKey(p.Item.Hash()))
		if store.IgnoreLost(err) != nil {
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
		_, err := c.r.s.Index.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{
			Key: item.IndexKey(p.Item.Hash()), ETag: p.pointer,
		}})
		if store.IgnoreLost(err) != nil {
			c.r.s.Options.Log.WarnContext(ctx, "a pointer to nothing is left", "id", p.Item.ID, "err", err)
		}
	}
}

package registry

import "time"

// mayVanish reports whether the item's next check may purge the item. If so, a registration must record that the item
// is wanted, even if that check is due anyway.
func (it *Item) mayVanish() bool {
	return it.RemoveRequested || it.MovedTo != "" || !it.GoneSince.IsZero()
}

// revive records that an item is wanted, although its next check might have purged it. If the removal of the item was
// requested, the item starts anew. A tombstone stays, but its retention starts again. Because a worker may have died
// during the purge, the revived item does not rely on anything that is stored outside its row.
func (it *Item) revive(now time.Time) {
	switch {
	case it.RemoveRequested || it.MovedTo != "":
		*it = anew(it, now)
	case !it.GoneSince.IsZero():
		it.GoneSince, it.RawHash, it.Validators.Body = now, "", ""
	}
}

// anew returns the item as if it had just been registered, with two exceptions. Its generations never fall. Its lock
// stays, so that the worker that holds the lock notices the change.
func anew(it *Item, now time.Time) Item {
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
			ProcessedGeneration: it.ProcessedGeneration, RebuildPending: it.RebuildPending, // counted in the host row
		},
		Lock: Lock{LockedUntil: it.LockedUntil, LockOwner: it.LockOwner},
		key:  it.key, etag: it.etag,
	}
	fresh.Record(now, "registered", "source added again while it was being removed")
	return fresh
}

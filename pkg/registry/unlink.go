package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Unlink records on the items of pages that no page of their site links to them any more, or that one does again. That
// is a hint: an item that loses its last link is due now, so that its own check finds out whether the page is still
// there, and nothing is removed. Items that are paused, about to be removed, or not in use stay as they are. Unlink
// reports for each source whether that is done; it is not for an item that is being checked now.
func (r *Changes) Unlink(ctx context.Context, sources []source.Source, unlinked bool) (done []bool, err error) {
	items, err := r.s.LoadSources(ctx, sources)
	if err != nil {
		return nil, err
	}
	now, since := r.s.Now(), time.Time{}
	if unlinked {
		since = now
	}
	open := map[*Item]int{}
	var changed []*Item
	done = make([]bool, len(sources))
	for i := range items {
		if it := &items[i]; !isUnlinkable(it, unlinked) {
			done[i] = true
		} else if !it.LockedUntil.Add(RequestTime).After(now) {
			open[it], changed = i, append(changed, it)
		}
	}
	for _, group := range groupBy(changed, (*Item).Partition) {
		written, _, err := r.s.WriteEach(ctx, now, nil, group, func(it *Item) []storage.Op {
			props := storage.Properties{"unlistedSince": storage.FormatTime(since)}
			if unlinked && it.NextCrawlAt.After(now) {
				return expediteItem(it, now, props)
			}
			return []storage.Op{it.merge(props)}
		})
		if err != nil {
			return done, err
		}
		for _, it := range written {
			done[open[it]] = true
		}
	}
	return done, nil
}

// isUnlinkable reports whether an item is to record that it lost its last link, or has one again.
func isUnlinkable(it *Item, unlinked bool) bool {
	if it.Type != source.URL || !it.exists() || it.UnlistedSince.IsZero() != unlinked {
		return false
	}
	return !unlinked || !it.mayVanish() && !it.Paused && (it.Status == Indexed || it.Status == Crawled)
}

package registry

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Sites report when their pages have changed (lastmod), and some of these reports are false. So a report is at first
// only a prediction. It is recorded on the item, and the item's next regular check verifies it. The commit of that
// check updates the host's score, which is in the host row. Checks are brought forward only for hosts with a good
// score.

// Change is a change of a page that the site reports. The page changed at some time between From and To.
type Change struct {
	source.Source
	From, To time.Time
}

// changeSample limits the number of changes recorded at the same time for a host whose reports are not yet proven.
const changeSample = policy.JobItems

// scoreOf compares the prediction on an item with the finding of the item's check. If the check failed or found no
// page, it proves nothing, and the prediction stays.
func scoreOf(was *Item, f *Finding) policy.LastModRecord {
	answered := !f.Purge && !f.Unasked && !f.Failed && f.Item.MissingChecks == 0
	if !answered || was.LastChecked.IsZero() || f.Item.Collapse.Waits() {
		return policy.LastModRecord{}
	}
	stands := f.Item.Status == Indexed || f.Item.Status == Crawled
	return policy.ScoreLastMod(!was.PredictedAt.IsZero(), f.Changed || f.Differs, stands)
}

// Record reads the score of a source's host. It costs one point read.
func (r *Changes) Record(ctx context.Context, s source.Source) (policy.LastModRecord, error) {
	h, err := r.s.LoadHost(ctx, s.Partition(r.s.Options.Strategy), s.Host)
	return h.LastMod, err
}

// Announce processes changes that a site reports for its pages, all of one host. It records a change on an item that
// was not checked since that change, but at most 32 changes for a host whose reports are not yet proven. If the host
// is truthful, these items become due now, unless they are due already; sweeps then claim them at the host's pace.
// Announce returns the number of items with a new prediction, and the number of items that became due. The cost is a
// read for each change, a read of the host row, and a transaction for every 32 items.
func (r *Changes) Announce(ctx context.Context, claims []Change) (noted, expedited int, err error) {
	for _, group := range groupBy(claims, func(c Change) string { return c.Partition(r.s.Options.Strategy) }) {
		n, h, err := r.announce(ctx, group)
		if noted, expedited = noted+n, expedited+h; err != nil {
			return noted, expedited, err
		}
	}
	return noted, expedited, nil
}

// announce is like [Changes.Announce], for the changes of one partition.
func (r *Changes) announce(ctx context.Context, claims []Change) (noted, expedited int, err error) {
	record, err := r.Record(ctx, claims[0].Source)
	if err != nil {
		return 0, 0, err
	}
	if !record.Truthful() {
		claims = claims[:min(len(claims), changeSample)]
	}
	for chunk := range slices.Chunk(claims, policy.JobItems) {
		items, err := r.s.LoadSources(ctx, sourcesOf(chunk))
		if err != nil {
			return noted, expedited, err
		}
		var heard []*Item
		for i := range items {
			if chunk[i].isNews(&items[i]) {
				heard = append(heard, &items[i])
			}
		}
		moved, written, err := r.forward(ctx, heard, true, record.Truthful())
		if noted, expedited = noted+written, expedited+moved; err != nil {
			return noted, expedited, err
		}
	}
	return noted, expedited, nil
}

// groupBy groups a list by a key, in the order in which the keys first occur. If partitions are schemes, a host's
// pages may be in two partitions.
func groupBy[T any](list []T, key func(T) string) (groups [][]T) {
	at := map[string]int{}
	for _, x := range list {
		i, known := at[key(x)]
		if !known {
			i = len(groups)
			at[key(x)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

func sourcesOf(claims []Change) (out []source.Source) {
	for _, c := range claims {
		out = append(out, c.Source)
	}
	return out
}

// isNews reports whether a change is new for the item: the change came after the item's last check, and the item has
// no prediction yet.
func (c Change) isNews(it *Item) bool {
	alive := it.exists() && !it.mayVanish() && !it.Paused && (it.Status == Indexed || it.Status == Crawled)
	return alive && it.PredictedAt.IsZero() && it.LastChecked.Before(c.To.Add(time.Millisecond)) &&
		it.LastChanged.Before(c.From.Add(time.Millisecond))
}

// forward changes items of one partition: if predict is set, it records a prediction on them, and if expedite is set,
// it makes them due now. It skips items that are locked, or that another writer changes in the meantime. It returns
// the number of items that were written, and the number of items that became due earlier.
func (r *Changes) forward(ctx context.Context, items []*Item, predict, expedite bool) (moved, written int,
	err error) {
	now := r.s.Now()
	earlier := func(it *Item) bool { return expedite && it.NextCrawlAt.After(now) }
	items = slices.DeleteFunc(items, func(it *Item) bool { return it.LockedUntil.Add(RequestTime).After(now) })
	var hint time.Time
	if slices.ContainsFunc(items, earlier) {
		hint = now
	}
	items, _, err = r.s.WriteEach(ctx, hint, nil, items, func(it *Item) []storage.Op {
		props := storage.Properties{}
		if predict {
			props["predictedAt"] = storage.FormatTime(now)
		}
		if earlier(it) {
			return expediteItem(it, now, props)
		}
		return []storage.Op{it.merge(props)}
	})
	for _, it := range items {
		moved += one(earlier(it))
	}
	return moved, len(items), err
}

// justChecked is the time after a check in which [Changes.BringForward] does not move the item's next check.
const justChecked = 10 * time.Minute

// BringForward makes items of one host due now, up to the given number. The items are given by at most 32 sources.
// BringForward moves no item that is due already, was checked within the last ten minutes, is gone, or is about to be
// removed. It forces no check. It reports for each source whether there is an item, and returns the number of items
// that became due earlier.
func (r *Changes) BringForward(ctx context.Context, sources []source.Source,
	most int) (known []bool, moved int, err error) {
	items, err := r.s.LoadSources(ctx, sources)
	if err != nil {
		return nil, 0, err
	}
	now := r.s.Now()
	var late []*Item
	for i := range items {
		it := &items[i]
		known = append(known, it.exists())
		rests := !it.mayVanish() && !it.Paused && it.NextCrawlAt.After(now)
		if it.exists() && rests && now.Sub(it.LastChecked) >= justChecked {
			late = append(late, it)
		}
	}
	for _, group := range groupBy(late[:min(len(late), most)], (*Item).Partition) {
		n, _, err := r.forward(ctx, group, false, true)
		if moved += n; err != nil {
			return known, moved, err
		}
	}
	return known, moved, nil
}

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

package registry

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Sites say when their pages have changed (lastmod), and some say so whatever is true. So what a host
// says is a prediction first: it is noted on the item, and the item's next check, which comes when it
// would have come anyway, tells whether it was right. The score is in the host's row, written by the
// commit that writes the finding. Only a host whose score is good has checks brought forward.

// Change is what a site says has changed: a change that a site says a page has had, at some time from From to To.
type Change struct {
	source.Source
	From, To time.Time
}

// changeSample is how many changes of a host that is not believed are noted at a time.
const changeSample = JobItems

// scoreOf judges what was said of an item by what its check found. A check that failed, or that met
// no page, says nothing; the prediction stands.
func scoreOf(was *Item, f *Finding) LastModRecord {
	answered := !f.Purge && !f.Unasked && !f.Failed && f.Item.MissingChecks == 0
	if !answered || was.LastChecked.IsZero() || f.Item.Collapse.Waits() {
		return LastModRecord{}
	}
	stands := f.Item.Status == Indexed || f.Item.Status == Crawled
	return policy.ScoreLastMod(!was.PredictedAt.IsZero(), f.Changed || f.Differs, stands)
}

// Record reads how true a source's host has proved. It costs one point read.
func (r *Changes) Record(ctx context.Context, s source.Source) (LastModRecord, error) {
	h, err := r.s.LoadHost(ctx, s.Partition(r.s.Options.Strategy), s.Host)
	return h.LastMod, err
}

// Announce takes what a site says of changes of its pages, all of one host. It is noted on items that
// were not checked since, at most 32 of a host that is not known to be truthful; those of a truthful one are
// also due now, if they were to come later, and a sweep finds them as slowly as the host can bear.
// noted counts the first, expedited the second. It costs a read for each change, a read of the host's row, and a
// transaction for 32 items.
func (r *Changes) Announce(ctx context.Context, claims []Change) (noted, expedited int, err error) {
	for _, group := range groupBy(claims, func(c Change) string { return c.Partition(r.s.Options.Strategy) }) {
		n, h, err := r.announce(ctx, group)
		if noted, expedited = noted+n, expedited+h; err != nil {
			return noted, expedited, err
		}
	}
	return noted, expedited, nil
}

// announce does so for claims of one partition.
func (r *Changes) announce(ctx context.Context, claims []Change) (noted, expedited int, err error) {
	record, err := r.Record(ctx, claims[0].Source)
	if err != nil {
		return 0, 0, err
	}
	if !record.Truthful() {
		claims = claims[:min(len(claims), changeSample)]
	}
	for chunk := range slices.Chunk(claims, JobItems) {
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

// groupBy divides a list by a key, in the order in which the keys are met: with the scheme for a
// partition, a host's pages may be in two.
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

// isNews reports whether a change says something new of the item: that it was changed after it was
// last looked at, and not at the change that is known.
func (c Change) isNews(it *Item) bool {
	alive := it.Exists() && !it.MayVanish() && !it.Paused && (it.Status == Indexed || it.Status == Crawled)
	return alive && it.PredictedAt.IsZero() && it.LastChecked.Before(c.To.Add(time.Millisecond)) &&
		it.LastChanged.Before(c.From.Add(time.Millisecond))
}

// forward notes a prediction on items of one partition, or has them due now, or both. Those that are
// locked, or that somebody changes meanwhile, are left alone. written counts what was written, moved what
// comes earlier.
func (r *Changes) forward(ctx context.Context, items []*Item, predict, expedite bool) (moved, written int, err error) {
	now := r.s.Now()
	earlier := func(it *Item) bool { return expedite && it.NextCrawlAt.After(now) }
	items = slices.DeleteFunc(items, func(it *Item) bool { return it.LockedUntil.Add(item.RequestTime).After(now) })
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
			return item.Expedite(it, now, props)
		}
		return []storage.Op{it.Merge(props)}
	})
	for _, it := range items {
		moved += one(earlier(it))
	}
	return moved, len(items), err
}

// justChecked is how long after a check nobody can have it come again by [Changes.BringForward].
const justChecked = 10 * time.Minute

// BringForward has the items of sources of one host, at most 32, due now that were to come later and that
// were not checked within ten minutes, no more than most. known tells for each source whether there is
// an item, moved counts those that come earlier. Nothing is forced, and nothing that is gone or on its way out is
// moved.
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
		known = append(known, it.Exists())
		rests := !it.MayVanish() && !it.Paused && it.NextCrawlAt.After(now)
		if it.Exists() && rests && now.Sub(it.LastChecked) >= justChecked {
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

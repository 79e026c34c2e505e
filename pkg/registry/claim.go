package registry

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Sites say when their pages have changed (lastmod), and some say so whatever is true. So what a host
// says is a prediction first: it is noted on the item, and the item's next check, which comes when it
// would have come anyway, tells whether it was right. The score is in the host's row, written by the
// commit that writes the finding. Only a host whose score is good has checks brought forward.

// Claim is a change that a site says a page has had, at some time from From to To.
type Claim struct {
	source.Source
	From, To time.Time
}

// LastModRecord is how true what a host says of its pages' changes has proved, lately: the counts are
// halved when there are a hundred predictions, so that a host can change for better and worse.
type LastModRecord struct {
	Right       int `json:"right"`       // checks that found the change that had been said
	Wrong       int `json:"wrong"`       // that found none
	Unannounced int `json:"unannounced"` // changes of which nothing had been said when they were found
}

const (
	enoughPredictions = 20
	recordWindow      = 100
	// claimSample is how many claims of a host that is not believed are noted at a time.
	claimSample = JobItems
)

// Truthful reports whether checks are brought forward on the host's word: of at least 20 predictions
// at least four in five were right.
func (l LastModRecord) Truthful() bool {
	n := l.Right + l.Wrong
	return n >= enoughPredictions && 5*l.Right >= 4*n
}

// add counts one check. A host that never said anything is not reproached with silence.
func (l *LastModRecord) add(score LastModRecord) {
	if l.Right+l.Wrong >= recordWindow && score.Right+score.Wrong > 0 {
		l.Right, l.Wrong, l.Unannounced = l.Right/2, l.Wrong/2, l.Unannounced/2
	}
	l.Right += score.Right
	l.Wrong += score.Wrong
	if l.Right+l.Wrong > 0 {
		l.Unannounced += score.Unannounced
	}
}

// scoreOf judges what was said of an item by what its check found. A check that failed, or that met
// no page, says nothing; the prediction stands.
func scoreOf(was *Item, f *Finding) LastModRecord {
	said, asked := !was.PredictedAt.IsZero(), !f.Purge && !f.Unasked && !f.Failed && f.Item.MissingChecks == 0
	switch {
	case !asked || was.LastChecked.IsZero():
		return LastModRecord{}
	case said && f.Changed:
		return LastModRecord{Right: 1}
	case said && (f.Item.Status == Indexed || f.Item.Status == Crawled):
		return LastModRecord{Wrong: 1}
	case f.Changed:
		return LastModRecord{Unannounced: 1}
	}
	return LastModRecord{}
}

// LastModRecord reads how true a source's host has proved. It costs one point read.
func (r *Registry) LastModRecord(ctx context.Context, s source.Source) (LastModRecord, error) {
	h, err := r.loadHost(ctx, s.Partition(r.o.Strategy), s.Host)
	return h.LastMod, err
}

// Announce takes what a site says of changes of its pages, all of one host. It is noted on items that
// were not checked since, at most 32 of a host that is not known to be truthful; those of a truthful one are
// also due now, if they were to come later, and a sweep finds them as slowly as the host can bear.
// noted counts the first, hastened the second. It costs a read for each claim, a read of the host's row, and a
// transaction for 32 items.
func (r *Registry) Announce(ctx context.Context, claims []Claim) (noted, hastened int, err error) {
	for _, group := range groupBy(claims, func(c Claim) string { return c.Partition(r.o.Strategy) }) {
		n, h, err := r.announce(ctx, group)
		if noted, hastened = noted+n, hastened+h; err != nil {
			return noted, hastened, err
		}
	}
	return noted, hastened, nil
}

// announce does so for claims of one partition.
func (r *Registry) announce(ctx context.Context, claims []Claim) (noted, hastened int, err error) {
	record, err := r.LastModRecord(ctx, claims[0].Source)
	if err != nil {
		return 0, 0, err
	}
	if !record.Truthful() {
		claims = claims[:min(len(claims), claimSample)]
	}
	for chunk := range slices.Chunk(claims, JobItems) {
		items, err := r.itemsOf(ctx, sourcesOf(chunk))
		if err != nil {
			return noted, hastened, err
		}
		var heard []*Item
		for i := range items {
			if items[i].hears(chunk[i]) {
				heard = append(heard, &items[i])
			}
		}
		moved, kept, err := r.forward(ctx, heard, true, record.Truthful())
		if noted, hastened = noted+kept, hastened+moved; err != nil {
			return noted, hastened, err
		}
	}
	return noted, hastened, nil
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

func sourcesOf(claims []Claim) (out []source.Source) {
	for _, c := range claims {
		out = append(out, c.Source)
	}
	return out
}

// itemsOf reads the items of sources; those that do not exist have no revision.
func (r *Registry) itemsOf(ctx context.Context, sources []source.Source) ([]Item, error) {
	items := make([]Item, len(sources))
	err := r.parallel(ctx, len(sources), func(ctx context.Context, i int) (err error) {
		items[i], err = r.loadItem(ctx, storage.Key{Partition: sources[i].Partition(r.o.Strategy), Row: sources[i].Hash()})
		return err
	})
	return items, err
}

// hears reports whether a claim says something new of the item: that it was changed after it was
// last looked at, and not at the change that is known.
func (it *Item) hears(c Claim) bool {
	alive := it.etag != "" && !it.mayVanish() && (it.Status == Indexed || it.Status == Crawled)
	return alive && it.PredictedAt.IsZero() && it.LastChecked.Before(c.To.Add(time.Millisecond)) && it.LastChanged.Before(c.From.Add(time.Millisecond))
}

// forward notes a prediction on items of one partition, or has them due now, or both. Those that
// somebody holds or changes meanwhile are left alone. kept counts what was written, moved what comes earlier.
func (r *Registry) forward(ctx context.Context, items []*Item, predict, hasten bool) (moved, kept int, err error) {
	now := r.now()
	items = slices.DeleteFunc(items, func(it *Item) bool { return it.LockedUntil.Add(requestTime).After(now) })
	for len(items) > 0 {
		var ops []storage.Op
		var owner []int
		var hints []time.Time
		moved = 0
		for i, it := range items {
			mine, earlier := it.forwardOps(now, predict, hasten)
			if ops = append(ops, mine...); earlier {
				moved, hints = moved+1, []time.Time{now}
			}
			for range mine {
				owner = append(owner, i)
			}
		}
		_, err := r.hinted(ctx, items[0].Partition(), hints, ops)
		if err == nil {
			return moved, len(items), nil
		}
		at, lost := loser(err)
		if !lost {
			return 0, 0, err
		}
		items = slices.Delete(items, owner[at], owner[at]+1)
	}
	return 0, 0, nil
}

// forwardOps are what forward writes of one item, with its new due row first moved if that is earlier.
func (it *Item) forwardOps(now time.Time, predict, hasten bool) (ops []storage.Op, earlier bool) {
	props := storage.Properties{}
	if predict {
		props["predictedAt"] = storage.FormatTime(now)
	}
	if earlier = hasten && it.NextCrawlAt.After(now); earlier {
		props["nextCrawlAt"] = storage.FormatTime(now)
		ops = []storage.Op{deleteDue(it.key, it.NextCrawlAt), upsertDue(it, now, time.Time{})}
	}
	return append(ops, storage.Op{Kind: storage.Merge, Entity: storage.Entity{Key: it.key, ETag: it.etag, Props: props}}), earlier
}

// justChecked is how long after a check nobody can have it come again by [Registry.BringForward].
const justChecked = 10 * time.Minute

// BringForward has the items of sources of one host, at most 32, due now that were to come later and that
// were not checked within ten minutes, no more than most. known tells for each source whether there is
// an item, moved counts those that come earlier. Nothing is forced, and nothing that is gone or on its way out is moved.
func (r *Registry) BringForward(ctx context.Context, sources []source.Source, most int) (known []bool, moved int, err error) {
	items, err := r.itemsOf(ctx, sources)
	if err != nil {
		return nil, 0, err
	}
	now := r.now()
	var late []*Item
	for i := range items {
		it := &items[i]
		known = append(known, it.etag != "")
		if it.etag != "" && !it.mayVanish() && it.NextCrawlAt.After(now) && now.Sub(it.LastChecked) >= justChecked {
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

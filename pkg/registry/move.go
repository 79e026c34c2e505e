package registry

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// An item's id is made from its normalized source. So when the rules for URLs change, some items get another
// identity. A new item with that identity takes over the state of the old one. If an item with that identity already
// exists, the old item is merged into it. The writes are, in this order:
//
//	the new item, with a row that has the id of the old one
//	the pointer of the old id, which leads to the new item from then on
//	the old item: movedTo, and due at once. A worker removes its documents from the index, then its rows are deleted
//
// Each write records what the next one needs, and may be repeated. Captures never move (spec 000 §6): the captures of
// the old id stay as they are, and the row with the old item's id leads to them.

// Moved is the result of one step of the walk over the items.
type Moved struct {
	Items    int
	Moved    int
	Examples []string
	Next     Cursor
	Done     bool
}

// moveColumns are the columns that show whether an item has another identity.
var moveColumns = []string{"type", "normalizedSource", "sourceHost", "removeRequested"}

// Step walks over some items from a cursor, and moves those that have another identity under the given rules. If dry
// is true, Step only reports these items. A step may be repeated from the same cursor, also concurrently.
func (r *Moves) Step(ctx context.Context, rules source.Rules, from Cursor, dry bool) (Moved, error) {
	var m Moved
	w := itemWalk{Columns: moveColumns, Items: stepItems, Partitions: stepPartitions}
	at, err := r.s.OverItems(ctx, w, from, func(partition string, items []Item) error {
		touched := map[string]bool{}
		for i := range items {
			to, moves := renamed(&items[i], rules)
			if !moves {
				continue
			}
			example, err := r.moveOne(ctx, &items[i], to, dry)
			if err != nil {
				return err
			}
			m.Moved, m.Examples = m.Moved+1, append(m.Examples, example)
			touched[partition], touched[to.Partition(r.s.Options.Strategy)] = true, true
		}
		if dry {
			return nil
		}
		for _, partition := range slices.Sorted(maps.Keys(touched)) {
			if _, err := r.jobs.Refill(ctx, partition); err != nil {
				return err
			}
		}
		return nil
	})
	m.Items, m.Next, m.Done = at.Items, at.Next, at.Done
	return m, err
}

// moveOne moves an item of which only a few columns were read, and returns a description of the move.
func (r *Moves) moveOne(ctx context.Context, it *Item, to source.Source, dry bool) (example string, err error) {
	_, joins, err := r.items.Lookup(ctx, to)
	if err != nil {
		return "", err
	}
	what := " becomes "
	if joins {
		what = " joins "
	}
	if !dry {
		err = r.move(ctx, it.Key(), to)
	}
	return it.NormalizedSource + what + to.Normalized, err
}

func (r *Moves) move(ctx context.Context, key storage.Key, to source.Source) error {
	old, err := r.s.LoadItem(ctx, key)
	if err != nil || !old.exists() || old.MovedTo == to.ID() {
		return err
	}
	fresh, err := r.adopt(ctx, &old, to)
	if err != nil {
		return err
	}
	asOf := old.revision()
	if !fresh {
		asOf = "" // the copied state may be older than this revision
	}
	_, err = r.s.Index.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key: indexKey(key.Row), Props: storage.Properties{"partition": key.Partition, "movedTo": string(to.ID())},
	}})
	if err != nil {
		return err
	}
	return r.retire(ctx, key, to, asOf)
}

// adopt makes sure that the new item exists and has a row with the id of the old one. It reports whether this was
// new, or was done by an earlier try.
func (r *Moves) adopt(ctx context.Context, old *Item, to source.Source) (fresh bool, err error) {
	key := storage.Key{Partition: to.Partition(r.s.Options.Strategy), Row: to.Hash()}
	former := storage.Entity{
		Key:   storage.Key{Partition: key.Partition, Row: formerRows(key.Row) + old.Hash()},
		Props: storage.Properties{"formerId": string(old.ID), "partition": old.Partition()},
	}
	id := hostID{Partition: key.Partition, Host: to.Host}
	err = r.s.ChangeHost(ctx, id, func(ctx context.Context, h *hostRecord) (*hostChange, error) {
		fresh = false
		it, err := r.s.LoadItem(ctx, key)
		if err != nil {
			return nil, err
		}
		if it.exists() {
			if _, err := r.s.Items.Get(ctx, former.Key); !fault.Is(err, fault.NotFound) {
				return nil, err // an earlier try has created the row
			}
		}
		if !it.exists() || it.MovedTo != "" { // after the host row is read; see dropPointers
			if err := r.s.Point(ctx, key.Partition, []string{key.Row}); err != nil {
				return nil, err
			}
		}
		now := r.s.Now()
		ops := append(adoptOps(now, old, &it, to, h), storage.Op{Kind: storage.Upsert, Entity: former})
		fresh = true
		return &hostChange{Ops: ops, Hint: policy.Later(now, it.NextCrawlAt)}, nil
	})
	return fresh, err
}

// adoptOps writes the new item and its due row.
func adoptOps(now time.Time, old, it *Item, to source.Source, host *hostRecord) []storage.Op {
	was, oldDue := tallyOf(it), it.NextCrawlAt
	if !it.exists() {
		*it, was = asSource(old, to, it.Key(), now), tally{}
	} else {
		join(it, old, now)
	}
	host.recount(was, tallyOf(it))
	return it.Write(oldDue, time.Time{})
}

// retire makes the old item due, so that a worker removes it from the index and then from the registry. If a check of
// the old item is pending, or if the item was changed by a check since its state was copied, the new item is checked
// instead.
func (r *Moves) retire(ctx context.Context, key storage.Key, to source.Source, asOf storage.ETag) error {
	return r.s.Retry(ctx, func(ctx context.Context) error {
		it, err := r.s.LoadItem(ctx, key)
		if err != nil || !it.exists() || it.RemoveRequested || it.MovedTo == to.ID() {
			return err
		}
		now, oldDue := r.s.Now(), it.NextCrawlAt
		if !oldDue.After(now) || it.Forced() || it.revision() != asOf {
			got := r.items.Register(ctx, []source.Source{to}, RegisterOptions{Force: it.Forced()})[0]
			if got.Err != nil {
				return got.Err
			}
		}
		it.MovedTo, it.NextCrawlAt = to.ID(), now
		it.Record(now, "moved", "is "+to.Normalized+" ("+string(to.ID())+") under the present rules for URLs")
		_, err = r.s.Hinted(ctx, key.Partition, now, it.Write(oldDue, time.Time{}))
		return asConflict(err)
	})
}

func formerRows(hash string) string { return formerPrefix + hash + "|" }

// Formers lists the ids of the items that have moved to an item, including those that moved in several steps. If
// there are none, it costs no request.
func (r *Moves) Formers(ctx context.Context, it *Item) (ids []source.ID, err error) {
	if it.Formers == 0 {
		return nil, nil
	}
	err = r.formers(ctx, it, func(e storage.Entity) {
		id, _ := e.Props["formerId"].(string)
		ids = append(ids, source.ID(id))
	})
	return ids, err
}

// formers visits the rows with the ids of the items that have moved to an item.
func (r *Moves) formers(ctx context.Context, it *Item, visit func(storage.Entity)) error {
	seen := map[string]bool{it.Hash(): true} // moves may form a cycle if rules were changed back
	for open := []storage.Key{it.Key()}; len(open) > 0; open = open[1:] {
		at := open[0]
		q := storage.Query{Partition: at.Partition, RowFrom: formerRows(at.Row),
			RowTo: formerPrefix + at.Row + afterBar}
		for e, err := range r.s.Items.Query(ctx, q) {
			if err != nil {
				return err
			}
			hash := e.Row[len(formerRows(at.Row)):]
			if seen[hash] {
				continue
			}
			seen[hash] = true
			visit(e)
			partition, _ := e.Props["partition"].(string)
			open = append(open, storage.Key{Partition: partition, Row: hash})
		}
	}
	return nil
}

// Drop removes the rows with the ids of former items when the item that they moved to is purged. Callers must delete
// the captures of the former items first.
func (r *Moves) Drop(ctx context.Context, it *Item) error {
	if it.Formers == 0 {
		return nil
	}
	var rows []storage.Key
	if err := r.formers(ctx, it, func(e storage.Entity) { rows = append(rows, e.Key) }); err != nil {
		return err
	}
	for _, key := range slices.Backward(rows) { // the farthest rows first: only the nearer rows lead to them
		if _, err := r.s.Items.Transact(ctx, dropRow(key)); ignoreLost(err) != nil {
			return err
		}
	}
	return nil
}

// renamed returns the item's identity under the given rules, and reports whether it differs from the present
// identity. The identity of a file does not depend on the rules. An item that is to be removed does not move.
func renamed(it *Item, rules source.Rules) (to source.Source, yes bool) {
	if it.Type != source.URL || it.RemoveRequested {
		return to, false
	}
	to, err := rules.ParseURL(it.NormalizedSource)
	return to, err == nil && to.Normalized != it.NormalizedSource
}

// asSource returns an item under another identity. Its stored content is indexed at once under the new identity,
// without a request to the site. The time of the next check of the site does not change.
func asSource(it *Item, to source.Source, key storage.Key, now time.Time) Item {
	n := *it
	if it.AliasOf != "" { // examine the canonical item again, because it may have moved, too
		n = newItem(to, key, now)
		n.DiscoveryMethod, n.DiscoveryRun, n.DiscoveryJob = it.DiscoveryMethod, it.DiscoveryRun, it.DiscoveryJob
		n.Credential, n.ReindexRequested = it.Credential, it.ReindexRequested
		n.Tags, n.Options, n.Paused = it.Tags, it.Options, it.Paused
		n.FirstSeen, n.NextCrawlAt = it.FirstSeen, it.NextCrawlAt
		n.ReindexGeneration, n.ProcessedGeneration = it.ReindexGeneration, it.ProcessedGeneration
	}
	n.ID, n.NormalizedSource, n.DisplaySource = to.ID(), to.Normalized, to.Display
	n.SourceHost, n.ContentGroupID = to.Host, to.ContentGroupID()
	n.key, n.etag, n.MovedTo, n.Formers = key, "", "", 1
	n.Lock = Lock{}
	n.LastIndexedDocID, n.LastIndexed, n.ImageCount, n.Manifest = "", time.Time{}, 0, ""
	n.CaptureCount, n.CaptureBytes, n.OldestCapture = 0, 0, time.Time{}
	if n.SourceHost != it.SourceHost {
		n.FetchSource, n.FetchTracked = "", ""
	}
	if n.indexable() {
		n.SetStale()
		if !n.IndexPending {
			n.IndexPending, n.ResumeAt = true, it.NextCrawlAt
		}
		n.NextCrawlAt = now
	}
	n.History = slices.Clone(it.History)
	n.Record(now, "moved", "was "+it.NormalizedSource+" ("+string(it.ID)+") under earlier rules for URLs")
	return n
}

// join merges a former item into the item that replaces it. The replacing item keeps its state.
func join(it, old *Item, now time.Time) {
	if it.RemoveRequested || it.MovedTo != "" || !it.GoneSince.IsZero() {
		it.revive(now)
	}
	it.Formers++
	it.FirstSeen = policy.Earlier(it.FirstSeen, old.FirstSeen)
	it.Credential = cmp.Or(it.Credential, old.Credential)
	if it.Tags == nil && reflect.ValueOf(it.Options).IsZero() {
		it.Tags, it.Options = old.Tags, old.Options
		indexAgain(it, now)
	}
	it.Collapse.Asked = it.Collapse.Asked || old.Collapse.Asked
	if old.ContentHash != it.ContentHash {
		it.NextCrawlAt, it.IndexPending = now, false // the former item may have newer content
	}
	it.Record(now, "joined",
		"is the same as "+old.NormalizedSource+" ("+string(old.ID)+") under the present rules for URLs")
}

// derive recomputes the columns that depend on the identity alone, and reports whether any of them changed. The
// display name of a file stays as it was registered.
func derive(it *Item) (changed bool) {
	group, display := it.Source().ContentGroupID(), it.DisplaySource
	if it.Type == source.URL {
		if s, err := (source.Rules{}).ParseURL(it.NormalizedSource); err == nil && s.Normalized == it.NormalizedSource {
			display = s.Display
		}
	}
	changed = group != it.ContentGroupID || display != it.DisplaySource
	it.ContentGroupID, it.DisplaySource = group, display
	return changed
}

// LoadItems reads items by point reads. Items that do not exist are returned with an empty ETag.
func (r *rowStore) LoadItems(ctx context.Context, partition string, hashes []string) ([]Item, error) {
	items := make([]Item, len(hashes))
	err := r.Parallel(ctx, len(hashes), func(ctx context.Context, i int) (err error) {
		items[i], err = r.LoadItem(ctx, storage.Key{Partition: partition, Row: hashes[i]})
		return err
	})
	return items, err
}

// LoadItem reads an item by a point read. An item that does not exist has an empty ETag.
func (r *rowStore) LoadItem(ctx context.Context, key storage.Key) (Item, error) {
	e, err := r.Items.Get(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return missingItem(key), nil
	}
	if err != nil {
		return Item{}, err
	}
	return itemOf(e), nil
}

// LoadSources reads the items of sources. Items that do not exist have no revision.
func (r *rowStore) LoadSources(ctx context.Context, sources []source.Source) ([]Item, error) {
	items := make([]Item, len(sources))
	err := r.Parallel(ctx, len(sources), func(ctx context.Context, i int) (err error) {
		s := sources[i]
		items[i], err = r.LoadItem(ctx, storage.Key{Partition: s.Partition(r.Options.Strategy), Row: s.Hash()})
		return err
	})
	return items, err
}

// Point writes the index rows that lead from ids to items, for items that do not exist yet. The content of such a row
// never changes, but every write changes its ETag, so that a concurrent delete fails. The writes are deferred: the
// rows of the items are written later, and wait.
func (r *rowStore) Point(ctx context.Context, partition string, missing []string) error {
	return r.Parallel(ctx, len(missing), func(ctx context.Context, i int) error {
		_, err := r.Index.Transact(storage.Deferred(ctx), storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key: indexKey(missing[i]), Props: storage.Properties{"partition": partition},
		}})
		return err
	})
}

// ForceCheck forces a check of an item because another item has changed. No person requested this check. So, unlike
// [Items.Reindex], ForceCheck does not change an item that is paused, gone or about to be removed.
func (r *Items) ForceCheck(ctx context.Context, it Item) error {
	var job []JobItem
	id := hostID{Partition: it.Partition(), Host: it.SourceHost}
	err := r.s.ChangeHost(ctx, id, func(ctx context.Context, h *hostRecord) (*hostChange, error) {
		cur, err := r.s.LoadItem(ctx, it.Key())
		if job = nil; err != nil || !cur.exists() || cur.mayVanish() || cur.Paused {
			return nil, err
		}
		now := r.s.Now()
		as := member{Source: source.Source{Display: cur.DisplaySource}}
		until, hint := cur.claimUntil(now)
		ops := registerOps(now, as, &cur, h, RegisterOptions{Force: true}, until)
		h.Policy.Pace.Claim(now, 1, r.s.Options.Politeness(it.SourceHost))
		job = []JobItem{inJob(&cur)}
		return &hostChange{Ops: ops, Hint: hint}, nil
	})
	if err == nil {
		r.s.Send(ctx, it.Partition(), it.SourceHost, reasonForced, job)
	}
	return err
}

// expedite brings the next check of an item forward to a given time, because something that the item depends on is
// about to change. The caller must commit that change before the given time. The check is not forced, and a sweep
// finds it. Expedite does not change an item that is due sooner, paused, gone or about to be removed.
func (r *Items) expedite(ctx context.Context, it Item, at time.Time) error {
	at = policy.Stamp(at)
	return r.s.Retry(ctx, func(ctx context.Context) error {
		cur, err := r.s.LoadItem(ctx, it.Key())
		if err != nil || !cur.exists() || cur.mayVanish() || cur.Paused || !cur.NextCrawlAt.After(at) {
			return err
		}
		_, err = r.s.Hinted(ctx, it.Partition(), at, expediteItem(&cur, at, storage.Properties{}))
		return asConflict(err)
	})
}

package registry

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// maxMoves limits the number of moves that are followed from an id.
const maxMoves = 10

// Find reads an item by its id alone, with two point reads (A5). If the item has moved, Find returns the item that
// replaces it, with two more reads for each move. Errors: NotFound.
func (r *Items) Find(ctx context.Context, id source.ID) (Item, error) {
	_, hash, err := source.ParseID(string(id))
	if err != nil {
		return Item{}, err
	}
	var e storage.Entity
	for moves := 0; ; moves++ {
		e, err = r.s.Index.Get(ctx, indexKey(hash))
		if fault.Is(err, fault.NotFound) {
			return Item{}, unknown(id)
		}
		if err != nil {
			return Item{}, err
		}
		to, _ := e.Props["movedTo"].(string)
		if to == "" || moves == maxMoves {
			break
		}
		if _, hash, err = source.ParseID(to); err != nil {
			return Item{}, err
		}
	}
	partition, _ := e.Props["partition"].(string)
	it, err := r.s.LoadItem(ctx, storage.Key{Partition: partition, Row: hash})
	if err == nil && !it.exists() {
		err = unknown(id)
	}
	return it, err
}

// Lookup reads the item of a source, and reports whether it exists. It costs one point read, because the key follows
// from the source.
func (r *Items) Lookup(ctx context.Context, s source.Source) (it Item, found bool, err error) {
	it, err = r.s.LoadItem(ctx, storage.Key{Partition: s.Partition(r.s.Options.Strategy), Row: s.Hash()})
	return it, err == nil && it.exists(), err
}

// LookupAll reads the items of sources concurrently, with one point read each. The item of an unknown source is nil.
func (r *Items) LookupAll(ctx context.Context, sources []source.Source) ([]*Item, error) {
	loaded, err := r.s.LoadSources(ctx, sources)
	items := make([]*Item, len(sources))
	for i := range loaded {
		if loaded[i].exists() {
			items[i] = &loaded[i]
		}
	}
	return items, err
}

func unknown(id source.ID) error {
	return fault.New(fault.NotFound, "no item has the id %s", id)
}

// Reindex forces a check of an existing item (A15) and returns the changed item.
func (r *Items) Reindex(ctx context.Context, it Item, force bool) (Item, error) {
	got := r.Register(ctx, []source.Source{it.Source()}, RegisterOptions{Force: force, asked: true})[0]
	return got.Item, got.Err
}

// ListQuery selects the items to list.
type ListQuery struct {
	Host   string // only items of this host; all hosts when empty
	Status Status // only items with this status; all when empty
	After  string // begin after the item with this [ListCursor] or id; if empty, begin with the first
	Top    int    // list at most this many items; at least 1
}

// List returns items in the order of partition and hash. The order does not change while other items are registered.
// List costs one request for each partition with matching items, and one for the list of partitions.
func (r *Items) List(ctx context.Context, q ListQuery) ([]Item, error) {
	after, err := r.locate(ctx, q.After)
	if err != nil {
		return nil, err
	}
	var out []Item
	var group []holder
	for h, err := range r.s.Sums.holding(ctx, q.Host, q.Status, after.Partition, min(q.Top, maxWalkPage)) {
		if err != nil {
			return nil, err
		}
		if group = append(group, h); !fill(group, q.Top-len(out)) {
			continue
		}
		if out, err = r.listGroup(ctx, group, after, q, out); err != nil || len(out) == q.Top {
			return out, err
		}
		group = nil
	}
	return r.listGroup(ctx, group, after, q, out)
}

// fill reports whether the partitions of a group together probably have the wanted number of items. It also returns
// true if the number of items in a partition is unknown.
func fill(group []holder, most int) bool {
	for _, h := range group {
		if most -= h.Items; h.Items == 0 {
			return true
		}
	}
	return most <= 0
}

// listGroup reads the partitions of a group concurrently. It appends their items to out until out has q.Top items.
func (r *Items) listGroup(ctx context.Context, group []holder, after storage.Key, q ListQuery,
	out []Item) ([]Item, error) {
	lists := make([][]Item, len(group))
	err := r.s.Parallel(ctx, len(group), func(ctx context.Context, i int) (err error) {
		from := ""
		if group[i].Partition == after.Partition {
			from = justPast(after.Row)
		}
		lists[i], err = r.listPartition(ctx, group[i].Partition, from, q, q.Top-len(out))
		return err
	})
	for _, items := range lists {
		out = append(out, items[:min(len(items), q.Top-len(out))]...)
	}
	return out, err
}

// neighbourColumns are the columns that [Items.Neighbours] reads. They make up about a tenth of a row's data.
var neighbourColumns = []string{
	"id", "type", "normalizedSource", "displaySource", "sourceHost", "credential", "status", "lastChecked", "fileEtag",
	"fileLastModified", "fileLength", "validators", "folder", "unlistedSince",
}

// Neighbours yields the items of a source's host, in the order of their hashes. It reads only some columns of each
// item: the source, the credential, the status, the time of the last check and, for a file, its folder and properties.
func (r *Items) Neighbours(ctx context.Context, s source.Source) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		q := storage.Query{Partition: s.Partition(r.s.Options.Strategy), PageSize: maxWalkPage,
			Select: neighbourColumns}
		for it, err := range r.s.Walk(ctx, q) {
			if (err != nil || it.SourceHost == s.Host) && !yield(it, err) {
				return
			}
		}
	}
}

// ListCursor returns the position of an item in lists. The position stays valid after the item was removed or has
// moved.
func ListCursor(it *Item) string { return string(it.ID) + cursorSep + it.Partition() }

// cursorSep is a character that occurs in no id and in no host.
const cursorSep = "@"

func (r *Items) locate(ctx context.Context, place string) (storage.Key, error) {
	if place == "" {
		return storage.Key{}, nil
	}
	bad := fault.Field("continuation", "does not name an item: %q", place)
	id, partition, found := strings.Cut(place, cursorSep)
	if !found {
		it, err := r.Find(ctx, source.ID(id))
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
			return storage.Key{}, bad
		}
		return it.Key(), err
	}
	_, hash, err := source.ParseID(id)
	key := storage.Key{Partition: partition, Row: hash}
	if err != nil || storage.CheckKey(key) != nil {
		return storage.Key{}, bad
	}
	return key, nil
}

// listPartition lists items of one partition, up to the given number.
func (r *Items) listPartition(ctx context.Context, partition, from string, q ListQuery, most int) ([]Item, error) {
	in := storage.Query{Partition: partition, RowFrom: from, PageSize: min(maxWalkPage, most),
		Where: map[string]string{}}
	if q.Host != "" && r.s.Options.Strategy == source.ByScheme {
		in.Where["sourceHost"] = q.Host
	}
	if q.Status != "" {
		in.Where["status"] = string(q.Status)
	}
	var out []Item
	for it, err := range r.s.Walk(ctx, in) {
		if err != nil {
			return nil, err
		}
		if out = append(out, it); len(out) == most {
			break
		}
	}
	return out, nil
}

// askDelay is how long a rule that asks for the present values of fields may take to be stored.
const askDelay = 10 * time.Second

// AskFields records that a rule asks for the present values of the fields of an item, and brings its next check
// forward. Callers store the rule right afterwards: the check begins some seconds later. A check that nobody may
// request now, because the item is paused, gone or about to be removed, stays when it is. Errors: NotFound.
func (r *Items) AskFields(ctx context.Context, id source.ID, rule string) error {
	found, err := r.Find(ctx, id)
	if err != nil {
		return err
	}
	return r.s.Retry(ctx, func(ctx context.Context) error {
		it, err := r.s.LoadItem(ctx, found.Key())
		if err != nil {
			return err
		}
		if !it.exists() {
			return unknown(id)
		}
		it.Fields.Ask(rule)
		now := r.s.Now()
		was, soon, hint := it.NextCrawlAt, policy.Stamp(now.Add(askDelay)), time.Time{}
		checking := it.LockedUntil.After(now) // and the check that is in progress may answer other rules alone
		if !it.mayVanish() && !it.Paused && (checking || was.After(soon)) {
			it.NextCrawlAt, hint = soon, soon
		}
		_, err = r.s.Hinted(ctx, it.Partition(), hint, it.Write(was, time.Time{}))
		return asConflict(err)
	})
}

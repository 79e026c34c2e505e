package registry

import (
	"context"
	"iter"
	"strings"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/storage"
)

// maxWalkPage is the most items that one request of a walk reads.
const maxWalkPage = storage.MaxPage - fewRows

// fewRows is how many rows beside the items are read along before they are stepped over.
const fewRows = 100

// walk reads the items of a partition that a query asks for, in order. The rows between them are read along while they
// are few, which is one request for a small partition, and stepped over by range when they are many. Where a condition
// leaves items alone there are none between them.
func (r *store) walk(ctx context.Context, q storage.Query) iter.Seq2[Item, error] {
	if len(q.Where) == 0 {
		q.PageSize += fewRows
	}
	return func(yield func(Item, error) bool) {
		for jump := true; jump; {
			jump = false
			others := 0
			for e, err := range r.items.Query(ctx, q) {
				if err == nil && !item.IsItemRow(e.Row) {
					if others++; others < fewRows {
						continue
					}
					prefix, _, _ := strings.Cut(e.Row, "|")
					q.RowFrom, jump = prefix+item.AfterBar, true
					break
				}
				if others = 0; !yield(item.Of(e), err) || err != nil {
					return
				}
			}
		}
	}
}

// Cursor is a place in the walk over all items; the zero Cursor is the beginning.
type Cursor struct {
	Partition string `json:"partition,omitempty"`
	Row       string `json:"row,omitempty"`
}

// itemWalk is a bounded walk over items.
type itemWalk struct {
	host              string   // its items only; all when empty
	columns           []string // of an item that are read; all when empty
	items, partitions int      // read at most
	// skip, if any, reports whether a partition has nothing for this walk.
	skip func(ctx context.Context, partition string) (bool, error)
}

// walked is how far a walk has come.
type walked struct {
	items      int // of the host
	read       int // items, those of other hosts included
	partitions int
	next       Cursor
	done       bool // there is nothing after next
}

// Bounds of one step of a run: what fits well into an invocation.
const (
	stepItems      = 8 * JobItems
	stepPartitions = 32
)

// visitItems is told some items of one partition.
type visitItems func(partition string, items []Item) error

// overItems visits items from a place on, with those of a partition at a time, and says where to go on.
func (r *store) overItems(ctx context.Context, w itemWalk, from Cursor, visit visitItems) (walked, error) {
	at := walked{next: from}
	for partition, err := range r.partitionsOf(ctx, w.host, from.Partition) {
		if err != nil || at.partitions == w.partitions || at.read >= w.items {
			return at, err
		}
		at.partitions++
		if partition != at.next.Partition {
			at.next = Cursor{Partition: partition}
		}
		items, err := r.readSome(ctx, w, &at)
		if err == nil && len(items) > 0 {
			err = visit(partition, items)
		}
		if err != nil {
			return at, err
		}
	}
	at.done = at.read < w.items
	return at, nil
}

// readSome goes on in the partition of the cursor and sets it to where the walk ends.
func (r *store) readSome(ctx context.Context, w itemWalk, at *walked) (items []Item, err error) {
	partition, skip := at.next.Partition, false
	if w.skip != nil {
		skip, err = w.skip(ctx, partition)
	}
	if err == nil && !skip {
		q := storage.Query{Partition: partition, RowFrom: at.next.Row, PageSize: min(w.items, maxWalkPage),
			Select: w.columns}
		for it, err := range r.walk(ctx, q) {
			if err != nil {
				return nil, err
			}
			if at.read == w.items {
				break
			}
			at.read++
			at.next.Row = justPast(it.Hash())
			if w.host == "" || it.SourceHost == w.host {
				at.items++
				items = append(items, it)
			}
		}
	}
	if at.read < w.items {
		at.next = Cursor{Partition: justPast(partition)}
	}
	return items, err
}

// partitionsOf lists, from one on, the partitions that items of a host can be in; all when host is
// empty.
func (r *store) partitionsOf(ctx context.Context, host, from string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if host != "" && r.o.Strategy != source.ByScheme {
			if from <= host {
				yield(host, nil)
			}
			return
		}
		for e, err := range r.index.Query(ctx, storage.Query{Partition: partitionsKey, RowFrom: from}) {
			if !yield(e.Row, err) || err != nil {
				return
			}
		}
	}
}

// justPast is the least key after a key: a space sorts before every other character of ours.
func justPast(key string) string { return key + "\x20" }

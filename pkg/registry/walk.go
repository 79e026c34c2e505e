package registry

import (
	"context"
	"iter"
	"strings"

	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// maxWalkPage limits the number of items that one request of a walk reads.
const maxWalkPage = storage.MaxPage - fewRows

// fewRows is the number of consecutive rows of other kinds that a walk reads before it skips such rows.
const fewRows = 100

// Walk yields the items of a partition that match a query, in order. If there are only a few other rows between the
// items, Walk reads these, too, so that a small partition costs one request. If there are many, it skips them by key
// range. If the query has a condition that selects only items, there are no other rows to skip.
func (r *rowStore) Walk(ctx context.Context, q storage.Query) iter.Seq2[Item, error] {
	if len(q.Where) == 0 {
		q.PageSize += fewRows
	}
	return func(yield func(Item, error) bool) {
		for jump := true; jump; {
			jump = false
			others := 0
			for e, err := range r.Items.Query(ctx, q) {
				if err == nil && !isItemRow(e.Row) {
					if others++; others < fewRows {
						continue
					}
					prefix, _, _ := strings.Cut(e.Row, "|")
					q.RowFrom, jump = prefix+afterBar, true
					break
				}
				if others = 0; !yield(itemOf(e), err) || err != nil {
					return
				}
			}
		}
	}
}

// Cursor is a position in the walk over all items; the zero Cursor is the beginning.
type Cursor struct {
	Partition string `json:"partition,omitempty"`
	Row       string `json:"row,omitempty"`
}

// itemWalk is a bounded walk over items.
type itemWalk struct {
	Host              string   // only items of this host are visited; if empty, all items
	Columns           []string // the columns that are read; if empty, all columns
	Items, Partitions int      // limits on the items and partitions that one walk reads
	// Skip, if set, reports whether a partition has nothing for this walk and can be skipped.
	Skip func(ctx context.Context, partition string) (bool, error)
}

// walked is the progress of a walk.
type walked struct {
	Items      int // number of items visited, all of them of the wanted host
	Read       int // number of items read, including those of other hosts
	Partitions int
	Next       Cursor
	Done       bool // nothing remains after next
}

// Bounds of one step of a run, which must fit into an invocation.
const (
	stepItems      = 8 * policy.JobItems
	stepPartitions = 32
)

// visitItems receives some items of one partition.
type visitItems func(partition string, items []Item) error

// OverItems visits items, beginning at a cursor, and returns the cursor for the next call. All items of one visit are
// in the same partition.
func (r *rowStore) OverItems(ctx context.Context, w itemWalk, from Cursor, visit visitItems) (walked, error) {
	at := walked{Next: from}
	for partition, err := range r.PartitionsOf(ctx, w.Host, from.Partition) {
		if err != nil || at.Partitions == w.Partitions || at.Read >= w.Items {
			return at, err
		}
		at.Partitions++
		if partition != at.Next.Partition {
			at.Next = Cursor{Partition: partition}
		}
		items, err := r.readSome(ctx, w, &at)
		if err == nil && len(items) > 0 {
			err = visit(partition, items)
		}
		if err != nil {
			return at, err
		}
	}
	at.Done = at.Read < w.Items
	return at, nil
}

// readSome continues in the partition of the cursor, and moves the cursor to the end of what was read.
func (r *rowStore) readSome(ctx context.Context, w itemWalk, at *walked) (items []Item, err error) {
	partition, skip := at.Next.Partition, false
	if w.Skip != nil {
		skip, err = w.Skip(ctx, partition)
	}
	if err == nil && !skip {
		q := storage.Query{Partition: partition, RowFrom: at.Next.Row, PageSize: min(w.Items, maxWalkPage),
			Select: w.Columns}
		for it, err := range r.Walk(ctx, q) {
			if err != nil {
				return nil, err
			}
			if at.Read == w.Items {
				break
			}
			at.Read++
			at.Next.Row = justPast(it.Hash())
			if w.Host == "" || it.SourceHost == w.Host {
				at.Items++
				items = append(items, it)
			}
		}
	}
	if at.Read < w.Items {
		at.Next = Cursor{Partition: justPast(partition)}
	}
	return items, err
}

// PartitionsOf yields the partitions that items of a host can be in, beginning at the given partition. If host is
// empty, it yields all partitions.
func (r *rowStore) PartitionsOf(ctx context.Context, host, from string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if host != "" && r.Options.Strategy != source.ByScheme {
			if from <= host {
				yield(host, nil)
			}
			return
		}
		for e, err := range r.Index.Query(ctx, storage.Query{Partition: partitionsKey, RowFrom: from}) {
			if !yield(e.Row, err) || err != nil {
				return
			}
		}
	}
}

// justPast returns the least key after a key: a space sorts before every other character in keys.
func justPast(key string) string { return key + "\x20" }

package registry

import (
	"context"
	"iter"
	"strings"

	"github.com/tidemark/tidemark/pkg/storage"
)

// maxWalkPage is the most items that one request of a walk reads.
const maxWalkPage = storage.MaxPage - fewRows

// fewRows is how many rows beside the items are read along before they are stepped over.
const fewRows = 100

// walk reads the items of a partition in order, so many with one request, and of their columns only
// those that are named, if any are. The rows between them are read along while they are few, which
// is one request for a small partition, and stepped over by range when they are many.
func (r *Registry) walk(ctx context.Context, partition, from string, page int, columns ...string) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for jump := true; jump; {
			jump = false
			others := 0
			q := storage.Query{Partition: partition, RowFrom: from, PageSize: page + fewRows, Select: columns}
			for e, err := range r.items.Query(ctx, q) {
				if err == nil && !isItemRow(e.Row) {
					if others++; others < fewRows {
						continue
					}
					prefix, _, _ := strings.Cut(e.Row, "|")
					from, jump = prefix+afterBar, true
					break
				}
				if others = 0; !yield(itemOf(e), err) || err != nil {
					return
				}
			}
		}
	}
}

// justPast is the least key after a key: a space sorts before every other character of ours.
func justPast(key string) string { return key + "\x20" }

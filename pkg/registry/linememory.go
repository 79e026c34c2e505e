package registry

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// The table FieldValues also has what is remembered of the lines of each page: one row in the partition of the item. It
// is read and written by checks that find another text, and goes with the item.

// remembered is such a row.
type remembered struct {
	Memory linememory.Memory `col:"memory,gzip"`
}

var memories = row.Of[remembered]()

// memoryRow is the key of the row; it has no bar, as the keys of entries do.
const memoryRow = "lines"

// Memory returns what is remembered of a page. The ids are the item's own and those of the items that have moved to it.
func (s *FieldLog) Memory(ctx context.Context, ids ...source.ID) (m linememory.Memory, err error) {
	defer fault.Wrap(&err, "memory of the lines of %s", ids[0])
	for _, id := range ids {
		e, err := s.table.Get(ctx, storage.Key{Partition: string(id), Row: memoryRow})
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return m, err
		}
		r, err := memories.Decode(e.Props)
		return r.Memory, err
	}
	return m, nil
}

// Remember stores what is remembered of a page. The write is deferred ([storage.Deferred]): it is durable with the
// commit of the check. A check that is repeated after a crash gives the same memory, see [linememory.Memory.See].
func (s *FieldLog) Remember(ctx context.Context, id source.ID, m linememory.Memory) error {
	return storage.TransactAll(storage.Deferred(ctx), s.table, []storage.Op{{Kind: storage.Upsert, Entity: storage.Entity{
		Key: storage.Key{Partition: string(id), Row: memoryRow}, Props: memories.Encode(&remembered{m})}}})
}

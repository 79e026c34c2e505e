package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"iter"
	"maps"
	"slices"

	"github.com/tidemark/tidemark/pkg/storage"
)

// maxPageBytes limits the memory for one page of a query. Only the last row of a page may exceed the limit.
const maxPageBytes = 4 << 20

// above is greater than every text, because SQLite sorts values of type BLOB after texts.
var above = []byte{0}

// after returns a lower bound of all keys that sort after the given key. Keys contain no control characters.
func after(key string) string { return key + "\x01" }

// Query yields a range of rows, page by page, with a snapshot for each page. A single snapshot for the whole query
// would last until the caller has received the last row, and SQLite's log could not shrink before that. Callers that
// read or write between two rows could also wait for each other's connections forever.
func (t *table) Query(ctx context.Context, q storage.Query) iter.Seq2[storage.Entity, error] {
	return func(yield func(storage.Entity, error) bool) {
		if err := storage.CheckQuery(q); err != nil {
			yield(storage.Entity{}, err)
			return
		}
		id, err := t.ready(ctx)
		if err != nil {
			yield(storage.Entity{}, err)
			return
		}
		for p := t.firstPage(id, q); p.more; {
			if err := p.read(ctx); err != nil {
				yield(storage.Entity{}, t.s.kinded(ctx, err))
				return
			}
			for _, e := range p.rows {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// page is a position in a query, and the rows that were read there.
type page struct {
	*table
	id    int64
	q     storage.Query
	where [][]byte
	from  storage.Key // the first key of the next page
	size  int
	rows  []storage.Entity
	seen  int // number of rows that were read, including rows that Where excludes
	bytes int
	more  bool
}

func (t *table) firstPage(id int64, q storage.Query) *page {
	p := &page{table: t, id: id, q: q, where: conditions(q), size: q.PageSize, more: true}
	p.size = cmp.Or(p.size, storage.MaxPage)
	p.from = storage.Key{Partition: q.PartitionFrom, Row: q.RowFrom}
	return p
}

// conditions returns the columns that Where requires, in the encoding of encodeProps.
func conditions(q storage.Query) (where [][]byte) {
	for _, name := range slices.Sorted(maps.Keys(q.Where)) {
		where = append(where, encodeProps(storage.Properties{name: q.Where[name]})[1:])
	}
	return where
}

// wants reports whether the columns fulfil Where. SQLite's search for the bytes of a condition is not enough, because
// the same bytes may also occur inside a value.
func (p *page) wants(data []byte) (bool, error) {
	if len(p.where) == 0 {
		return true, nil
	}
	said, err := decodeProps(data, slices.Collect(maps.Keys(p.q.Where)))
	return err == nil && p.q.Wants(said), err
}

func orAbove(bound string) any {
	if bound == "" {
		return above
	}
	return bound
}

// inPartition and inTable each read a range of the primary key. SQLite reads the columns of rows that a condition
// excludes, but does not return them.
const (
	inPartition = "SELECT part, row, rev, props FROM rows WHERE tbl = ? AND part = ? AND row >= ? AND row < ?"
	inTable     = "SELECT part, row, rev, props FROM rows WHERE tbl = ? AND (part, row) >= (?, ?) AND part < ? AND " +
		"row >= ? AND row < ?"
	having  = " AND instr(props, ?)"
	inOrder = " ORDER BY part, row LIMIT ?"
)

// read reads the next page.
func (p *page) read(ctx context.Context) error {
	if err := ended(ctx); err != nil {
		return err
	}
	if err := p.s.flushFor(ctx, p.id, p.q.Partition); err != nil {
		return err
	}
	query := inTable
	args := []any{p.id, p.from.Partition, p.from.Row, orAbove(p.q.PartitionTo), p.q.RowFrom, orAbove(p.q.RowTo)}
	if p.q.Partition != "" {
		query, args = inPartition, []any{p.id, p.q.Partition, p.from.Row, orAbove(p.q.RowTo)}
	}
	for _, column := range p.where {
		query, args = query+having, append(args, column)
	}
	p.rows, p.seen, p.bytes, p.more = nil, 0, 0, false
	var key storage.Key
	var rev int64
	var data sql.RawBytes
	for err := range p.s.read.Rows(ctx, query+inOrder, append(args, p.size), &key.Partition, &key.Row, &rev, &data) {
		if err == nil {
			err = p.add(key, rev, data)
		}
		if err != nil {
			return err
		}
		if p.more {
			break
		}
	}
	p.more = p.more || p.seen == p.size
	return nil
}

// add adds a row to the page.
func (p *page) add(key storage.Key, rev int64, data []byte) error {
	p.seen++
	p.bytes += len(data)
	p.from = storage.Key{Partition: key.Partition, Row: after(key.Row)}
	wanted, err := p.wants(data)
	if err == nil && wanted {
		var e storage.Entity
		e, err = entity(key, rev, data, p.q.Select)
		p.rows = append(p.rows, e)
	}
	p.more = p.bytes >= maxPageBytes
	return err
}

package mem

import (
	"context"
	"iter"
	"maps"
	"strconv"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

var _ storage.Table = (*table)(nil)

// row is immutable. A write replaces a row with a new one, so readers may keep the old row.
type row struct {
	key   string
	etag  storage.ETag
	props storage.Properties
}

type partition struct {
	name string
	rows sorted[*row]
}

type table struct {
	gate
	parts    sorted[*partition]
	revision int64
}

func newPartitions() sorted[*partition] {
	return sorted[*partition]{key: func(p *partition) string { return p.name }}
}

func newPartition(name string) *partition {
	return &partition{name: name, rows: sorted[*row]{key: func(r *row) string { return r.key }}}
}

// Get reads one row.
func (t *table) Get(ctx context.Context, key storage.Key) (storage.Entity, error) {
	if err := storage.CheckKey(key); err != nil {
		return storage.Entity{}, err
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	if err := t.ready(ctx); err != nil {
		return storage.Entity{}, err
	}
	if p, ok := t.parts.get(key.Partition); ok {
		if r, ok := p.rows.get(key.Row); ok {
			return entity(p, r, nil), nil
		}
	}
	return storage.Entity{}, noRow()
}

func noRow() error { return fault.New(fault.NotFound, "no such row") }

// entity returns a copy of a row with the columns in sel. If sel is empty, the copy has all columns.
func entity(p *partition, r *row, sel []string) storage.Entity {
	e := storage.Entity{Key: storage.Key{Partition: p.name, Row: r.key}, ETag: r.etag}
	if len(sel) == 0 {
		e.Props = cloneProps(r.props)
		return e
	}
	some := make(storage.Properties, len(sel))
	for _, name := range sel {
		if v, ok := r.props[name]; ok {
			some[name] = v
		}
	}
	e.Props = cloneProps(some)
	return e
}

// Query yields a range of rows. Like the service, it reads page by page. So it may include rows that are written in
// the meantime.
func (t *table) Query(ctx context.Context, q storage.Query) iter.Seq2[storage.Entity, error] {
	return func(yield func(storage.Entity, error) bool) {
		if err := storage.CheckQuery(q); err != nil {
			yield(storage.Entity{}, err)
			return
		}
		next := storage.Key{Partition: q.PartitionFrom, Row: q.RowFrom}
		if q.Partition != "" {
			next.Partition = q.Partition
		}
		for more := true; more; {
			var page []storage.Entity
			var err error
			page, next, more, err = t.page(ctx, q, next)
			if err != nil {
				yield(storage.Entity{}, err)
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// page reads at most a page of rows, starting at the given key. It returns the key at which the next page begins.
func (t *table) page(
	ctx context.Context, q storage.Query, from storage.Key,
) (page []storage.Entity, next storage.Key, more bool, err error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if err := t.ready(ctx); err != nil {
		return nil, next, false, err
	}
	size := q.PageSize
	if size == 0 {
		size = storage.MaxPage
	}
	t.parts.from(from.Partition, func(p *partition) bool {
		if q.Partition != "" && p.name != q.Partition || q.PartitionTo != "" && p.name >= q.PartitionTo {
			return false
		}
		start := q.RowFrom
		if p.name == from.Partition {
			start = from.Row
		}
		p.rows.from(start, func(r *row) bool {
			if q.RowTo != "" && r.key >= q.RowTo {
				return false
			}
			if !q.Wants(r.props) {
				return true
			}
			if len(page) == size {
				next, more = storage.Key{Partition: p.name, Row: r.key}, true
				return false
			}
			page = append(page, entity(p, r, q.Select))
			return true
		})
		return !more
	})
	return page, next, more, nil
}

// Transact applies all ops or none of them.
func (t *table) Transact(ctx context.Context, ops ...storage.Op) ([]storage.ETag, error) {
	if err := storage.CheckTransaction(ops); err != nil {
		return nil, err
	}
	tags, _, err := t.transact(ctx, ops)
	return tags, err
}

// transact applies ops that were checked. The function undo restores the rows as they were.
func (t *table) transact(ctx context.Context, ops []storage.Op) (tags []storage.ETag, undo func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.ready(ctx); err != nil {
		return nil, nil, err
	}
	name := ops[0].Entity.Partition
	p, ok := t.parts.get(name)
	if !ok {
		p = newPartition(name)
	}
	// All ops are checked before the first is applied. This is correct because no two ops concern the same row.
	was := make([]*row, len(ops))
	for i, op := range ops {
		r, _ := p.rows.get(op.Entity.Row)
		if err := allowed(op, r); err != nil {
			return nil, nil, &storage.OpError{Index: i, Err: err}
		}
		was[i] = r
	}
	tags = t.apply(p, ops, was)
	t.updateParts(p, ok)
	rows := make([]string, len(ops))
	for i, op := range ops {
		rows[i] = op.Entity.Row
	}
	return tags, func() { t.restore(name, rows, was) }, nil
}

// restore makes rows what they were. Revisions are not issued again.
func (t *table) restore(name string, rows []string, was []*row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.parts.get(name)
	if !ok {
		p = newPartition(name)
	}
	for i, key := range rows {
		if was[i] == nil {
			p.rows.remove(key)
		} else {
			p.rows.put(was[i])
		}
	}
	t.updateParts(p, ok)
}

// allowed returns an error if an op must not be applied to the row r. If r is nil, the row does not exist.
func allowed(op storage.Op, r *row) error {
	switch {
	case op.Kind == storage.Upsert:
		return nil
	case op.Kind == storage.Insert:
		if r != nil {
			return fault.New(fault.Conflict, "the row exists")
		}
		return nil
	case r == nil:
		return noRow()
	case op.Entity.ETag != storage.AnyETag && op.Entity.ETag != r.etag:
		return fault.New(fault.Conflict, "the row has another revision")
	case op.Kind == storage.Merge:
		return mergeFits(op.Entity, r)
	}
	return nil
}

// mergeFits refuses a merge whose result would exceed the size limit for an entity.
func mergeFits(e storage.Entity, r *row) error {
	old := storage.Entity{Key: e.Key, Props: r.props}
	if len(e.Props)+len(r.props) <= storage.MaxProperties && size(e)+size(old) <= storage.MaxEntityBytes {
		return nil // the merged row fits even if no column is in both
	}
	e.Props = merged(r.props, e.Props)
	if len(e.Props) > storage.MaxProperties || size(e) > storage.MaxEntityBytes {
		return fault.New(fault.Invalid, "the merged row would be too large")
	}
	return nil
}

func size(e storage.Entity) int { return max(storage.EntitySize(e), storage.JSONSize(e)) }

// merged returns the columns of old, overwritten and extended by more. It need not copy the values, because values
// are never changed in place.
func merged(old, more storage.Properties) storage.Properties {
	all := make(storage.Properties, len(old)+len(more))
	maps.Copy(all, old)
	maps.Copy(all, more)
	return all
}

func (t *table) apply(p *partition, ops []storage.Op, was []*row) []storage.ETag {
	tags := make([]storage.ETag, len(ops))
	for i, op := range ops {
		if op.Kind == storage.Delete {
			p.rows.remove(op.Entity.Row)
			continue
		}
		t.revision++
		tags[i] = storage.ETag(`W/"` + strconv.FormatInt(t.revision, 10) + `"`)
		props := cloneProps(op.Entity.Props)
		if op.Kind == storage.Merge {
			props = merged(was[i].props, props)
		}
		p.rows.put(&row{key: op.Entity.Row, etag: tags[i], props: props})
	}
	return tags
}

// updateParts removes a partition without rows from the list of partitions, and adds one with rows.
func (t *table) updateParts(p *partition, known bool) {
	switch {
	case known && p.rows.n == 0:
		t.parts.remove(p.name)
	case !known && p.rows.n > 0:
		t.parts.put(p)
	}
}

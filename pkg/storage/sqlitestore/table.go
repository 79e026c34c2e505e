package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

var _ storage.Table = (*table)(nil)

type table struct{ *gate }

// Get reads one row.
func (t *table) Get(ctx context.Context, key storage.Key) (storage.Entity, error) {
	if err := storage.CheckKey(key); err != nil {
		return storage.Entity{}, err
	}
	id, err := t.ready(ctx)
	if err != nil {
		return storage.Entity{}, err
	}
	if err := t.s.flushFor(ctx, id, key.Partition); err != nil {
		return storage.Entity{}, err
	}
	var rev int64
	var data []byte
	err = t.s.read.Row(ctx, "SELECT rev, props FROM rows WHERE tbl = ? AND part = ? AND row = ?",
		[]any{id, key.Partition, key.Row}, &rev, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return storage.Entity{}, noRow()
	}
	if err != nil {
		return storage.Entity{}, t.s.kinded(ctx, err)
	}
	e, err := entity(key, rev, data, nil)
	return e, t.s.kinded(ctx, err)
}

func entity(key storage.Key, rev int64, data []byte, sel []string) (storage.Entity, error) {
	p, err := decodeProps(data, sel)
	if err != nil {
		return storage.Entity{}, err
	}
	return storage.Entity{Key: key, ETag: etag(rev), Props: p}, nil
}

func etag(rev int64) storage.ETag {
	return storage.ETag(`W/"` + strconv.FormatInt(rev, 10) + `"`)
}

// revision decodes the output of [etag]. For any other text, it returns a revision that no row has.
func revision(e storage.ETag) int64 {
	s, ok := strings.CutPrefix(string(e), `W/"`)
	digits, ok2 := strings.CutSuffix(s, `"`)
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || !ok2 || err != nil || etag(n) != e {
		return -1
	}
	return n
}

func noRow() error { return fault.New(fault.NotFound, "no such row") }

// Transact applies all ops or none of them.
func (t *table) Transact(ctx context.Context, ops ...storage.Op) ([]storage.ETag, error) {
	if err := storage.CheckTransaction(ops); err != nil {
		return nil, err
	}
	id, err := t.ready(ctx)
	if err != nil {
		return nil, err
	}
	ops = slices.Clone(ops)
	encoded := make([][]byte, len(ops)) // outside the transaction, so that several callers can encode at the same time
	for i := range ops {
		if ops[i].Kind != storage.Delete {
			encoded[i], ops[i].Entity.Props = encodeProps(ops[i].Entity.Props), nil
		}
	}
	var tags []storage.ETag
	do := func(x *tx) error {
		got, err := applyAll(x, id, ops, encoded)
		if !x.again {
			tags = got
		}
		return err
	}
	if !storage.IsDeferred(ctx) {
		err = t.s.write(ctx, do)
	} else {
		err = t.s.submit(ctx, &job{do: do, deferred: true, changes: target{id, ops[0].Entity.Partition}})
	}
	if err != nil {
		return nil, err
	}
	return tags, nil
}

// applyAll applies the ops of a transaction. A deferred one may run again when its caller has gone on, so it uses
// nothing that belongs to the caller.
func applyAll(x *tx, id int64, ops []storage.Op, encoded [][]byte) ([]storage.ETag, error) {
	tags := make([]storage.ETag, len(ops))
	for i, op := range ops {
		tag, err := apply(x, id, op, encoded[i])
		if err != nil {
			return nil, opError(i, err)
		}
		tags[i] = tag
	}
	return tags, nil
}

// opError adds the index of the op to a refusal. A failure of the driver does not concern one op.
func opError(i int, err error) error {
	if fault.KindOf(err) == fault.Internal {
		return err
	}
	return &storage.OpError{Index: i, Err: err}
}

// apply applies one op. A successful write takes only one statement, because apply searches for a reason only after a
// write that changed no row.
func apply(x *tx, id int64, op storage.Op, data []byte) (storage.ETag, error) {
	rev := x.next()
	row := rowAddress{id, op.Entity.Partition, op.Entity.Row}
	var err error
	switch op.Kind {
	case storage.Insert:
		err = row.insert(x, rev, data)
	case storage.Upsert:
		_, err = x.exec("INSERT INTO rows (tbl, part, row, rev, props) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "+
			"rev = excluded.rev, props = excluded.props",
			row.tbl, row.part, row.row, rev, data)
	case storage.Replace:
		err = row.replace(x, op.Entity.ETag, rev, data)
	case storage.Merge:
		err = row.merge(x, op.Entity, data, rev)
	case storage.Delete:
		return "", row.delete(x, op.Entity.ETag)
	}
	return etag(rev), err
}

// rowAddress is the address of a row.
type rowAddress struct {
	tbl       int64
	part, row string
}

func (p rowAddress) insert(x *tx, rev int64, data []byte) error {
	n, err := x.exec("INSERT INTO rows (tbl, part, row, rev, props) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", p.tbl,
		p.part, p.row, rev, data)
	if err == nil && n == 0 {
		return fault.New(fault.Conflict, "the row exists")
	}
	return err
}

func (p rowAddress) replace(x *tx, tag storage.ETag, rev int64, data []byte) error {
	n, err := x.exec("UPDATE rows SET rev = ?, props = ? WHERE tbl = ? AND part = ? AND row = ? AND (? OR rev = ?)", rev,
		data, p.tbl, p.part, p.row, tag == storage.AnyETag, revision(tag))
	return p.refused(x, n, err)
}

func (p rowAddress) delete(x *tx, tag storage.ETag) error {
	n, err := x.exec("DELETE FROM rows WHERE tbl = ? AND part = ? AND row = ? AND (? OR rev = ?)", p.tbl, p.part, p.row,
		tag == storage.AnyETag, revision(tag))
	return p.refused(x, n, err)
}

// refused returns the error that explains why a write changed no row.
func (p rowAddress) refused(x *tx, touched int64, err error) error {
	if err != nil || touched > 0 {
		return err
	}
	var rev int64
	err = x.row("SELECT rev FROM rows WHERE tbl = ? AND part = ? AND row = ?", []any{p.tbl, p.part, p.row}, &rev)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return noRow()
	case err != nil:
		return err
	}
	return otherRevision()
}

func otherRevision() error { return fault.New(fault.Conflict, "the row has another revision") }

// merge writes the given columns of a row, in the encoding of encodeProps, and keeps its other columns.
func (p rowAddress) merge(x *tx, e storage.Entity, columns []byte, rev int64) error {
	var old int64
	var data []byte
	err := x.row("SELECT rev, props FROM rows WHERE tbl = ? AND part = ? AND row = ?", []any{p.tbl, p.part, p.row},
		&old, &data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return noRow()
	case err != nil:
		return err
	case e.ETag != storage.AnyETag && revision(e.ETag) != old:
		return otherRevision()
	}
	all, n, err := mergeColumns(data, columns)
	if err != nil {
		return err
	}
	if n > storage.MaxProperties || !isSmall(all, n) && isTooLarge(e.Key, all) {
		return fault.New(fault.Invalid, "the merged row would be too large")
	}
	_, err = x.exec("UPDATE rows SET rev = ?, props = ? WHERE tbl = ? AND part = ? AND row = ?", rev, all,
		p.tbl, p.part, p.row)
	return err
}

// isSmall reports whether a row of n columns is so small that it need not be measured. In JSON, a byte of a text may
// take six bytes, and a column 64 more.
func isSmall(columns []byte, n int) bool {
	const ofKey = 96 + 2*6*storage.MaxKeyUnits
	return ofKey+6*len(columns)+64*n <= storage.MaxEntityBytes
}

// isTooLarge measures a row.
func isTooLarge(key storage.Key, columns []byte) bool {
	p, err := decodeProps(columns, nil)
	e := storage.Entity{Key: key, Props: p}
	return err != nil || max(storage.EntitySize(e), storage.JSONSize(e)) > storage.MaxEntityBytes
}

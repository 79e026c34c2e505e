package transfer

import (
	"bytes"
	"context"
	"fmt"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// maxBatchBytes keeps a transaction below the largest transaction of a store.
	maxBatchBytes = 3 << 20
	// opBytes is an upper bound of the size that an operation adds to the JSON and the keys of its row.
	opBytes = 2 << 10
	// reachEvery is the number of lines that are written between two checkpoints.
	reachEvery = 1000
)

// batch holds adjacent rows of one partition.
type batch struct {
	rows  []storage.Entity
	hint  *storage.Entity // a row that must be written before the others
	first int             // line number of the first row
	bytes int
}

// full reports whether the batch has no room for e, so that e must begin a new batch.
func (b *batch) full(e storage.Entity) bool {
	return len(b.rows) == storage.MaxOps || b.rows[0].Partition != e.Partition || b.bytes+rowBytes(e) > maxBatchBytes
}

// rowBytes returns an upper bound of the size that a row adds to a transaction. The keys occur twice: in the row and
// in its address.
func rowBytes(e storage.Entity) int {
	return opBytes + storage.JSONSize(e) + 6*(len(e.Partition)+len(e.Row))
}

// tableImport writes one table.
type tableImport struct {
	*importing
	contents
	table storage.Table
	batch batch
	// hinted is the partition of the last hint. One partition comes after the other.
	hinted string
	saved  int // line number of the last checkpoint
}

func (i *importing) writeTable(ctx context.Context, c contents) error {
	t := &tableImport{importing: i, contents: c, table: i.store.Table(c.Name)}
	file := tableFile(c.Name)
	done := i.point.Done[file]
	t.saved = done
	for line, l := range lines(i.dir, file) {
		if l.err != nil {
			return l.err
		}
		i.report.Rows++
		if line <= done {
			i.report.Found++
			continue
		}
		e, err := decodeRow(l.text)
		if err != nil {
			return at(file, line, err)
		}
		if err := t.add(ctx, line, e); err != nil {
			return err
		}
	}
	if err := t.flush(ctx); err != nil {
		return err
	}
	i.o.progress("importing", c.Name, c.Lines, c.Lines)
	return i.point.reach(i.dir, file, c.Lines)
}

func (t *tableImport) add(ctx context.Context, line int, e storage.Entity) error {
	e, hint, hinted := t.plan.thaw(t.Name, e)
	if len(t.batch.rows) > 0 && t.batch.full(e) {
		if err := t.flush(ctx); err != nil {
			return err
		}
		if err := t.save(line - 1); err != nil {
			return err
		}
	}
	if len(t.batch.rows) == 0 {
		t.batch.first = line
	}
	if hinted && t.hinted != e.Partition {
		t.hinted, t.batch.hint = e.Partition, &hint
	}
	t.batch.rows = append(t.batch.rows, e)
	t.batch.bytes += rowBytes(e)
	return nil
}

// save records that all lines up to the given line are in the store. It does so at most once per [reachEvery] lines.
func (t *tableImport) save(line int) error {
	if line-t.saved < reachEvery {
		return nil
	}
	t.saved = line
	t.o.progress("importing", t.Name, line, t.Lines)
	return t.point.reach(t.dir, tableFile(t.Name), line)
}

// flush writes the batch: first the hint, then the rows that the store lacks.
func (t *tableImport) flush(ctx context.Context) error {
	b := t.batch
	t.batch = batch{}
	if len(b.rows) == 0 {
		return nil
	}
	if b.hint != nil {
		_, err := t.store.Table(t.plan.Hints).Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: *b.hint})
		if err != nil {
			return fmt.Errorf("hint of %s: %w", b.hint.Row, err)
		}
	}
	there, err := t.standing(ctx, b)
	if err != nil {
		return err
	}
	ops, replaced, err := t.decide(b, there)
	if err != nil || len(ops) == 0 {
		return err
	}
	if _, err := t.table.Transact(ctx, ops...); err != nil {
		return fmt.Errorf("%s: from line %d: %w", tableFile(t.Name), b.first, err)
	}
	t.report.Replaced += replaced
	return nil
}

// standing reads the rows that the store already has within the range of a batch.
func (t *tableImport) standing(ctx context.Context, b batch) (map[string]storage.Entity, error) {
	q := storage.Query{Partition: b.rows[0].Partition}
	if n := len(b.rows); n == 1 || b.rows[0].Row < b.rows[n-1].Row {
		q.RowFrom = b.rows[0].Row
		// The bound is the least key after the last row, because the space is the least character that a bound or key
		// may contain. If the last key has the maximum length, there is no such bound, and the partition is read to
		// its end.
		if q.RowTo = b.rows[n-1].Row + " "; storage.CheckQuery(q) != nil {
			q.RowTo = ""
		}
	}
	wanted := make(map[string]bool, len(b.rows))
	for _, e := range b.rows {
		wanted[e.Row] = true
	}
	there := map[string]storage.Entity{}
	for e, err := range t.table.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		if wanted[e.Row] {
			there[e.Row] = e
		}
	}
	return there, nil
}

// decide compares the rows of a batch with the rows in the store.
func (t *tableImport) decide(b batch, there map[string]storage.Entity) (ops []storage.Op, replaced int, err error) {
	for i, e := range b.rows {
		old, exists := there[e.Row]
		switch {
		case !exists:
			ops = append(ops, storage.Op{Kind: storage.Insert, Entity: e})
		case sameRow(old, e):
			t.report.Found++
		case t.o.Overwrite:
			e.ETag = old.ETag
			ops = append(ops, storage.Op{Kind: storage.Replace, Entity: e})
			replaced++
		default:
			return nil, 0, at(tableFile(t.Name), b.first+i, fault.New(fault.Conflict,
				"row %s/%s is in the store with other content", e.Partition, e.Row))
		}
	}
	return ops, replaced, nil
}

func sameRow(a, b storage.Entity) bool {
	x, errX := encodeRow(a)
	y, errY := encodeRow(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func (i *importing) verifyTable(ctx context.Context, c contents) error {
	var have tally
	for e, err := range i.store.Table(c.Name).Query(ctx, storage.Query{}) {
		if err != nil {
			return err
		}
		line, err := encodeRow(e)
		if err != nil {
			return err
		}
		if have.add(line); have.n%progressEvery == 0 {
			i.o.progress("verifying", c.Name, have.n, c.Lines)
		}
	}
	want := i.want[c.Name]
	if have.n != want.n {
		return differs("table %s has %d rows, the folder has %d", c.Name, have.n, want.n)
	}
	if have != want {
		return differs("table %s has as many rows as the folder, but not the same", c.Name)
	}
	return nil
}

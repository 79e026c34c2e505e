package registry

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// This file keeps the history of the fields of items: the values that checks found, from the first one on. It
// outlives the captures in which they were read.
//
// # Rows
//
// The table FieldValues has a row for each entry. Its partition is the item's id, and its row key the name of the field
// and the number of the entry. The item's row has the last entry of each field ([field.Kept]), and the table those
// before it. Rows with higher numbers were written by a check that did not commit, and are not read. If that check is
// repeated, it writes the same numbers.
//
// Of each field, the last most entries are kept.
//
// # Items that move
//
// When an item moves to another id, its rows stay where they are, as its captures do. The item's row has its count, so
// the entries are those of the item's own id and, for numbers that it does not have, of its former ids.

// FieldTable is the name of the table.
const FieldTable = "FieldValues"

// most is the largest number of entries that are kept of a field.
const most = 5000

// FieldLog keeps the histories. It is safe for concurrent use.
type FieldLog struct {
	table storage.Table
	most  int
}

// NewFieldLog returns a Store that keeps the histories in s. It sends no request; see [FieldLog.Create].
func NewFieldLog(s storage.Store) *FieldLog { return &FieldLog{s.Table(FieldTable), most} }

// Create creates the table if it is missing.
func (s *FieldLog) Create(ctx context.Context) error { return s.table.Create(ctx) }

// entry is a row.
type entry struct {
	Name     string         `col:"name"`
	At       time.Time      `col:"at,must"`
	Capture  string         `col:"capture"`
	Value    field.Value    `col:"value,must"`
	Evidence field.Evidence `col:"evidence"`
}

var rows = row.Of[entry]()

// Add adds entries to the histories of an item. The writes are deferred ([storage.Deferred]): they are durable with the
// write that counts them on the item. After an error, callers must repeat the check, which adds entries with the same
// numbers.
func (s *FieldLog) Add(ctx context.Context, id source.ID, entries []field.Entry) (err error) {
	defer fault.Wrap(&err, "history of the fields of %s", id)
	ctx = storage.Deferred(ctx)
	var ops []storage.Op
	for _, e := range entries {
		ops = append(ops, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key: storage.Key{Partition: string(id), Row: rowKey(e.Name, e.Number)}, Props: rows.Encode(&entry{
				Name: e.Name, At: e.At, Capture: e.Capture, Value: e.Value, Evidence: e.Evidence}),
		}})
	}
	if err := storage.TransactAll(ctx, s.table, ops); err != nil {
		return err
	}
	for _, e := range entries {
		if e.Number > s.most {
			old := storage.Key{Partition: string(id), Row: rowKey(e.Name, e.Number-s.most)}
			if err := storage.DeleteRow(ctx, s.table, old); err != nil {
				return err
			}
		}
	}
	return nil
}

// FieldHistory is what is kept of a field.
type FieldHistory struct {
	Entries []field.Entry // oldest first
	Older   int           // entries that are not kept any more
}

// List returns the history of a field of which the item's row has the last entry. The ids are the item's own and those
// of the items that have moved to it.
func (s *FieldLog) List(ctx context.Context, ids []source.ID, known field.Kept) (h FieldHistory, err error) {
	last := known.Entry()
	if last.Number == 0 {
		return h, nil
	}
	h, err = s.before(ctx, ids, known.Name, last.Number-1)
	h.Entries = append(h.Entries, last)
	return h, err
}

// before returns the first entries of the history of a field.
func (s *FieldLog) before(ctx context.Context, ids []source.ID, name string, entries int) (h FieldHistory, err error) {
	found := map[int]field.Entry{}
	for _, id := range ids {
		if err := s.read(ctx, id, name, entries, found); err != nil {
			return h, fmt.Errorf("history of %.60q of %s: %w", name, id, err)
		}
		if len(found) == min(entries, s.most) {
			break
		}
	}
	for _, number := range slices.Sorted(maps.Keys(found)) {
		h.Entries = append(h.Entries, found[number])
	}
	h.Older = entries - len(h.Entries)
	return h, nil
}

// read adds the entries of one id whose numbers are not found yet.
func (s *FieldLog) read(ctx context.Context, id source.ID, name string, entries int, found map[int]field.Entry) error {
	q := storage.Query{Partition: string(id), RowFrom: rowKey(name, max(1, entries-s.most+1)),
		RowTo: rowKey(name, entries+1)}
	for e, err := range s.table.Query(ctx, q) {
		if err != nil {
			return err
		}
		number := 0
		_, digits, _ := strings.Cut(e.Row, bar)
		if _, err := fmt.Sscanf(digits, "%d", &number); err != nil {
			return fault.New(fault.Internal, "the row %s has no number: %w", e.Row, err)
		}
		if _, has := found[number]; has {
			continue
		}
		r, err := rows.Decode(e.Props)
		if err != nil {
			return err
		}
		found[number] = field.Entry{Name: name, Number: number, At: r.At, Capture: r.Capture, Value: r.Value,
			Evidence: r.Evidence}
	}
	return nil
}

// Purge removes all histories of an item. After an error, callers must repeat the call.
func (s *FieldLog) Purge(ctx context.Context, id source.ID) (err error) {
	defer fault.Wrap(&err, "purge the history of the fields of %s", id)
	var ops []storage.Op
	for e, err := range s.table.Query(ctx, storage.Query{Partition: string(id), Select: []string{"name"}}) {
		if err != nil {
			return err
		}
		ops = append(ops, storage.DeleteOp(e.Key, storage.AnyETag))
	}
	return storage.TransactAll(ctx, s.table, ops)
}

const bar = "|"

// escapes writes the characters that a key may not have, and those that have a meaning in it.
var escapes = strings.NewReplacer("!", "!0", "#", "!1", "?", "!2", bar, "!3", "/", "!4", `\`, "!5")

// rowKey returns the key of an entry. The keys of a field are in the order of the numbers.
func rowKey(name string, number int) string {
	return fmt.Sprintf("%s%s%010d", escapes.Replace(name), bar, number)
}

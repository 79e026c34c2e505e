package storagetest

import (
	"fmt"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

func (s suite) transactions(t *testing.T) {
	run(t, map[string]func(*testing.T){
		"hundred ops of every kind":         s.hundred,
		"all or none, and who is to blame":  s.rollback,
		"revisions of a batch are current":  s.batchRevisions,
		"mixed deletes":                     s.mixedDeletes,
		"one batch of nothing but deletes":  s.onlyDeletes,
		"a replace of a missing row blames": s.missing,
	})
}

// hundred writes the largest number of ops, and reads the rows back with the revisions that were returned.
func (s suite) hundred(t *testing.T) {
	ctx, table := s.table(t)
	ops := make([]storage.Op, storage.MaxOps)
	for i := range ops {
		ops[i] = insert("p", fmt.Sprintf("%03d", i), props{"N": int32(i), "L": int64(i)})
	}
	tags := write(ctx, t, table, ops...)
	kinds := []storage.OpKind{storage.Replace, storage.Merge, storage.Upsert, storage.Delete}
	for i := range ops {
		ops[i] = at(op(kinds[i%4], ent("p", fmt.Sprintf("%03d", i), props{"N": int32(-i)})), tags[i])
	}
	tags = write(ctx, t, table, ops...)
	for i := range 8 {
		rk := fmt.Sprintf("%03d", i)
		switch kinds[i%4] {
		case storage.Delete:
			diff(t, "revision of a delete", storage.ETag(""), tags[i])
			wantNoRow(ctx, t, table, "p", rk)
		case storage.Merge:
			wantRow(ctx, t, table, "p", rk, tags[i], props{"N": int32(-i), "L": int64(i)})
		default:
			wantRow(ctx, t, table, "p", rk, tags[i], props{"N": int32(-i)})
		}
	}
}

// rollback makes each kind of op fail at each position, next to ops that would succeed without it.
func (s suite) rollback(t *testing.T) {
	ctx, table := s.table(t)
	tags := write(ctx, t, table, insert("p", "x", props{"V": "old"}), insert("p", "y", props{"V": "old"}),
		insert("p", "z", props{"V": "old"}))
	stale := tags[2]
	z := write(ctx, t, table, at(op(storage.Replace, ent("p", "z", props{"V": "newer"})), stale))[0]
	bad := map[string]struct {
		op   storage.Op
		kind fault.Kind
	}{
		"insert of a row that is there": {insert("p", "z", nil), fault.Conflict},
		"stale replace":                 {at(op(storage.Replace, ent("p", "z", nil)), stale), fault.Conflict},
		"stale merge":                   {at(op(storage.Merge, ent("p", "z", nil)), stale), fault.Conflict},
		"stale delete":                  {at(op(storage.Delete, ent("p", "z", nil)), stale), fault.Conflict},
		"replace of a missing row":      {at(op(storage.Replace, ent("p", "none", nil)), stale), fault.NotFound},
		"merge of a missing row":        {at(op(storage.Merge, ent("p", "none", nil)), stale), fault.NotFound},
		"delete of a missing row":       {at(op(storage.Delete, ent("p", "none", nil)), stale), fault.NotFound},
	}
	for name, c := range bad {
		for place := range 4 {
			good := []storage.Op{
				insert("p", "new", props{"V": "new"}),
				at(op(storage.Merge, ent("p", "x", props{"V": "new"})), tags[0]),
				at(op(storage.Delete, ent("p", "y", nil)), tags[1]),
			}
			ops := append(append(append([]storage.Op{}, good[:place]...), c.op), good[place:]...)
			_, err := table.Transact(ctx, ops...)
			if fault.KindOf(err) != c.kind {
				t.Fatalf("%s at %d: have %v, want %s", name, place, err, c.kind)
			}
			wantOp(t, err, place)
			wantNoRow(ctx, t, table, "p", "new")
			wantRow(ctx, t, table, "p", "x", tags[0], props{"V": "old"})
			wantRow(ctx, t, table, "p", "y", tags[1], props{"V": "old"})
			wantRow(ctx, t, table, "p", "z", z, props{"V": "newer"})
		}
	}
}

// batchRevisions writes repeatedly with only the revisions that the last batch returned.
func (s suite) batchRevisions(t *testing.T) {
	ctx, table := s.table(t)
	tags := write(ctx, t, table, insert("p", "a", nil), insert("p", "b", nil), insert("p", "c", nil))
	for i := range int32(5) {
		tags = write(ctx, t, table,
			at(op(storage.Replace, ent("p", "a", props{"N": i})), tags[0]),
			at(op(storage.Merge, ent("p", "b", props{"N": i})), tags[1]),
			op(storage.Upsert, ent("p", "c", props{"N": i})))
		for j, rk := range []string{"a", "b", "c"} {
			wantRow(ctx, t, table, "p", rk, tags[j], props{"N": i})
		}
	}
}

func (s suite) mixedDeletes(t *testing.T) {
	ctx, table := s.table(t)
	tags := write(ctx, t, table, insert("p", "due|1", nil), insert("p", "item", nil))
	tags = write(ctx, t, table,
		at(op(storage.Delete, ent("p", "due|1", nil)), tags[0]),
		insert("p", "due|2", props{"N": "1"}),
		at(op(storage.Replace, ent("p", "item", props{"Due": "2"})), tags[1]))
	diff(t, "revision of a delete", storage.ETag(""), tags[0])
	wantNoRow(ctx, t, table, "p", "due|1")
	wantRow(ctx, t, table, "p", "due|2", tags[1], props{"N": "1"})
	wantRow(ctx, t, table, "p", "item", tags[2], props{"Due": "2"})
}

func (s suite) onlyDeletes(t *testing.T) {
	ctx, table := s.table(t)
	tags := write(ctx, t, table, insert("p", "a", nil), insert("p", "b", nil))
	tags = write(ctx, t, table, at(op(storage.Delete, ent("p", "a", nil)), tags[0]),
		at(op(storage.Delete, ent("p", "b", nil)), storage.AnyETag))
	diff(t, "revisions", []storage.ETag{"", ""}, tags)
	wantNoRow(ctx, t, table, "p", "a")
	wantNoRow(ctx, t, table, "p", "b")
}

// missing checks that an update of a missing row does not become an upsert.
func (s suite) missing(t *testing.T) {
	ctx, table := s.table(t)
	for _, kind := range []storage.OpKind{storage.Replace, storage.Merge} {
		_, err := table.Transact(ctx, insert("p", "a", nil), at(op(kind, ent("p", "b", nil)), storage.AnyETag))
		wantKind(t, err, fault.NotFound)
		wantOp(t, err, 1)
		wantNoRow(ctx, t, table, "p", "a")
		wantNoRow(ctx, t, table, "p", "b")
	}
}

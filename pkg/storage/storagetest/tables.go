package storagetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

type props = storage.Properties

func ent(pk, rk string, p props) storage.Entity {
	return storage.Entity{Key: storage.Key{Partition: pk, Row: rk}, Props: p}
}

func op(kind storage.OpKind, e storage.Entity) storage.Op { return storage.Op{Kind: kind, Entity: e} }

func insert(pk, rk string, p props) storage.Op { return op(storage.Insert, ent(pk, rk, p)) }

// at returns the op with the given revision.
func at(o storage.Op, e storage.ETag) storage.Op {
	o.Entity.ETag = e
	return o
}

// write applies ops and returns the revisions.
func write(ctx context.Context, t *testing.T, table storage.Table, ops ...storage.Op) []storage.ETag {
	t.Helper()
	tags, err := table.Transact(ctx, ops...)
	if err != nil {
		t.Fatal(err)
	}
	if len(tags) != len(ops) {
		t.Fatalf("have %d revisions, want %d", len(tags), len(ops))
	}
	return tags
}

// wantRow reads a row and compares its columns and its revision.
func wantRow(ctx context.Context, t *testing.T, table storage.Table, pk, rk string, tag storage.ETag, p props) {
	t.Helper()
	e, err := table.Get(ctx, storage.Key{Partition: pk, Row: rk})
	if err != nil {
		t.Fatal(err)
	}
	want := ent(pk, rk, p)
	want.ETag = tag
	diff(t, "row", want, e)
}

func wantNoRow(ctx context.Context, t *testing.T, table storage.Table, pk, rk string) {
	t.Helper()
	_, err := table.Get(ctx, storage.Key{Partition: pk, Row: rk})
	wantKind(t, err, fault.NotFound)
}

func (s suite) tables(t *testing.T) {
	run(t, map[string]func(*testing.T){
		"create twice":                       s.createTwice,
		"never created is unavailable":       s.neverCreated,
		"types and values come back":         s.values,
		"keys accepted":                      s.keys,
		"insert wants no row":                s.insert,
		"replace drops, merge keeps columns": s.replaceMerge,
		"upsert takes either":                s.upsert,
		"delete":                             s.delete,
		"revisions race":                     s.race,
		"inserts race":                       s.insertRace,
		"increments are not lost":            s.increments,
		"copies":                             s.copies,
		"an ended context":                   s.ended,
	})
}

func (s suite) createTwice(t *testing.T) {
	ctx, table := s.table(t)
	if err := table.Create(ctx); err != nil {
		t.Fatal(err)
	}
}

func (s suite) neverCreated(t *testing.T) {
	table := s.open(t).Table(unique("t"))
	_, err := table.Get(t.Context(), storage.Key{Partition: "p", Row: "r"})
	wantKind(t, err, fault.Unavailable)
	_, err = table.Transact(t.Context(), insert("p", "r", nil))
	wantKind(t, err, fault.Unavailable)
	_, err = table.Transact(t.Context(), insert("p", "r", nil), insert("p", "s", nil))
	wantKind(t, err, fault.Unavailable)
	for _, err := range table.Query(t.Context(), storage.Query{}) {
		wantKind(t, err, fault.Unavailable)
		return
	}
	t.Fatal("a query of a missing table ended without an error")
}

// values writes values of every type, at the limits of the type. It reads them back in different ways.
func (s suite) values(t *testing.T) {
	ctx, table := s.table(t)
	p := props{
		"True": true, "False": false,
		"I32": int32(7), "I32Min": int32(math.MinInt32), "I32Max": int32(math.MaxInt32),
		"I64": int64(7), "I64Min": int64(math.MinInt64), "I64Max": int64(math.MaxInt64), "I64Odd": int64(1<<53 + 1),
		"F3": 3.0, "FNeg": -3.0, "F0": 0.0, "FHalf": 0.5, "FBig": 1e300, "FMax": math.MaxFloat64, "FTiny": 5e-324,
		"FRound": 1e21, "FInt": float64(1 << 60),
		"Empty": "", "Text": "plain", "Quotes": `it's "quoted" \ / <&>`, "Unicode": "é 漢字 🙂 \u2028 \u2029 \ufeff",
		"Control": "a\x00b\tc\r\nd\x1fe\x7f", "Number": "12", "Braces": "}{ --batch_ \r\n\r\nHTTP/1.1 500",
		"NoBytes": []byte{}, "Bytes": []byte{0, 1, 0xff, 0xfe},
		"Lower_case_9": "x", "odata": "x", "_u": "x",
	}
	single := write(ctx, t, table, insert("p", "single", p))
	double := write(ctx, t, table, insert("p", "batch", p), op(storage.Upsert, ent("p", "batch2", p)))
	wantRow(ctx, t, table, "p", "single", single[0], p)
	wantRow(ctx, t, table, "p", "batch", double[0], p)
	wantRow(ctx, t, table, "p", "batch2", double[1], p)
	for e, err := range table.Query(ctx, storage.Query{Partition: "p", RowFrom: "single"}) {
		must(t, e, err)
		diff(t, "queried", p, e.Props)
		diff(t, "queried revision", single[0], e.ETag)
	}
	none := write(ctx, t, table, insert("p", "none", nil))
	wantRow(ctx, t, table, "p", "none", none[0], props{})
}

func (s suite) keys(t *testing.T) {
	ctx, table := s.table(t)
	for _, key := range []string{
		"o'brien", "''", "due|2026-11-21T10:00:00.000Z|abc", "a b", "100%", "%41", "a+b", "a&b=c", "x;y,z", "é", "漢字", "🙂",
		`"q"`, "(x)", "a:b", "[1]", "{b}", "<t>", "~!@$^*`", ".", "..",
	} {
		tags := write(ctx, t, table, insert(key, key, props{"K": key}))
		wantRow(ctx, t, table, key, key, tags[0], props{"K": key})
		// Batches write keys into URLs of their own.
		tags = write(ctx, t, table, at(op(storage.Merge, ent(key, key, props{"M": "1"})), tags[0]), insert(key, key+"2", nil))
		wantRow(ctx, t, table, key, key, tags[0], props{"K": key, "M": "1"})
		n := 0
		for _, err := range table.Query(ctx, storage.Query{Partition: key, RowFrom: key, RowTo: key + "2"}) {
			must(t, 0, err)
			n++
		}
		if n != 1 {
			t.Errorf("key %q: query found %d rows, want 1", key, n)
		}
		write(ctx, t, table, at(op(storage.Delete, ent(key, key, nil)), tags[0]),
			at(op(storage.Delete, ent(key, key+"2", nil)), tags[1]))
		wantNoRow(ctx, t, table, key, key)
	}
}

func (s suite) insert(t *testing.T) {
	ctx, table := s.table(t)
	first := write(ctx, t, table, insert("p", "r", props{"V": int32(1)}))
	_, err := table.Transact(ctx, insert("p", "r", props{"V": int32(2)}))
	wantKind(t, err, fault.Conflict)
	wantOp(t, err, 0)
	wantRow(ctx, t, table, "p", "r", first[0], props{"V": int32(1)})
}

func (s suite) replaceMerge(t *testing.T) {
	ctx, table := s.table(t)
	a := write(ctx, t, table, insert("p", "r", props{"A": "1", "B": "1"}))[0]
	b := write(ctx, t, table, at(op(storage.Merge, ent("p", "r", props{"B": "2", "C": "2"})), a))[0]
	if a == b {
		t.Fatal("a merge left the revision as it was")
	}
	wantRow(ctx, t, table, "p", "r", b, props{"A": "1", "B": "2", "C": "2"})
	c := write(ctx, t, table, at(op(storage.Replace, ent("p", "r", props{"C": "3"})), b))[0]
	wantRow(ctx, t, table, "p", "r", c, props{"C": "3"})
	for _, kind := range []storage.OpKind{storage.Replace, storage.Merge, storage.Delete} {
		_, err := table.Transact(ctx, at(op(kind, ent("p", "r", nil)), a))
		wantKind(t, err, fault.Conflict)
		wantOp(t, err, 0)
		_, err = table.Transact(ctx, at(op(kind, ent("p", "gone", nil)), a))
		wantKind(t, err, fault.NotFound)
		wantOp(t, err, 0)
	}
	wantRow(ctx, t, table, "p", "r", c, props{"C": "3"})
	d := write(ctx, t, table, at(op(storage.Merge, ent("p", "r", props{"D": "4"})), storage.AnyETag))[0]
	wantRow(ctx, t, table, "p", "r", d, props{"C": "3", "D": "4"})
}

func (s suite) upsert(t *testing.T) {
	ctx, table := s.table(t)
	a := write(ctx, t, table, op(storage.Upsert, ent("p", "r", props{"A": "1"})))[0]
	b := write(ctx, t, table, op(storage.Upsert, ent("p", "r", props{"B": "1"})))[0]
	if a == b {
		t.Fatal("an upsert left the revision as it was")
	}
	wantRow(ctx, t, table, "p", "r", b, props{"B": "1"})
}

func (s suite) delete(t *testing.T) {
	ctx, table := s.table(t)
	a := write(ctx, t, table, insert("p", "r", nil))[0]
	tags := write(ctx, t, table, at(op(storage.Delete, ent("p", "r", nil)), a))
	diff(t, "revision of a deleted row", storage.ETag(""), tags[0])
	wantNoRow(ctx, t, table, "p", "r")
	write(ctx, t, table, insert("p", "r", nil))
	write(ctx, t, table, at(op(storage.Delete, ent("p", "r", nil)), storage.AnyETag))
	wantNoRow(ctx, t, table, "p", "r")
}

// race has many writers with one revision; exactly one may win, and the row is the winner's.
func (s suite) race(t *testing.T) {
	ctx, table := s.table(t)
	for _, ops := range []int{1, 2} {
		for round := range 5 {
			rk := fmt.Sprintf("%d-%d", ops, round)
			tag := write(ctx, t, table, insert("p", rk, nil))[0]
			winner, conflicts := contend(ctx, t, 16, func(i int32) error {
				batch := []storage.Op{at(op(storage.Replace, ent("p", rk, props{"By": i})), tag)}
				if ops == 2 {
					batch = append(batch, op(storage.Upsert, ent("p", rk+"-by", props{"By": i})))
				}
				_, err := table.Transact(ctx, batch...)
				return err
			})
			if conflicts != 15 {
				t.Fatalf("have %d conflicts, want 15", conflicts)
			}
			e := must2(table.Get(ctx, storage.Key{Partition: "p", Row: rk}))(t)
			diff(t, "winner", props{"By": winner}, e.Props)
		}
	}
}

func (s suite) insertRace(t *testing.T) {
	ctx, table := s.table(t)
	for round := range 5 {
		rk := fmt.Sprint(round)
		winner, conflicts := contend(ctx, t, 16, func(i int32) error {
			_, err := table.Transact(ctx, insert("p", "a"+rk, props{"By": i}), insert("p", "b"+rk, props{"By": i}))
			return err
		})
		if conflicts != 15 {
			t.Fatalf("have %d conflicts, want 15", conflicts)
		}
		for _, row := range []string{"a" + rk, "b" + rk} {
			e := must2(table.Get(ctx, storage.Key{Partition: "p", Row: row}))(t)
			diff(t, "winner", props{"By": winner}, e.Props)
		}
	}
}

// contend runs n writers at once and returns the one that won and how many were refused.
func contend(ctx context.Context, t *testing.T, n int, try func(i int32) error) (winner int32, conflicts int32) {
	t.Helper()
	var wins, lost atomic.Int32
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range int32(n) {
		wg.Go(func() {
			switch err := try(i); {
			case err == nil:
				wins.Add(1)
				won.Store(i)
			case fault.Is(err, fault.Conflict):
				lost.Add(1)
			default:
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if wins.Load() != 1 {
		t.Fatalf("have %d winners, want 1", wins.Load())
	}
	return won.Load(), lost.Load()
}

// increments compare and swap until they succeed; every one must be in the sum.
func (s suite) increments(t *testing.T) {
	ctx, table := s.table(t)
	write(ctx, t, table, insert("p", "n", props{"N": int64(0)}))
	const writers, each = 4, 5
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				if err := increment(ctx, table); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	e := must2(table.Get(ctx, storage.Key{Partition: "p", Row: "n"}))(t)
	diff(t, "sum", props{"N": int64(writers * each)}, e.Props)
}

func increment(ctx context.Context, table storage.Table) error {
	for {
		e, err := table.Get(ctx, storage.Key{Partition: "p", Row: "n"})
		if err != nil {
			return err
		}
		e.Props["N"] = e.Props["N"].(int64) + 1
		if _, err = table.Transact(ctx, op(storage.Replace, e)); !fault.Is(err, fault.Conflict) {
			return err
		}
	}
}

// copies changes what was given and what was returned; the store must not notice.
func (s suite) copies(t *testing.T) {
	ctx, table := s.table(t)
	p := props{"B": []byte("abc"), "S": "x"}
	tag := write(ctx, t, table, insert("p", "r", p))[0]
	p["B"].([]byte)[0] = 'X'
	p["S"] = "changed"
	e := must2(table.Get(ctx, storage.Key{Partition: "p", Row: "r"}))(t)
	e.Props["B"].([]byte)[1] = 'X'
	e.Props["S"] = "changed"
	wantRow(ctx, t, table, "p", "r", tag, props{"B": []byte("abc"), "S": "x"})
}

func (s suite) ended(t *testing.T) {
	_, table := s.table(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := table.Get(ctx, storage.Key{Partition: "p", Row: "r"})
	wantCanceled(t, err)
	_, err = table.Transact(ctx, insert("p", "r", nil))
	wantCanceled(t, err)
	_, err = table.Transact(ctx, insert("p", "r", nil), insert("p", "s", nil))
	wantCanceled(t, err)
	for _, err := range table.Query(ctx, storage.Query{}) {
		wantCanceled(t, err)
	}
	wantNoRow(t.Context(), t, table, "p", "r")
}

func wantCanceled(t *testing.T, err error) {
	t.Helper()
	wantKind(t, err, fault.Unavailable)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("have %v, want context.Canceled in the chain", err)
	}
}

// must2 turns a call with two results into one that fails the test.
func must2[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		return must(t, v, err)
	}
}

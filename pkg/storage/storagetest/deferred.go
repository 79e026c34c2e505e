package storagetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Crasher is an optional interface of a store whose process can end without notice. Crash returns the store as the
// next process finds it. It returns nil if this cannot be tried.
type Crasher interface {
	Crash(t *testing.T) storage.Store
}

func (s suite) deferred(t *testing.T) {
	run(t, map[string]func(*testing.T){
		"rows are read at once":              s.deferredRows,
		"blobs are read at once":             s.deferredBlobs,
		"a refusal is its own":               s.deferredRefusals,
		"many at once":                       s.deferredMany,
		"arguments may change afterwards":    s.deferredArguments,
		"only the last are lost":             s.deferredLost,
		"nothing that was flushed is lost":   s.deferredFlushed,
		"a refused write that waits flushes": s.refusedFlushes,
	})
}

func one(kind storage.OpKind, row string, tag storage.ETag, value string) storage.Op {
	return storage.Op{Kind: kind, Entity: storage.Entity{Key: storage.Key{Partition: "p", Row: row}, ETag: tag,
		Props: storage.Properties{"V": value}}}
}

// rowsOf returns the rows of the partition p, and their values.
func rowsOf(t *testing.T, table storage.Table, q storage.Query) (rows []string) {
	t.Helper()
	for e, err := range table.Query(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, fmt.Sprint(e.Row, "=", e.Props["V"]))
	}
	return rows
}

func (s suite) deferredRows(t *testing.T) {
	ctx, table := s.table(t)
	later := storage.Deferred(ctx)
	tags, err := table.Transact(later, one(storage.Insert, "a", "", "1"), one(storage.Upsert, "b", "", "1"))
	must(t, tags, err)
	e, err := table.Get(ctx, storage.Key{Partition: "p", Row: "a"})
	if must(t, e, err).ETag != tags[0] {
		t.Fatalf("have revision %s, want %s", e.ETag, tags[0])
	}
	again, err := table.Transact(later, one(storage.Replace, "a", tags[0], "2"), one(storage.Delete, "b", tags[1], ""))
	must(t, again, err)
	for name, q := range map[string]storage.Query{
		"partition": {Partition: "p"}, "table": {}, "range": {PartitionFrom: "o", PartitionTo: "q"},
		"where": {Partition: "p", Where: map[string]string{"V": "2"}},
	} {
		diff(t, name, []string{"a=2"}, rowsOf(t, table, q))
	}
	_, err = table.Transact(later, storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: storage.Key{Partition: "p", Row: "a"}, ETag: again[0], Props: storage.Properties{"W": "w"}}})
	must(t, 0, err)
	e, err = table.Get(ctx, storage.Key{Partition: "p", Row: "a"})
	diff(t, "merged", storage.Properties{"V": "2", "W": "w"}, must(t, e, err).Props)
	_, err = table.Transact(ctx, one(storage.Replace, "a", e.ETag, "3")) // by a write that waits
	must(t, 0, err)
	diff(t, "at last", []string{"a=3"}, rowsOf(t, table, storage.Query{Partition: "p"}))
}

func (s suite) deferredBlobs(t *testing.T) {
	c := s.open(t).Container(unique("c"))
	must(t, 0, c.Create(t.Context()))
	later := storage.Deferred(t.Context())
	bodies := map[string][]byte{"small": []byte("body"), "large": bytes.Repeat([]byte("x"), 100_000)}
	for name, body := range bodies {
		created, err := c.Put(later, name, storage.Blob{Body: body})
		if !must(t, created, err) {
			t.Fatalf("%s was not created", name)
		}
		created, err = c.Put(later, name, storage.Blob{Body: []byte("other")})
		if must(t, created, err) {
			t.Fatalf("%s was created twice", name)
		}
		there, err := c.Exists(t.Context(), name)
		if !must(t, there, err) {
			t.Fatalf("%s does not exist", name)
		}
		b, err := c.Get(t.Context(), name)
		if !bytes.Equal(must(t, b, err).Body, body) {
			t.Fatalf("%s: have %d bytes", name, len(b.Body))
		}
	}
	var names []string
	for name, err := range c.List(t.Context(), "") {
		names = append(names, must(t, name, err))
	}
	diff(t, "names", []string{"large", "small"}, names)
	must(t, 0, c.Delete(t.Context(), "large"))
	there, err := c.Exists(t.Context(), "large")
	if must(t, there, err) {
		t.Fatal("the deleted blob exists")
	}
}

func (s suite) deferredRefusals(t *testing.T) {
	ctx, table := s.table(t)
	later := storage.Deferred(ctx)
	for i := range 10 {
		_, err := table.Transact(later, one(storage.Insert, fmt.Sprint("good", i), "", ""))
		must(t, 0, err)
		_, err = table.Transact(later, one(storage.Insert, fmt.Sprint("bad", i), "", ""),
			one(storage.Insert, "good0", "", ""))
		wantKind(t, err, fault.Conflict)
		wantOp(t, err, 1)
	}
	if rows := rowsOf(t, table, storage.Query{Partition: "p"}); len(rows) != 10 || rows[0] != "good0=" {
		t.Fatalf("have %v", rows)
	}
}

func (s suite) deferredMany(t *testing.T) {
	ctx, table := s.table(t)
	var all sync.WaitGroup
	const writers, each = 4, storage.MaxHeld
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if _, err := table.Transact(storage.Deferred(ctx), one(storage.Insert, fmt.Sprint(w, "-", i), "", "")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := len(rowsOf(t, table, storage.Query{Partition: "p"})); n != writers*each {
		t.Fatalf("have %d rows, want %d", n, writers*each)
	}
}

func (s suite) deferredArguments(t *testing.T) {
	ctx, table := s.table(t)
	later, raw := storage.Deferred(ctx), []byte("raw")
	ops := []storage.Op{one(storage.Insert, "a", "", "1"), one(storage.Insert, "b", "", "1")}
	ops[1].Entity.Props["B"] = raw
	tags, err := table.Transact(later, ops...)
	must(t, tags, err)
	want := slices.Clone(tags)
	clear(tags)
	ops[0].Entity.Props["V"], raw[0], ops[1] = "changed", 'X', storage.Op{}
	_, err = table.Transact(ctx, one(storage.Upsert, "c", "", "1"))
	must(t, 0, err)
	for i, row := range []string{"a", "b"} {
		e, err := table.Get(ctx, storage.Key{Partition: "p", Row: row})
		if must(t, e, err); e.ETag != want[i] || e.Props["V"] != "1" || row == "b" && string(e.Props["B"].([]byte)) != "raw" {
			t.Fatalf("have %v", e)
		}
	}
}

// crashed returns the table as the process finds it that follows a crash. It skips the test for stores that cannot
// crash.
func crashed(t *testing.T, s storage.Store, name string) storage.Table {
	t.Helper()
	c, ok := s.(Crasher)
	if !ok {
		t.Skip("the store is behind a service")
	}
	next := c.Crash(t)
	if next == nil {
		t.Skip("the store cannot crash here")
	}
	return next.Table(name)
}

// deferredLost checks that what remains after a crash is the beginning of what was acknowledged.
func (s suite) deferredLost(t *testing.T) {
	store, name := s.open(t), unique("t")
	table := store.Table(name)
	must(t, 0, table.Create(t.Context()))
	later := storage.Deferred(t.Context())
	var told []string
	write := func(ctx context.Context, row string) {
		_, err := table.Transact(ctx, one(storage.Insert, row, "", ""))
		must(t, 0, err)
		told = append(told, row+"=")
	}
	for i := range 10 {
		write(later, fmt.Sprint("a", i))
	}
	write(t.Context(), "b")
	waited := len(told)
	for i := range 10 {
		write(later, fmt.Sprint("c", i))
	}
	left := rowsOf(t, crashed(t, store, name), storage.Query{Partition: "p"})
	if len(left) < waited || !slices.Equal(left, told[:min(len(left), len(told))]) {
		t.Fatalf("have %v, want the beginning of %v, %d at least", left, told, waited)
	}
}

func (s suite) deferredFlushed(t *testing.T) {
	store, name := s.open(t), unique("t")
	table := store.Table(name)
	must(t, 0, table.Create(t.Context()))
	must(t, 0, store.Flush(t.Context()))
	for i := range 10 {
		_, err := table.Transact(storage.Deferred(t.Context()), one(storage.Insert, fmt.Sprint(i), "", ""))
		must(t, 0, err)
	}
	must(t, 0, store.Flush(t.Context()))
	if left := rowsOf(t, crashed(t, store, name), storage.Query{Partition: "p"}); len(left) != 10 {
		t.Fatalf("have %v", left)
	}
}

// refusedFlushes checks a write that is refused because of a deferred one. Its caller may act on the refusal, so the
// deferred write must not be lost any more.
func (s suite) refusedFlushes(t *testing.T) {
	store, name := s.open(t), unique("t")
	table := store.Table(name)
	must(t, 0, table.Create(t.Context()))
	_, err := table.Transact(storage.Deferred(t.Context()), one(storage.Insert, "a", "", ""))
	must(t, 0, err)
	_, err = table.Transact(t.Context(), one(storage.Insert, "a", "", ""))
	wantKind(t, err, fault.Conflict)
	if left := rowsOf(t, crashed(t, store, name), storage.Query{Partition: "p"}); len(left) != 1 {
		t.Fatalf("have %v", left)
	}
}

package storagetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

func (s suite) queries(t *testing.T) {
	run(t, map[string]func(*testing.T){
		"every kind of bound":            s.bounds,
		"more than a thousand rows":      s.manyRows,
		"select":                         s.selected,
		"conditions":                     s.conditions,
		"stops when the reader does":     s.stopsEarly,
		"rows deleted between two pages": s.deletedBetween,
		"what cannot be asked":           s.badQueries,
	})
}

func keysOf(ctx context.Context, t *testing.T, table storage.Table, q storage.Query) []string {
	t.Helper()
	var keys []string
	for e, err := range table.Query(ctx, q) {
		if err != nil {
			t.Fatalf("query %+v: %v", q, err)
		}
		keys = append(keys, e.Partition+"/"+e.Row)
	}
	return keys
}

func (s suite) bounds(t *testing.T) {
	ctx, table := s.table(t)
	for _, pk := range []string{"a", "b", "b'", "c"} {
		write(ctx, t, table, insert(pk, "1", nil), insert(pk, "2", nil), insert(pk, "2'", nil), insert(pk, "3", nil))
	}
	for name, c := range map[string]struct {
		q    storage.Query
		want []string
	}{
		"one partition":          {storage.Query{Partition: "b"}, []string{"b/1", "b/2", "b/2'", "b/3"}},
		"no such partition":      {storage.Query{Partition: "bb"}, nil},
		"rows from":              {storage.Query{Partition: "b", RowFrom: "2'"}, []string{"b/2'", "b/3"}},
		"rows to is exclusive":   {storage.Query{Partition: "b", RowTo: "2'"}, []string{"b/1", "b/2"}},
		"rows between":           {storage.Query{Partition: "b", RowFrom: "2", RowTo: "3"}, []string{"b/2", "b/2'"}},
		"rows between nothing":   {storage.Query{Partition: "b", RowFrom: "3", RowTo: "2"}, nil},
		"quote in the partition": {storage.Query{Partition: "b'", RowTo: "2"}, []string{"b'/1"}},
		"partitions from":        {storage.Query{PartitionFrom: "b'", RowTo: "2"}, []string{"b'/1", "c/1"}},
		"partitions to":          {storage.Query{PartitionTo: "b'", RowTo: "2"}, []string{"a/1", "b/1"}},
		"partitions between": {storage.Query{PartitionFrom: "a", PartitionTo: "c", RowFrom: "3"},
			[]string{"a/3", "b/3", "b'/3"}},
		"partitions that are not": {storage.Query{PartitionFrom: "aa", PartitionTo: "ab"}, nil},
		"rows of all partitions":  {storage.Query{RowFrom: "2'", RowTo: "3"}, []string{"a/2'", "b/2'", "b'/2'", "c/2'"}},
		"pages of one": {storage.Query{PartitionFrom: "b", PartitionTo: "c", RowFrom: "2", RowTo: "3",
			PageSize: 1}, []string{"b/2", "b/2'", "b'/2", "b'/2'"}},
		"pages across partitions": {storage.Query{RowTo: "2", PageSize: 3}, []string{"a/1", "b/1", "b'/1", "c/1"}},
		"bounds with slash and hash": {storage.Query{Partition: "a", RowFrom: "#", RowTo: "2?/"},
			[]string{"a/1", "a/2", "a/2'"}},
	} {
		diff(t, name, c.want, keysOf(ctx, t, table, c.q))
	}
}

// manyRows queries more than twice as many rows as a page can have, within one partition and across several.
func (s suite) manyRows(t *testing.T) {
	ctx, table := s.table(t)
	const parts, per = 3, 800
	var want []string
	for p := range parts {
		pk := fmt.Sprintf("p%d", p)
		for from := 0; from < per; from += storage.MaxOps {
			ops := make([]storage.Op, storage.MaxOps)
			for i := range ops {
				rk := fmt.Sprintf("%05d", from+i)
				ops[i] = insert(pk, rk, props{"N": int32(from + i)})
				want = append(want, pk+"/"+rk)
			}
			write(ctx, t, table, ops...)
		}
	}
	diff(t, "all rows", want, keysOf(ctx, t, table, storage.Query{}))
	diff(t, "one partition by 300", want[per:2*per], keysOf(ctx, t, table, storage.Query{Partition: "p1", PageSize: 300}))
}

func (s suite) selected(t *testing.T) {
	ctx, table := s.table(t)
	tag := write(ctx, t, table, insert("p", "r", props{"A": "1", "B": int64(2), "C": 3.0}))[0]
	for e, err := range table.Query(ctx, storage.Query{Partition: "p", Select: []string{"B", "C", "Missing"}}) {
		must(t, e, err)
		want := ent("p", "r", props{"B": int64(2), "C": 3.0})
		want.ETag = tag
		diff(t, "selected", want, e)
	}
}

// conditions checks that Where excludes rows with another value, without the column, or with the value in another
// column or type.
func (s suite) conditions(t *testing.T) {
	ctx, table := s.table(t)
	yes := props{"Status": "Error", "Host": "a'b", "N": int64(1)}
	for _, pk := range []string{"p", "q"} {
		write(ctx, t, table, insert(pk, "1", yes), insert(pk, "2", props{"Status": "Gone", "Host": "a'b"}),
			insert(pk, "3", yes), insert(pk, "4", props{"Host": "a'b"}), insert(pk, "5", yes),
			insert(pk, "6", props{"Error": "Status", "Note": "\x06Statuss\x05Error", "Status": "Errors"}),
			insert(pk, "7", props{"Status": int64(1)}), insert(pk, "8", props{"Status": "Error", "Host": "c"}))
	}
	where := map[string]string{"Status": "Error", "Host": "a'b"}
	for name, c := range map[string]struct {
		q    storage.Query
		want []string
	}{
		"one": {storage.Query{Partition: "p", Where: map[string]string{"Status": "Error"}},
			[]string{"p/1", "p/3", "p/5", "p/8"}},
		"both":            {storage.Query{Partition: "p", Where: where}, []string{"p/1", "p/3", "p/5"}},
		"in a range":      {storage.Query{Partition: "p", RowFrom: "2", RowTo: "5", Where: where}, []string{"p/3"}},
		"over partitions": {storage.Query{RowFrom: "4", Where: where}, []string{"p/5", "q/5"}},
		"page by page":    {storage.Query{Where: where, PageSize: 2}, []string{"p/1", "p/3", "p/5", "q/1", "q/3", "q/5"}},
		"a page of one":   {storage.Query{Partition: "q", Where: where, PageSize: 1}, []string{"q/1", "q/3", "q/5"}},
		"none":            {storage.Query{Where: map[string]string{"Status": "error"}}, nil},
		"of no column":    {storage.Query{Where: map[string]string{"Missing": "Error"}}, nil},
		"another is chosen": {storage.Query{Partition: "p", Where: where, Select: []string{"N"}},
			[]string{"p/1", "p/3", "p/5"}},
	} {
		diff(t, name, c.want, keysOf(ctx, t, table, c.q))
	}
	for e, err := range table.Query(ctx, storage.Query{Partition: "p", RowTo: "2", Where: where, Select: []string{"N"}}) {
		must(t, e, err)
		diff(t, "chosen", map[string]any{"N": int64(1)}, map[string]any(e.Props))
	}
}

func (s suite) stopsEarly(t *testing.T) {
	ctx, table := s.table(t)
	write(ctx, t, table, insert("p", "1", nil), insert("p", "2", nil), insert("p", "3", nil))
	n := 0
	for range table.Query(ctx, storage.Query{PageSize: 2}) {
		n++
		break
	}
	diff(t, "rows seen", 1, n)
}

// deletedBetween deletes each row as soon as it is read. So the next page must begin after a row that no longer
// exists.
func (s suite) deletedBetween(t *testing.T) {
	ctx, table := s.table(t)
	for i := range 6 {
		write(ctx, t, table, insert("p", fmt.Sprint(i), nil))
	}
	var seen []string
	for e, err := range table.Query(ctx, storage.Query{Partition: "p", PageSize: 2}) {
		must(t, e, err)
		seen = append(seen, e.Row)
		write(ctx, t, table, op(storage.Delete, e))
	}
	diff(t, "seen", []string{"0", "1", "2", "3", "4", "5"}, seen)
}

func (s suite) badQueries(t *testing.T) {
	ctx, table := s.table(t)
	for name, q := range map[string]storage.Query{
		"page too large":           {PageSize: storage.MaxPage + 1},
		"page below zero":          {PageSize: -1},
		"partition and range":      {Partition: "a", PartitionTo: "b"},
		"partition with a slash":   {Partition: "a/b"},
		"bound with a control":     {RowFrom: "a\x00"},
		"bound that is no text":    {RowTo: "\xff"},
		"select of a reserved one": {Select: []string{storage.TokenProperty}},
		"select of two in one":     {Select: []string{"A,B"}},
		"condition on no column":   {Where: map[string]string{"A eq 'b' or A": "c"}},
		"condition without a text": {Where: map[string]string{"A": ""}},
		"condition with a control": {Where: map[string]string{"A": "b\x00"}},
	} {
		n := 0
		for _, err := range table.Query(ctx, q) {
			n++
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s: have %v, want Invalid", name, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: have %d results, want the error alone", name, n)
		}
	}
}

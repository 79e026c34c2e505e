package storagetest

import (
	"cmp"
	"context"
	"iter"
	"sync/atomic"

	"github.com/tidemark/tidemark/pkg/storage"
)

// Counter counts the requests to the tables of a store as a service would bill them: one request for each read of a
// row, each transaction and each page of a query. It also counts all rows of each page, even if the caller does not
// read all of them.
type Counter struct{ Requests, Rows atomic.Int64 }

// Reset sets the counts to zero.
func (c *Counter) Reset() {
	c.Requests.Store(0)
	c.Rows.Store(0)
}

// Counted returns a store whose requests to tables are counted.
func Counted(s storage.Store, c *Counter) storage.Store { return &counted{s, c} }

type counted struct {
	storage.Store
	c *Counter
}

func (s *counted) Table(name string) storage.Table { return &countedTable{s.Store.Table(name), s.c} }

type countedTable struct {
	storage.Table
	c *Counter
}

func (t *countedTable) Get(ctx context.Context, key storage.Key) (storage.Entity, error) {
	t.c.Requests.Add(1)
	e, err := t.Table.Get(ctx, key)
	if err == nil {
		t.c.Rows.Add(1)
	}
	return e, err
}

func (t *countedTable) Transact(ctx context.Context, ops ...storage.Op) ([]storage.ETag, error) {
	t.c.Requests.Add(1)
	return t.Table.Transact(ctx, ops...)
}

func (t *countedTable) Query(ctx context.Context, q storage.Query) iter.Seq2[storage.Entity, error] {
	return func(yield func(storage.Entity, error) bool) {
		size := cmp.Or(q.PageSize, storage.MaxPage)
		t.c.Requests.Add(1)
		var page []storage.Entity
		flush := func() (goOn bool) {
			for _, e := range page {
				if !yield(e, nil) {
					return false
				}
			}
			page = page[:0]
			return true
		}
		for e, err := range t.Table.Query(ctx, q) {
			if err != nil {
				yield(e, err)
				return
			}
			if len(page) == size {
				if !flush() {
					return
				}
				t.c.Requests.Add(1)
			}
			page = append(page, e)
			t.c.Rows.Add(1)
		}
		flush()
	}
}

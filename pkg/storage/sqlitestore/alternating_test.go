package sqlitestore

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// alternating spreads calls over two stores that must behave as one.
type alternating struct {
	stores [2]*Store
	calls  atomic.Uint32
}

func (a *alternating) turn() *Store { return a.stores[a.calls.Add(1)%2] }

func (a *alternating) Table(name string) storage.Table         { return altTable{a, name} }
func (a *alternating) Queue(name string) storage.Queue         { return altQueue{a, name} }
func (a *alternating) Container(name string) storage.Container { return altContainer{a, name} }
func (a *alternating) Ping(ctx context.Context) error          { return a.turn().Ping(ctx) }
func (a *alternating) Close() error                            { return nil }
func (a *alternating) Flush(ctx context.Context) error {
	return errors.Join(a.stores[0].Flush(ctx), a.stores[1].Flush(ctx))
}

// share shows a deferred write to the other store.
func (a *alternating) share(ctx context.Context, s *Store) {
	if storage.IsDeferred(ctx) {
		_ = s.Flush(ctx) // if it fails, the write is missed
	}
}

type altTable struct {
	a    *alternating
	name string
}

func (t altTable) at() storage.Table                { return t.a.turn().Table(t.name) }
func (t altTable) Create(ctx context.Context) error { return t.at().Create(ctx) }
func (t altTable) Get(ctx context.Context, key storage.Key) (storage.Entity, error) {
	return t.at().Get(ctx, key)
}
func (t altTable) Query(ctx context.Context, q storage.Query) iter.Seq2[storage.Entity, error] {
	return t.at().Query(ctx, q)
}
func (t altTable) Transact(ctx context.Context, ops ...storage.Op) ([]storage.ETag, error) {
	s := t.a.turn()
	defer t.a.share(ctx, s)
	return s.Table(t.name).Transact(ctx, ops...)
}

type altQueue struct {
	a    *alternating
	name string
}

func (q altQueue) at() storage.Queue                { return q.a.turn().Queue(q.name) }
func (q altQueue) Create(ctx context.Context) error { return q.at().Create(ctx) }
func (q altQueue) Send(ctx context.Context, body []byte, delay time.Duration) error {
	return q.at().Send(ctx, body, delay)
}
func (q altQueue) Receive(ctx context.Context, max int, visibility time.Duration) ([]storage.Message, error) {
	return q.at().Receive(ctx, max, visibility)
}
func (q altQueue) Extend(ctx context.Context, m storage.Message, visibility time.Duration) (storage.Message, error) {
	return q.at().Extend(ctx, m, visibility)
}
func (q altQueue) Delete(ctx context.Context, m storage.Message) error { return q.at().Delete(ctx, m) }
func (q altQueue) Length(ctx context.Context) (int, error)             { return q.at().Length(ctx) }
func (q altQueue) Waits(ctx context.Context) (bool, error)             { return q.at().Waits(ctx) }

type altContainer struct {
	a    *alternating
	name string
}

func (c altContainer) at() storage.Container            { return c.a.turn().Container(c.name) }
func (c altContainer) Create(ctx context.Context) error { return c.at().Create(ctx) }
func (c altContainer) Put(ctx context.Context, name string, b storage.Blob) (bool, error) {
	s := c.a.turn()
	defer c.a.share(ctx, s)
	return s.Container(c.name).Put(ctx, name, b)
}
func (c altContainer) Get(ctx context.Context, name string) (storage.Blob, error) {
	return c.at().Get(ctx, name)
}
func (c altContainer) Exists(ctx context.Context, name string) (bool, error) {
	return c.at().Exists(ctx, name)
}
func (c altContainer) Delete(ctx context.Context, name string) error { return c.at().Delete(ctx, name) }
func (c altContainer) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return c.at().List(ctx, prefix)
}

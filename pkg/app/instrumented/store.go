package instrumented

import (
	"context"
	"iter"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Store counts every operation of a store. A query or a list is one operation, however many pages it reads, and is
// counted when it begins.
func Store(s storage.Store, m *telemetry.Metrics) storage.Store { return &store{s, meter{m}} }

type meter struct{ *telemetry.Metrics }

// done counts an operation that has ended, and returns its error. NotFound and Conflict are normal results, not errors.
func (m meter) done(service, op string, err error) error {
	m.Storage.Add(1, service, op)
	m.failed(err)
	return err
}

func (m meter) failed(err error) {
	switch kind := fault.KindOf(err); kind {
	case "", fault.NotFound, fault.Conflict:
	default:
		m.Errors.Add(1, "storage", string(kind))
	}
}

// counted returns a sequence that counts one operation when it begins, and also counts the error of that operation.
func counted[T any](m meter, service, op string, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		_ = m.done(service, op, nil)
		for v, err := range seq {
			m.failed(err)
			if !yield(v, err) {
				return
			}
		}
	}
}

type store struct {
	storage.Store
	m meter
}

func (s *store) Table(name string) storage.Table         { return &table{s.Store.Table(name), s.m} }
func (s *store) Queue(name string) storage.Queue         { return &queue{s.Store.Queue(name), s.m} }
func (s *store) Container(name string) storage.Container { return &blobs{s.Store.Container(name), s.m} }

func (s *store) Ping(ctx context.Context) error {
	return s.m.done("store", "ping", s.Store.Ping(ctx))
}

type table struct {
	storage.Table
	m meter
}

func (t *table) Create(ctx context.Context) error {
	return t.m.done("table", "create", t.Table.Create(ctx))
}

func (t *table) Get(ctx context.Context, key storage.Key) (storage.Entity, error) {
	e, err := t.Table.Get(ctx, key)
	return e, t.m.done("table", "get", err)
}

func (t *table) Query(ctx context.Context, q storage.Query) iter.Seq2[storage.Entity, error] {
	return counted(t.m, "table", "query", t.Table.Query(ctx, q))
}

func (t *table) Transact(ctx context.Context, ops ...storage.Op) ([]storage.ETag, error) {
	tags, err := t.Table.Transact(ctx, ops...)
	return tags, t.m.done("table", "transact", err)
}

type queue struct {
	storage.Queue
	m meter
}

func (q *queue) Create(ctx context.Context) error {
	return q.m.done("queue", "create", q.Queue.Create(ctx))
}

func (q *queue) Send(ctx context.Context, body []byte, delay time.Duration) error {
	return q.m.done("queue", "send", q.Queue.Send(ctx, body, delay))
}

func (q *queue) Receive(ctx context.Context, max int, visibility time.Duration) ([]storage.Message, error) {
	got, err := q.Queue.Receive(ctx, max, visibility)
	return got, q.m.done("queue", "receive", err)
}

func (q *queue) Extend(ctx context.Context, m storage.Message, visibility time.Duration) (storage.Message, error) {
	got, err := q.Queue.Extend(ctx, m, visibility)
	return got, q.m.done("queue", "extend", err)
}

func (q *queue) Delete(ctx context.Context, m storage.Message) error {
	return q.m.done("queue", "delete", q.Queue.Delete(ctx, m))
}

func (q *queue) Waits(ctx context.Context) (bool, error) {
	some, err := q.Queue.Waits(ctx)
	return some, q.m.done("queue", "peek", err)
}

func (q *queue) Length(ctx context.Context) (int, error) {
	n, err := q.Queue.Length(ctx)
	return n, q.m.done("queue", "length", err)
}

type blobs struct {
	storage.Container
	m meter
}

func (c *blobs) Create(ctx context.Context) error {
	return c.m.done("blob", "create", c.Container.Create(ctx))
}

func (c *blobs) Put(ctx context.Context, name string, b storage.Blob) (bool, error) {
	created, err := c.Container.Put(ctx, name, b)
	return created, c.m.done("blob", "put", err)
}

func (c *blobs) Get(ctx context.Context, name string) (storage.Blob, error) {
	b, err := c.Container.Get(ctx, name)
	return b, c.m.done("blob", "get", err)
}

func (c *blobs) Exists(ctx context.Context, name string) (bool, error) {
	ok, err := c.Container.Exists(ctx, name)
	return ok, c.m.done("blob", "exists", err)
}

func (c *blobs) Delete(ctx context.Context, name string) error {
	return c.m.done("blob", "delete", c.Container.Delete(ctx, name))
}

func (c *blobs) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return counted(c.m, "blob", "list", c.Container.List(ctx, prefix))
}

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

// done counts an operation that has ended. NotFound and Conflict are normal results, not errors.
func (m meter) done(service, op string, err error) {
	m.Storage.Add(1, service, op)
	m.failed(err)
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
		m.done(service, op, nil)
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
	err := s.Store.Ping(ctx)
	s.m.done("store", "ping", err)
	return err
}

type table struct {
	storage.Table
	m meter
}

func (t *table) Create(ctx context.Context) error {
	err := t.Table.Create(ctx)
	t.m.done("table", "create", err)
	return err
}

func (t *table) Get(ctx context.Context, key storage.Key) (storage.Entity, error) {
	e, err := t.Table.Get(ctx, key)
	t.m.done("table", "get", err)
	return e, err
}

func (t *table) Query(ctx context.Context, q storage.Query) iter.Seq2[storage.Entity, error] {
	return counted(t.m, "table", "query", t.Table.Query(ctx, q))
}

func (t *table) Transact(ctx context.Context, ops ...storage.Op) ([]storage.ETag, error) {
	tags, err := t.Table.Transact(ctx, ops...)
	t.m.done("table", "transact", err)
	return tags, err
}

type queue struct {
	storage.Queue
	m meter
}

func (q *queue) Create(ctx context.Context) error {
	err := q.Queue.Create(ctx)
	q.m.done("queue", "create", err)
	return err
}

func (q *queue) Send(ctx context.Context, body []byte, delay time.Duration) error {
	err := q.Queue.Send(ctx, body, delay)
	q.m.done("queue", "send", err)
	return err
}

func (q *queue) Receive(ctx context.Context, max int, visibility time.Duration) ([]storage.Message, error) {
	got, err := q.Queue.Receive(ctx, max, visibility)
	q.m.done("queue", "receive", err)
	return got, err
}

func (q *queue) Extend(ctx context.Context, m storage.Message, visibility time.Duration) (storage.Message, error) {
	got, err := q.Queue.Extend(ctx, m, visibility)
	q.m.done("queue", "extend", err)
	return got, err
}

func (q *queue) Delete(ctx context.Context, m storage.Message) error {
	err := q.Queue.Delete(ctx, m)
	q.m.done("queue", "delete", err)
	return err
}

func (q *queue) Waits(ctx context.Context) (bool, error) {
	some, err := q.Queue.Waits(ctx)
	q.m.done("queue", "peek", err)
	return some, err
}

func (q *queue) Length(ctx context.Context) (int, error) {
	n, err := q.Queue.Length(ctx)
	q.m.done("queue", "length", err)
	return n, err
}

type blobs struct {
	storage.Container
	m meter
}

func (c *blobs) Create(ctx context.Context) error {
	err := c.Container.Create(ctx)
	c.m.done("blob", "create", err)
	return err
}

func (c *blobs) Put(ctx context.Context, name string, b storage.Blob) (bool, error) {
	created, err := c.Container.Put(ctx, name, b)
	c.m.done("blob", "put", err)
	return created, err
}

func (c *blobs) Get(ctx context.Context, name string) (storage.Blob, error) {
	b, err := c.Container.Get(ctx, name)
	c.m.done("blob", "get", err)
	return b, err
}

func (c *blobs) Exists(ctx context.Context, name string) (bool, error) {
	ok, err := c.Container.Exists(ctx, name)
	c.m.done("blob", "exists", err)
	return ok, err
}

func (c *blobs) Delete(ctx context.Context, name string) error {
	err := c.Container.Delete(ctx, name)
	c.m.done("blob", "delete", err)
	return err
}

func (c *blobs) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return counted(c.m, "blob", "list", c.Container.List(ctx, prefix))
}

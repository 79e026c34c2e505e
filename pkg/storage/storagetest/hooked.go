package storagetest

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// Call is one operation on a store, as a [Hook] sees it.
type Call struct {
	Op   string // "table.Get", "queue.Send", "blob.Put", …: the port's interface and method
	Name string // of the table, queue or container
	Ops  []storage.Op
}

// Hook is asked before and after every operation of a [Hooked] store.
type Hook interface {
	// Before's error is returned instead of executing the operation; see [ErrLost], [ErrTwice].
	Before(ctx context.Context, c Call) error
	// After may replace the error of an operation that was executed.
	After(ctx context.Context, c Call, err error) error
}

var (
	// ErrLost makes an operation be skipped and reported as successful.
	ErrLost = errors.New("storagetest: lost")
	// ErrTwice makes an operation be executed twice.
	ErrTwice = errors.New("storagetest: twice")
)

// Hooked injects faults around a store.
func Hooked(store storage.Store, h Hook) storage.Store { return hooked{store, h} }

type hooked struct {
	storage.Store
	h Hook
}

func (s hooked) Table(name string) storage.Table {
	return hookedTable{s.Store.Table(name), s.h, name}
}

func (s hooked) Queue(name string) storage.Queue {
	return hookedQueue{s.Store.Queue(name), s.h, name}
}

func (s hooked) Container(name string) storage.Container {
	return hookedContainer{s.Store.Container(name), s.h, name}
}

// around runs one operation between the hook's two questions.
func around(ctx context.Context, h Hook, c Call, do func() error) error {
	switch err := h.Before(ctx, c); {
	case errors.Is(err, ErrLost):
		return nil
	case errors.Is(err, ErrTwice):
		_ = do()
	case err != nil:
		return err
	}
	return h.After(ctx, c, do())
}

type hookedTable struct {
	storage.Table
	h    Hook
	name string
}

func (t hookedTable) Create(ctx context.Context) error {
	return around(ctx, t.h, Call{Op: "table.Create", Name: t.name}, func() error { return t.Table.Create(ctx) })
}

func (t hookedTable) Get(ctx context.Context, key storage.Key) (e storage.Entity, err error) {
	err = around(ctx, t.h, Call{Op: "table.Get", Name: t.name}, func() (err error) {
		e, err = t.Table.Get(ctx, key)
		return err
	})
	return e, err
}

func (t hookedTable) Query(ctx context.Context, q storage.Query) iter.Seq2[storage.Entity, error] {
	return func(yield func(storage.Entity, error) bool) {
		c := Call{Op: "table.Query", Name: t.name}
		if err := t.h.Before(ctx, c); err != nil {
			yield(storage.Entity{}, err)
			return
		}
		for e, err := range t.Table.Query(ctx, q) {
			if !yield(e, err) {
				return
			}
		}
		if err := t.h.After(ctx, c, nil); err != nil {
			yield(storage.Entity{}, err)
		}
	}
}

func (t hookedTable) Transact(ctx context.Context, ops ...storage.Op) (tags []storage.ETag, err error) {
	err = around(ctx, t.h, Call{Op: "table.Transact", Name: t.name, Ops: ops}, func() (err error) {
		tags, err = t.Table.Transact(ctx, ops...)
		return err
	})
	return tags, err
}

type hookedQueue struct {
	storage.Queue
	h    Hook
	name string
}

func (q hookedQueue) call(op string) Call { return Call{Op: op, Name: q.name} }

func (q hookedQueue) Create(ctx context.Context) error {
	return around(ctx, q.h, q.call("queue.Create"), func() error { return q.Queue.Create(ctx) })
}

func (q hookedQueue) Send(ctx context.Context, body []byte, delay time.Duration) error {
	return around(ctx, q.h, q.call("queue.Send"), func() error { return q.Queue.Send(ctx, body, delay) })
}

func (q hookedQueue) Receive(ctx context.Context, max int, visibility time.Duration) (m []storage.Message, err error) {
	err = around(ctx, q.h, q.call("queue.Receive"), func() (err error) {
		m, err = q.Queue.Receive(ctx, max, visibility)
		return err
	})
	return m, err
}

func (q hookedQueue) Extend(ctx context.Context, m storage.Message, visibility time.Duration) (out storage.Message, err error) {
	err = around(ctx, q.h, q.call("queue.Extend"), func() (err error) {
		out, err = q.Queue.Extend(ctx, m, visibility)
		return err
	})
	return out, err
}

func (q hookedQueue) Delete(ctx context.Context, m storage.Message) error {
	return around(ctx, q.h, q.call("queue.Delete"), func() error { return q.Queue.Delete(ctx, m) })
}

type hookedContainer struct {
	storage.Container
	h    Hook
	name string
}

func (c hookedContainer) call(op string) Call { return Call{Op: op, Name: c.name} }

func (c hookedContainer) Create(ctx context.Context) error {
	return around(ctx, c.h, c.call("blob.Create"), func() error { return c.Container.Create(ctx) })
}

func (c hookedContainer) Put(ctx context.Context, name string, b storage.Blob) (created bool, err error) {
	err = around(ctx, c.h, c.call("blob.Put"), func() (err error) {
		created, err = c.Container.Put(ctx, name, b)
		return err
	})
	return created, err
}

func (c hookedContainer) Get(ctx context.Context, name string) (b storage.Blob, err error) {
	err = around(ctx, c.h, c.call("blob.Get"), func() (err error) {
		b, err = c.Container.Get(ctx, name)
		return err
	})
	return b, err
}

func (c hookedContainer) Exists(ctx context.Context, name string) (ok bool, err error) {
	err = around(ctx, c.h, c.call("blob.Exists"), func() (err error) {
		ok, err = c.Container.Exists(ctx, name)
		return err
	})
	return ok, err
}

func (c hookedContainer) Delete(ctx context.Context, name string) error {
	return around(ctx, c.h, c.call("blob.Delete"), func() error { return c.Container.Delete(ctx, name) })
}

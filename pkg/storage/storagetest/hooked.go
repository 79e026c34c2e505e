package storagetest

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// Call describes an operation, before or after its execution.
type Call struct {
	// Op is "table.Create", "table.Get", "table.Query", "table.Transact", "queue.Create",
	// "queue.Send", "queue.Receive", "queue.Extend", "queue.Delete", "queue.Length",
	// "blob.Create", "blob.Put", "blob.Get", "blob.Exists", "blob.Delete", "blob.List" or
	// "store.Ping".
	Op   string
	Name string       // name of the table, queue or container
	Ops  []storage.Op // operations of a transaction
	Key  string       // name of a blob, partition/row of a row, or partition of a query within one partition
}

// Hook decides which operations fail, and how. If the store is used concurrently, so is the hook.
type Hook interface {
	// Before is called before the operation. If it returns an error, the operation is not executed and returns that
	// error. [ErrLost] and [ErrTwice] have other effects.
	Before(ctx context.Context, c Call) error
	// After is called after the operation was executed. The caller gets the error that After returns. If After
	// returns an error after a success, the answer seems to be lost. For a query or list, After is called at the end.
	After(ctx context.Context, c Call, err error) error
}

var (
	// ErrLost, returned by Before, skips the operation but reports success, as if a message were lost. The result of
	// the operation is empty.
	ErrLost = errors.New("lost")
	// ErrTwice, returned by Before, executes the operation twice, as if a message were doubled. The caller gets the
	// second result.
	ErrTwice = errors.New("twice")
)

// Hooks is a [Hook] made of two functions. Either of them may be nil.
type Hooks struct {
	OnBefore func(ctx context.Context, c Call) error
	OnAfter  func(ctx context.Context, c Call, err error) error
}

// Before calls OnBefore.
func (h Hooks) Before(ctx context.Context, c Call) error {
	if h.OnBefore == nil {
		return nil
	}
	return h.OnBefore(ctx, c)
}

// After calls OnAfter.
func (h Hooks) After(ctx context.Context, c Call, err error) error {
	if h.OnAfter == nil {
		return err
	}
	return h.OnAfter(ctx, c, err)
}

// Hooked returns a store with a hook around every operation.
func Hooked(s storage.Store, h Hook) storage.Store { return &hooked{s, h} }

type hooked struct {
	storage.Store
	hook Hook
}

func (h *hooked) Table(name string) storage.Table {
	return &hookedTable{h.Store.Table(name), h.hook, name}
}

func (h *hooked) Queue(name string) storage.Queue {
	return &hookedQueue{h.Store.Queue(name), h.hook, name}
}

func (h *hooked) Container(name string) storage.Container {
	return &hookedContainer{h.Store.Container(name), h.hook, name}
}

func (h *hooked) Ping(ctx context.Context) error {
	return around(ctx, h.hook, Call{Op: "store.Ping"}, func() error { return h.Store.Ping(ctx) })
}

// Crash is for the conformance suite.
func (h *hooked) Crash(t *testing.T) storage.Store {
	if s, ok := h.Store.(Crasher); ok {
		return s.Crash(t)
	}
	return nil
}

func (h *hooked) Sleep(d time.Duration) {
	if s, ok := h.Store.(Sleeper); ok {
		s.Sleep(d)
		return
	}
	time.Sleep(d)
}

// around executes do between Before and After.
func around(ctx context.Context, h Hook, c Call, do func() error) error {
	switch err := h.Before(ctx, c); err {
	case nil:
	case ErrLost:
		return nil
	case ErrTwice:
		_ = do()
	default:
		return err
	}
	return h.After(ctx, c, do())
}

// around1 is [around] for an operation with a result. If it returns an error, the result is empty.
func around1[T any](ctx context.Context, h Hook, c Call, do func() (T, error)) (v T, err error) {
	err = around(ctx, h, c, func() (err error) {
		v, err = do()
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return v, nil
}

// aroundSeq is [around] for a sequence. ErrTwice executes the operation only once, because reading changes nothing.
func aroundSeq[T any](ctx context.Context, h Hook, c Call, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		if err := h.Before(ctx, c); err != nil && err != ErrTwice {
			if err != ErrLost {
				yield(none, err)
			}
			return
		}
		for v, err := range seq {
			if err != nil {
				if err = h.After(ctx, c, err); err != nil {
					yield(none, err)
				}
				return
			}
			if !yield(v, nil) {
				return
			}
		}
		if err := h.After(ctx, c, nil); err != nil {
			yield(none, err)
		}
	}
}

type hookedTable struct {
	storage.Table
	hook Hook
	name string
}

func (t *hookedTable) Create(ctx context.Context) error {
	return around(ctx, t.hook, Call{Op: "table.Create", Name: t.name}, func() error { return t.Table.Create(ctx) })
}

func (t *hookedTable) Get(ctx context.Context, key storage.Key) (storage.Entity, error) {
	c := Call{Op: "table.Get", Name: t.name, Key: key.Partition + "/" + key.Row}
	return around1(ctx, t.hook, c, func() (storage.Entity, error) { return t.Table.Get(ctx, key) })
}

func (t *hookedTable) Query(ctx context.Context, q storage.Query) iter.Seq2[storage.Entity, error] {
	return aroundSeq(ctx, t.hook, Call{Op: "table.Query", Name: t.name, Key: q.Partition}, t.Table.Query(ctx, q))
}

func (t *hookedTable) Transact(ctx context.Context, ops ...storage.Op) ([]storage.ETag, error) {
	c := Call{Op: "table.Transact", Name: t.name, Ops: ops}
	tags, err := around1(ctx, t.hook, c, func() ([]storage.ETag, error) { return t.Table.Transact(ctx, ops...) })
	if err == nil && tags == nil {
		tags = make([]storage.ETag, len(ops)) // after ErrLost: a successful Transact returns one revision per op
	}
	return tags, err
}

type hookedQueue struct {
	storage.Queue
	hook Hook
	name string
}

func (q *hookedQueue) Create(ctx context.Context) error {
	return around(ctx, q.hook, Call{Op: "queue.Create", Name: q.name}, func() error { return q.Queue.Create(ctx) })
}

func (q *hookedQueue) Send(ctx context.Context, body []byte, delay time.Duration) error {
	return around(ctx, q.hook, Call{Op: "queue.Send", Name: q.name},
		func() error { return q.Queue.Send(ctx, body, delay) })
}

func (q *hookedQueue) Receive(ctx context.Context, max int, visibility time.Duration) ([]storage.Message, error) {
	return around1(ctx, q.hook, Call{Op: "queue.Receive", Name: q.name}, func() ([]storage.Message, error) {
		return q.Queue.Receive(ctx, max, visibility)
	})
}

func (q *hookedQueue) Extend(
	ctx context.Context, m storage.Message, visibility time.Duration,
) (storage.Message, error) {
	return around1(ctx, q.hook, Call{Op: "queue.Extend", Name: q.name}, func() (storage.Message, error) {
		return q.Queue.Extend(ctx, m, visibility)
	})
}

func (q *hookedQueue) Delete(ctx context.Context, m storage.Message) error {
	return around(ctx, q.hook, Call{Op: "queue.Delete", Name: q.name}, func() error { return q.Queue.Delete(ctx, m) })
}

func (q *hookedQueue) Waits(ctx context.Context) (bool, error) {
	return around1(ctx, q.hook, Call{Op: "queue.Waits", Name: q.name}, func() (bool, error) { return q.Queue.Waits(ctx) })
}

func (q *hookedQueue) Length(ctx context.Context) (int, error) {
	return around1(ctx, q.hook, Call{Op: "queue.Length", Name: q.name}, func() (int, error) { return q.Queue.Length(ctx) })
}

type hookedContainer struct {
	storage.Container
	hook Hook
	name string
}

func (c *hookedContainer) call(op, key string) Call { return Call{Op: op, Name: c.name, Key: key} }

func (c *hookedContainer) Create(ctx context.Context) error {
	return around(ctx, c.hook, c.call("blob.Create", ""), func() error { return c.Container.Create(ctx) })
}

func (c *hookedContainer) Put(ctx context.Context, name string, b storage.Blob) (bool, error) {
	return around1(ctx, c.hook, c.call("blob.Put", name), func() (bool, error) { return c.Container.Put(ctx, name, b) })
}

func (c *hookedContainer) Get(ctx context.Context, name string) (storage.Blob, error) {
	return around1(ctx, c.hook, c.call("blob.Get", name),
		func() (storage.Blob, error) { return c.Container.Get(ctx, name) })
}

func (c *hookedContainer) Exists(ctx context.Context, name string) (bool, error) {
	return around1(ctx, c.hook, c.call("blob.Exists", name), func() (bool, error) { return c.Container.Exists(ctx, name) })
}

func (c *hookedContainer) Delete(ctx context.Context, name string) error {
	return around(ctx, c.hook, c.call("blob.Delete", name), func() error { return c.Container.Delete(ctx, name) })
}

func (c *hookedContainer) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return aroundSeq(ctx, c.hook, c.call("blob.List", prefix), c.Container.List(ctx, prefix))
}

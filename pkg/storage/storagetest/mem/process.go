package mem

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// Process is the store as one process uses it. Its deferred writes ([storage.Deferred]) are held until its next write
// that waits, until another process writes, or until another process reads what they have changed. Until then, the
// process may lose them. No time ends this, because a protocol must not depend on it.
//
// A process reads through its own Process. The [Store] itself shows everything, also what may still be lost.
type Process struct {
	*Store
	mu   *sync.Mutex
	held *holder
	dead bool
}

// holder is what one process of a store holds. Only one process can hold writes.
type holder struct {
	by      *Process
	undo    []func() // in the order of the writes
	changed map[string]bool
}

// Process returns the store for another process. All processes of a store must be made by one call each, and before
// the store is used by several goroutines.
func (s *Store) Process() *Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holder == nil {
		s.holder = &holder{}
	}
	return &Process{Store: s, mu: &s.holding, held: s.holder}
}

// Die ends the process. Of the writes that it holds, only as many remain as the function keep says, from the first on.
// If the process goes on, its later writes are not held.
func (p *Process) Die(keep func(held int) int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	if p.held.by != p {
		return
	}
	lost := p.held.undo[keep(len(p.held.undo)):]
	for _, undo := range slices.Backward(lost) {
		undo()
	}
	p.held.release()
}

func (h *holder) release() { h.by, h.undo, h.changed = nil, nil, nil }

// Flush makes the writes of the process durable.
func (p *Process) Flush(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held.by == p {
		p.held.release()
	}
	return ended(ctx)
}

// write makes a write that changes the given place, and holds it if it is deferred. The function do returns how to
// undo it, or nil if nothing has changed.
func (p *Process) write(ctx context.Context, place string, do func() (undo func())) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held.by != p {
		p.held.release() // another process waits for its turn
	}
	undo := do()
	if !storage.IsDeferred(ctx) || p.dead || len(p.held.undo)+1 >= storage.MaxHeld {
		p.held.release()
		return
	}
	if undo == nil {
		return
	}
	if p.held.by == nil {
		p.held.by, p.held.changed = p, map[string]bool{}
	}
	p.held.undo = append(p.held.undo, undo)
	p.held.changed[place] = true
}

// reads makes another process's writes durable if this one is about to read them. An empty name means all of a table
// or container.
func (p *Process) reads(of, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held.by != nil && p.held.by != p && (name == "" || p.held.changed[of+"|"+name]) {
		p.held.release()
	}
}

// Table opens a table.
func (p *Process) Table(name string) storage.Table {
	return &heldTable{p.Store.Table(name).(*table), p}
}

// Queue opens a queue. What is done with messages always waits.
func (p *Process) Queue(name string) storage.Queue { return &waitingQueue{p.Store.Queue(name), p} }

// Container opens a container.
func (p *Process) Container(name string) storage.Container {
	return &heldContainer{p.Store.Container(name).(*container), p}
}

type heldTable struct {
	*table
	p *Process
}

func (t *heldTable) Get(ctx context.Context, key storage.Key) (storage.Entity, error) {
	t.p.reads("table "+t.name, key.Partition)
	return t.table.Get(ctx, key)
}

func (t *heldTable) Query(ctx context.Context, q storage.Query) iter.Seq2[storage.Entity, error] {
	return func(yield func(storage.Entity, error) bool) {
		t.p.reads("table "+t.name, q.Partition)
		t.table.Query(ctx, q)(yield)
	}
}

func (t *heldTable) Transact(ctx context.Context, ops ...storage.Op) (tags []storage.ETag, err error) {
	if err := storage.CheckTransaction(ops); err != nil {
		return nil, err
	}
	t.p.write(ctx, "table "+t.name+"|"+ops[0].Entity.Partition, func() (undo func()) {
		tags, undo, err = t.transact(ctx, ops)
		return undo
	})
	return tags, err
}

type heldContainer struct {
	*container
	p *Process
}

func (c *heldContainer) Put(ctx context.Context, name string, b storage.Blob) (created bool, err error) {
	c.p.write(ctx, "container "+c.name+"|"+name, func() func() {
		if created, err = c.container.Put(ctx, name, b); err != nil || !created {
			return nil
		}
		return func() { _ = c.container.Delete(context.WithoutCancel(ctx), name) } // cannot fail
	})
	return created, err
}

func (c *heldContainer) Get(ctx context.Context, name string) (storage.Blob, error) {
	c.p.reads("container "+c.name, name)
	return c.container.Get(ctx, name)
}

func (c *heldContainer) Exists(ctx context.Context, name string) (bool, error) {
	c.p.reads("container "+c.name, name)
	return c.container.Exists(ctx, name)
}

func (c *heldContainer) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		c.p.reads("container "+c.name, "")
		c.container.List(ctx, prefix)(yield)
	}
}

func (c *heldContainer) Delete(ctx context.Context, name string) (err error) {
	c.p.waits(func() { err = c.container.Delete(ctx, name) })
	return err
}

// waits makes a write that is never deferred.
func (p *Process) waits(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
	p.held.release()
}

// waitingQueue is a queue whose writes end the holding of the process.
type waitingQueue struct {
	storage.Queue
	p *Process
}

func (q *waitingQueue) Send(ctx context.Context, body []byte, delay time.Duration) (err error) {
	q.p.waits(func() { err = q.Queue.Send(ctx, body, delay) })
	return err
}

func (q *waitingQueue) Receive(ctx context.Context, max int, visibility time.Duration) (got []storage.Message,
	err error) {
	q.p.waits(func() { got, err = q.Queue.Receive(ctx, max, visibility) })
	return got, err
}

func (q *waitingQueue) Extend(ctx context.Context, m storage.Message, visibility time.Duration) (got storage.Message,
	err error) {
	q.p.waits(func() { got, err = q.Queue.Extend(ctx, m, visibility) })
	return got, err
}

func (q *waitingQueue) Delete(ctx context.Context, m storage.Message) (err error) {
	q.p.waits(func() { err = q.Queue.Delete(ctx, m) })
	return err
}

// Package mem implements the storage port in memory, exactly and fast, for tests and simulations. It is not for
// production, because the state is lost when the process ends.
//
// Time passes only on the clock that the caller provides. Two runs with the same calls and the same clock have the
// same results, including receipts and revisions.
package mem

import (
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

var _ storage.Store = (*Store)(nil)

// Store is an account in memory. It is safe for concurrent use.
type Store struct {
	now        func() time.Time
	mu         sync.Mutex
	tables     map[string]*table
	queues     map[string]*queue
	containers map[string]*container

	holding sync.Mutex // guards holder
	holder  *holder    // what a [Process] holds; nil without processes
}

// New returns an empty store. The function now is the clock by which messages become visible.
func New(now func() time.Time) *Store {
	return &Store{
		now:        now,
		tables:     map[string]*table{},
		queues:     map[string]*queue{},
		containers: map[string]*container{},
	}
}

// Table opens a table. Names that differ only in case refer to the same table, as in Azure.
func (s *Store) Table(name string) storage.Table {
	return opened(s, s.tables, strings.ToLower(name), func() *table {
		return &table{gate: gate{what: "table", name: name, bad: storage.CheckTableName(name)}, parts: newPartitions()}
	})
}

// Queue opens a queue.
func (s *Store) Queue(name string) storage.Queue {
	return opened(s, s.queues, name, func() *queue {
		return &queue{gate: gate{what: "queue", name: name, bad: storage.CheckQueueName(name)}, now: s.now,
			byID: map[string]*message{}}
	})
}

// Container opens a container.
func (s *Store) Container(name string) storage.Container {
	return opened(s, s.containers, name, func() *container {
		return &container{gate: gate{what: "container", name: name, bad: storage.CheckContainerName(name)}, blobs: newBlobs()}
	})
}

func opened[T any](s *Store, all map[string]T, name string, open func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := all[name]
	if !ok {
		v = open()
		all[name] = v
	}
	return v
}

// Ping answers at once.
func (s *Store) Ping(ctx context.Context) error { return ended(ctx) }

// Flush does nothing, because no write of a Store is held. Those of a [Process] may be.
func (s *Store) Flush(ctx context.Context) error { return ended(ctx) }

// Close does nothing.
func (s *Store) Close() error { return nil }

// gate is the common part of a table, a queue and a container: its name, whether it was created, and the lock for its
// data.
type gate struct {
	what, name string
	bad        error // the error if the name is not allowed
	mu         sync.RWMutex
	created    bool
}

// Create creates the table, queue or container.
func (g *gate) Create(ctx context.Context) error {
	if g.bad != nil {
		return g.bad
	}
	if err := ended(ctx); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.created = true
	return nil
}

// ready returns Unavailable if the table, queue or container was not created. Callers must hold the lock.
func (g *gate) ready(ctx context.Context) error {
	if g.bad != nil {
		return g.bad
	}
	if !g.created {
		return fault.New(fault.Unavailable, "%s %s was never created", g.what, g.name)
	}
	return ended(ctx)
}

func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Unavailable, "%w", err)
	}
	return nil
}

// cloneProps copies columns, so that later changes by the store and by its caller do not affect each other.
func cloneProps(p storage.Properties) storage.Properties {
	c := maps.Clone(p)
	for name, value := range c {
		if b, ok := value.([]byte); ok {
			c[name] = append([]byte{}, b...)
		}
	}
	if c == nil {
		c = storage.Properties{}
	}
	return c
}

func cloneBlob(b storage.Blob) storage.Blob {
	return storage.Blob{
		Body:        append([]byte{}, b.Body...),
		ContentType: b.ContentType,
		Metadata:    maps.Clone(b.Metadata),
	}
}

package crawl

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// requestTime is how long after it was sent a request may take effect. Its client has given up by then.
const requestTime = 30 * time.Second

// hintTries is how many times the write of a hint is tried, each time for as long as a request may take.
const hintTries = 4

// lateWrite is a write whose client has given up.
type lateWrite struct {
	at time.Time
	do func()
}

// pass lets time pass, and applies the late writes whose time has come.
func (s *sim) pass(d time.Duration) {
	time.Sleep(d) // in the bubble, where contexts end by this time
	s.now = s.now.Add(d)
	slices.SortStableFunc(s.sent, func(a, b lateWrite) int { return a.at.Compare(b.at) })
	for len(s.sent) > 0 && !s.sent[0].at.After(s.now) {
		w := s.sent[0]
		s.sent = s.sent[1:]
		w.do()
	}
}

// givesUp reports whether the client of a write gives up on it. The write then takes effect later, or never.
func (s *sim) givesUp(ctx context.Context, do func(ctx context.Context)) bool {
	a := actorOf(ctx)
	if !s.faults || a == nil || s.rng.IntN(100) > 0 {
		return false
	}
	if left := a.asked.Add(requestTime).Sub(s.now); left > 0 && s.rng.IntN(4) > 0 {
		at := s.now.Add(time.Duration(s.rng.Int64N(int64(left))))
		s.sent = append(s.sent, lateWrite{at, func() { do(context.WithoutCancel(ctx)) }})
	}
	return true
}

var errGaveUp = fault.New(fault.Unavailable, "gave up")

// lateStore is a store behind a slow connection.
type lateStore struct {
	storage.Store
	sim *sim
}

func (l lateStore) Table(name string) storage.Table {
	return lateTable{l.Store.Table(name), l.sim, name}
}
func (l lateStore) Queue(name string) storage.Queue { return lateQueue{l.Store.Queue(name), l.sim} }
func (l lateStore) Container(name string) storage.Container {
	return lateContainer{l.Store.Container(name), l.sim}
}

type lateTable struct {
	storage.Table
	sim  *sim
	name string
}

func (t lateTable) Transact(ctx context.Context, ops ...storage.Op) ([]storage.ETag, error) {
	sent := slices.Clone(ops)
	for i := range sent {
		sent[i].Entity.Props = maps.Clone(sent[i].Entity.Props)
	}
	if t.sim.givesUp(ctx, func(ctx context.Context) {
		t.sim.checkLocks(ctx, storagetest.Call{Name: t.name, Ops: sent})
		_, _ = t.Table.Transact(ctx, sent...)
	}) {
		return nil, errGaveUp
	}
	return t.Table.Transact(ctx, ops...)
}

type lateQueue struct {
	storage.Queue
	sim *sim
}

func (q lateQueue) Send(ctx context.Context, body []byte, delay time.Duration) error {
	sent := slices.Clone(body)
	if q.sim.givesUp(ctx, func(ctx context.Context) { _ = q.Queue.Send(ctx, sent, delay) }) {
		return errGaveUp
	}
	return q.Queue.Send(ctx, body, delay)
}

type lateContainer struct {
	storage.Container
	sim *sim
}

func (c lateContainer) Put(ctx context.Context, name string, b storage.Blob) (bool, error) {
	sent := b
	sent.Body = slices.Clone(b.Body)
	if c.sim.givesUp(ctx, func(ctx context.Context) { _, _ = c.Container.Put(ctx, name, sent) }) {
		return false, errGaveUp
	}
	return c.Container.Put(ctx, name, b)
}

func (c lateContainer) Delete(ctx context.Context, name string) error {
	if c.sim.givesUp(ctx, func(ctx context.Context) { _ = c.Container.Delete(ctx, name) }) {
		return errGaveUp
	}
	return c.Container.Delete(ctx, name)
}

// takeRoom fills the room of a host with jobs that do not exist, as lost jobs do for a while. A registration then
// waits for a sweep, which its hint causes.
func (s *sim) takeRoom(host string, d time.Duration) {
	_, _ = s.store.Table(registry.DefaultTable).Transact(context.Background(), storage.Op{
		Kind: storage.Merge, Entity: storage.Entity{
			Key: storage.Key{Partition: host, Row: "host|" + host}, ETag: storage.AnyETag,
			Props: storage.Properties{"claimedUntil": storage.FormatTime(s.now.Add(d))},
		},
	})
}

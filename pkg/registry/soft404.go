package registry

import (
	"context"
	"sync"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"golang.org/x/sync/semaphore"
)

// Soft404 is an origin's answer to requests for pages that do not exist. Its row is next to that of robots.txt.
type Soft404 struct {
	AskedAt time.Time `col:"askedAt"` // when a worker last claimed the request to the origin; zero if never
	Page    string    `col:"page"`    // description of the page that the origin shows instead of a 404; empty: none
	Known   bool      `col:"known"`   // whether Page describes an answer; false until the origin has answered
	// Fingerprint identifies the answer. As long as Fingerprint stays the same, content that was compared with an
	// earlier Page need not be compared again. It is empty for an origin that answers 404.
	Fingerprint string `col:"mark"`

	scheme, host string
	before       string // the fingerprint as read
	key          storage.Key
	etag         storage.ETag
}

var soft404Rows = row.Of[Soft404]()

// Soft404 reads the stored answer of an origin.
func (r *Hosts) Soft404(ctx context.Context, partition, scheme, host string) (Soft404, error) {
	key := storage.Key{Partition: partition, Row: robotsRow(scheme, host) + "|absent"}
	a, etag, err := soft404Rows.Load(ctx, r.s.Items, key)
	a.scheme, a.host, a.before, a.key, a.etag = scheme, host, a.Fingerprint, key, etag
	return a, err
}

// ClaimSoft404 gives one caller the sole right to request a page that does not exist. Of several callers that have
// read the same row, only one succeeds. The claim is valid even if that caller dies before it has the answer.
func (r *Hosts) ClaimSoft404(ctx context.Context, a Soft404, now time.Time) (Soft404, bool, error) {
	a.AskedAt = policy.Stamp(now)
	tags, err := r.s.Items.Transact(ctx, soft404Rows.Put(a.key, a.etag, &a))
	if err != nil {
		return a, false, ignoreLost(err)
	}
	a.etag = tags[0]
	return a, true, nil
}

// PutSoft404 stores the answer for the caller that claimed the request, unless another caller has claimed it since.
// The same transaction writes a new fingerprint to the host row, so every later [Batch] has the new fingerprint.
func (r *Hosts) PutSoft404(ctx context.Context, a Soft404) error {
	if a.Fingerprint == a.before {
		_, err := r.s.Items.Transact(ctx, soft404Rows.Put(a.key, a.etag, &a))
		return ignoreLost(err)
	}
	outdated := false
	id := hostID{Partition: a.key.Partition, Host: a.host}
	return r.s.ChangeHost(ctx, id, func(_ context.Context, h *hostRecord) (*hostChange, error) {
		if outdated {
			return nil, nil
		}
		h.Fingerprints = h.Fingerprints.With(a.scheme, a.Fingerprint)
		return &hostChange{Ops: []storage.Op{soft404Rows.Put(a.key, a.etag, &a)}, Conflict: func() { outdated = true }}, nil
	})
}

// hostID identifies a host row.
type hostID struct{ Partition, Host string }

// hostLocks lets only one goroutine of this process at a time write a host row. Between processes, the row's ETag
// decides. Within one process, waiting is cheaper than a conflict.
type hostLocks struct {
	mu    sync.Mutex
	locks map[hostID]*hostMutex
}

// hostMutex is a lock for which callers wait no longer than their context allows. The lock is forgotten when no
// goroutine holds it or waits for it.
type hostMutex struct {
	free    *semaphore.Weighted
	waiting int
}

func (l *hostLocks) lock(ctx context.Context, id hostID) (unlock func(), err error) {
	h := l.join(id)
	if err := h.free.Acquire(ctx, 1); err != nil {
		l.release(id, h)
		return nil, err
	}
	return func() {
		h.free.Release(1)
		l.release(id, h)
	}, nil
}

func (l *hostLocks) join(id hostID) *hostMutex {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.locks == nil {
		l.locks = map[hostID]*hostMutex{}
	}
	h := l.locks[id]
	if h == nil {
		h = &hostMutex{free: semaphore.NewWeighted(1)}
		l.locks[id] = h
	}
	h.waiting++
	return h
}

func (l *hostLocks) release(id hostID, h *hostMutex) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.waiting--; h.waiting == 0 {
		delete(l.locks, id)
	}
}

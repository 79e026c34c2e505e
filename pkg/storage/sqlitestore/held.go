package sqlitestore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// A transaction of deferred writes ([storage.Deferred]) stays open after they were acknowledged, so that one commit is
// enough for many of them. SQLite keeps its changes for the connection that writes. So a read of this process that
// would miss them commits them first. This is rare: each write is of another page's rows, and a check seldom reads
// what it has just written.
//
// If the transaction is lost because the disk is full or fails, its writes are repeated before the next write, with
// the same revisions. Until this succeeds, every write fails. If another process has written in the meantime, they
// cannot be repeated, and the store refuses all writes until it is opened again, as after a crash.

// pollEvery is the time between two looks at whether another process waits. The time between two tries to repeat what
// was lost doubles from retryFirst to retryMost.
const (
	pollEvery  = 2 * time.Millisecond
	retryFirst = time.Second
	retryMost  = time.Minute
)

// heldWrites are what the writer has acknowledged and not yet committed. Only targets is used by other goroutines.
type heldWrites struct {
	jobs    []*job // in order
	open    bool   // the transaction is open, and has the writes of all jobs
	mine    bool   // it is this process's turn to write
	was     int64  // the last number that was issued before the transaction, according to the database
	issued  int64  // the last number that was issued in a transaction that was lost
	since   time.Time
	limit   time.Duration // [storage.MaxHeldTime], unless a test needs more time
	timer   *time.Timer   // wakes the writer while jobs are held
	retry   time.Duration // until the next try to repeat the jobs; zero before the first
	err     error         // why the last jobs are not durable, after the writer has ended
	lost    error         // why the jobs cannot be repeated
	targets targets
}

// target is what a deferred write changes: a partition of a table, or a blob of a container.
type target struct {
	gate int64 // number of the table or container
	name string
}

// targets are the targets that the open transaction has changed.
type targets struct {
	mu sync.RWMutex
	of []target
}

func (p *targets) add(of target) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of = append(p.of, of)
}

func (p *targets) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of = p.of[:0]
}

func (p *targets) have(match func(target) bool) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.ContainsFunc(p.of, match)
}

// flushFor commits what a read of the given place would miss. An empty name means all targets of a table or container.
func (s *Store) flushFor(ctx context.Context, gate int64, name string) error {
	missed := s.w.held.targets.have(func(p target) bool { return p.gate == gate && (name == "" || p.name == name) })
	if !missed {
		return nil
	}
	return s.flushHeld(ctx)
}

// Flush commits the deferred writes of this process.
func (s *Store) Flush(ctx context.Context) error {
	if !s.w.held.targets.have(func(target) bool { return true }) {
		return nil
	}
	return s.flushHeld(ctx)
}

// flushHeld writes nothing and waits, so all that was acknowledged before is durable when it returns.
func (s *Store) flushHeld(ctx context.Context) error {
	return s.write(ctx, func(*tx) error { return nil })
}

// mayHold reports whether the transaction may stay open after a batch.
func (w *writer) mayHold(batch []*job) bool {
	n := len(w.held.jobs)
	if n == 0 || n >= storage.MaxHeld || len(batch) == 0 || w.overdue() || w.lock.wanted() {
		return false
	}
	return !slices.ContainsFunc(batch, func(j *job) bool { return !j.deferred })
}

// overdue reports whether the oldest of the jobs was held for long enough.
func (w *writer) overdue() bool {
	return !w.held.since.IsZero() && time.Since(w.held.since) >= w.held.limit-pollEvery
}

// hold keeps the transaction open. Of its jobs, those from the given index on are new.
func (w *writer) hold(from int) {
	if w.held.since.IsZero() {
		w.held.since = time.Now()
		w.held.timer.Reset(pollEvery)
	}
	for _, j := range w.held.jobs[from:] {
		w.held.targets.add(j.changes)
	}
}

// poll commits the open transaction when its time has come, or when another process waits.
func (w *writer) poll() {
	if w.held.open && !w.overdue() && !w.lock.wanted() {
		w.held.timer.Reset(pollEvery)
		return
	}
	if err := w.flush(); err != nil {
		w.s.log.Error("acknowledged writes are not durable yet", "count", len(w.held.jobs), "err", err)
		if w.held.lost == nil {
			w.held.retry = min(max(2*w.held.retry, retryFirst), retryMost)
			w.held.timer.Reset(w.held.retry)
		}
	}
}

// flush commits what is held.
func (w *writer) flush() error {
	if len(w.held.jobs) == 0 {
		return nil
	}
	err := w.acquire()
	if err == nil {
		_, err = w.together(nil)
	}
	w.rest()
	return w.s.kinded(context.Background(), err)
}

// acquire waits until this process may write.
func (w *writer) acquire() error {
	if w.held.lost != nil {
		return w.held.lost
	}
	if !w.held.mine && !w.lock.acquire(busyLimit) {
		return w.s.file.Busy(errors.New("waiting for our turn to write"))
	}
	w.held.mine = true
	return nil
}

// rest lets other processes write, unless jobs are held. Jobs whose transaction was lost keep the turn, because they
// can be repeated only if nobody else writes before.
func (w *writer) rest() {
	if w.held.mine && (len(w.held.jobs) == 0 || w.held.lost != nil) {
		w.held.mine = false
		w.lock.release()
	}
}

// lose is called when the transaction fails. Of the held jobs, those from the given index on were not acknowledged.
func (w *writer) lose(from int) {
	if from > 0 {
		w.held.issued = max(w.held.issued, w.tx.last)
	}
	w.held.jobs = w.held.jobs[:from]
	w.rollback()
}

// repeat runs the held jobs in a new transaction, with the numbers that were issued to them.
func (w *writer) repeat() error {
	now := w.tx.last
	w.tx.again = true
	defer func() { w.tx.again = false }()
	for _, j := range w.held.jobs {
		w.tx.last = j.from
		err := j.do(w.tx)
		if err != nil && fault.KindOf(err) == fault.Internal {
			return err
		}
		if err != nil || now != w.held.was {
			w.held.lost = w.s.file.Health.Damaged(fault.New(fault.Unavailable,
				"%d acknowledged writes were lost when the disk failed; start the program again", len(w.held.jobs)))
			return w.held.lost
		}
	}
	w.tx.last = max(now, w.held.issued)
	return nil
}

// release is called after a commit.
func (h *heldWrites) release() {
	for _, j := range h.jobs {
		if j.durable != nil {
			j.durable()
		}
	}
	h.jobs, h.since, h.issued, h.retry = nil, time.Time{}, 0, 0
	h.timer.Stop()
	h.targets.clear()
}

// stopped returns a timer that does not run.
func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

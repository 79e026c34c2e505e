package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// maxGroup bounds how many writes share a transaction, and so how much is done again when one of
// them fails in a way that spoils it.
const maxGroup = 64

// job is a write that was requested. The first to move its state away from waiting decides: the writer that begins it,
// or the caller that no longer wants it.
type job struct {
	do    func(*tx) error // may run more than once; only the last run counts
	state atomic.Int32
	err   error
	done  chan struct{}
}

const (
	waiting = iota
	begun
	abandoned
)

// writer is the one goroutine and connection that writes. Writes that wait while it syncs are
// joined into its next transaction; none waits for others to come.
type writer struct {
	s       *Store
	db      *sql.DB
	conn    *sql.Conn
	lock    *writeLock
	group   int // maxGroup, or 1 to measure what joining is worth
	jobs    chan *job
	quit    chan struct{}
	idle    chan struct{} // closed when run returned
	tx      *tx
	commits int
}

// tx is what a write sees of the transaction it runs in.
type tx struct {
	stmts *sqlitefile.Statements
	last  int64 // revision, receipt or id given out
}

// write runs do inside a transaction, after which its effects are durable, or not at all when it
// returns an error. It waits for its turn until ctx ends, and then for the disk. A damaged store
// is not written.
func (s *Store) write(ctx context.Context, do func(*tx) error) error {
	if err := s.file.Health.Damage(); err != nil {
		return err
	}
	j := &job{do: do, done: make(chan struct{})}
	select {
	case s.w.jobs <- j:
	case <-ctx.Done():
		return ended(ctx)
	case <-s.w.quit:
		return errClosed()
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if j.state.CompareAndSwap(waiting, abandoned) {
			return ended(ctx)
		}
		<-j.done // it has begun, and its outcome is better known than not
	}
	return s.kinded(context.WithoutCancel(ctx), j.err)
}

func (w *writer) run() {
	defer close(w.idle)
	for {
		select {
		case <-w.quit:
			return
		case j := <-w.jobs:
			w.serve(j)
		}
	}
}

// serve commits a job and those that came meanwhile.
func (w *writer) serve(first *job) {
	mine := w.lock.acquire(busyLimit)
	batch := w.gather(first)
	var err error
	if !mine {
		err = w.s.file.Busy(errors.New("waiting for our turn to write"))
	} else {
		err = w.commit(batch)
		w.lock.release()
	}
	for _, j := range batch {
		if err != nil {
			j.err = err
		}
		close(j.done)
	}
}

// gather marks as begun what is still wanted.
func (w *writer) gather(first *job) (batch []*job) {
	for j := first; ; {
		if j.state.CompareAndSwap(waiting, begun) {
			batch = append(batch, j)
		}
		if len(batch) >= w.group {
			return batch
		}
		select {
		case j = <-w.jobs:
		default:
			return batch
		}
	}
}

// commit runs the batch as one transaction. When the driver fails, which may undo more than the
// job it failed in, every job runs again in a transaction of its own, and only the guilty fails.
func (w *writer) commit(batch []*job) error {
	spoiled, err := w.together(batch)
	if !spoiled || len(batch) == 1 {
		return err
	}
	for _, j := range batch {
		if _, err := w.together([]*job{j}); err != nil {
			j.err = err
		}
	}
	return nil
}

// together leaves each job its own refusal. An error is everybody's; spoiled says that a job
// caused it and that nothing was committed.
func (w *writer) together(batch []*job) (spoiled bool, err error) {
	if len(batch) == 0 {
		return false, nil
	}
	was, err := w.begin()
	if err != nil {
		return false, err
	}
	accepted := 0
	for _, j := range batch {
		if j.err = w.tx.guarded(j.do, len(batch) > 1); j.err == nil {
			accepted++
		} else if fault.KindOf(j.err) == fault.Internal {
			w.rollback()
			return true, j.err
		}
	}
	// Refusals may rest on what neighbours have written, so they too are told after the commit.
	if accepted == 0 {
		w.rollback()
		return false, nil
	}
	if err := w.end(was); err != nil {
		w.rollback()
		return false, err
	}
	w.commits++
	return false, nil
}

// begin returns the number given out last before this transaction.
func (w *writer) begin() (was int64, err error) {
	if _, err := w.tx.exec("BEGIN IMMEDIATE"); err != nil {
		return 0, err
	}
	if err := w.tx.row("SELECT n FROM counter", nil, &w.tx.last); err != nil {
		w.rollback()
		return 0, err
	}
	return w.tx.last, nil
}

func (w *writer) end(was int64) error {
	if w.tx.last != was {
		if _, err := w.tx.exec("UPDATE counter SET n = ?", w.tx.last); err != nil {
			return err
		}
	}
	_, err := w.tx.exec("COMMIT")
	return err
}

// rollback has no error of its own: some failures have rolled back already.
func (w *writer) rollback() { _, _ = w.tx.exec("ROLLBACK") }

// guarded undoes what do has written when it refuses. Alone in its transaction it needs no
// savepoint: the transaction is undone.
func (t *tx) guarded(do func(*tx) error, savepoint bool) error {
	if !savepoint {
		return do(t)
	}
	if _, err := t.exec("SAVEPOINT job"); err != nil {
		return err
	}
	if refusal := do(t); refusal != nil {
		if fault.KindOf(refusal) == fault.Internal {
			return refusal
		}
		if _, err := t.exec("ROLLBACK TO job"); err != nil {
			return err
		}
		if _, err := t.exec("RELEASE job"); err != nil {
			return err
		}
		return refusal
	}
	_, err := t.exec("RELEASE job")
	return err
}

// next is a number that was never given out and never will be.
func (t *tx) next() int64 {
	t.last++
	return t.last
}

// exec reports how many rows were written.
func (t *tx) exec(query string, args ...any) (rows int64, err error) {
	res, err := t.stmts.ExecContext(context.Background(), query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (t *tx) row(query string, args []any, dest ...any) error {
	return t.stmts.Row(context.Background(), query, args, dest...)
}

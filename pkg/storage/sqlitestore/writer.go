package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// maxGroup limits the number of writes that share a transaction. So it also limits the number of writes that are
// repeated if one of them fails in a way that undoes the others.
const maxGroup = 64

// job is a write that is waiting or running. Its state changes from "waiting" only once: when the writer begins the
// job, or when the caller cancels it.
type job struct {
	do    func(*tx) error // may run more than once; only the last run has an effect
	state atomic.Int32
	err   error
	done  chan struct{}
}

const (
	waiting = iota
	begun
	abandoned
)

// writer is the one goroutine and connection that writes. Writes that wait while it syncs are joined in its next
// transaction. No write waits for others to arrive.
type writer struct {
	s       *Store
	db      *sql.DB
	conn    *sql.Conn
	lock    *writeLock
	group   int // maxGroup, or 1 to measure how much joining saves
	jobs    chan *job
	quit    chan struct{}
	idle    chan struct{} // closed when run has returned
	tx      *tx
	commits int
}

// tx is the transaction that the function of a write gets.
type tx struct {
	stmts *sqlitefile.Statements
	last  int64 // the last revision, receipt or id that was issued
}

// write runs a function in a transaction. If write returns nil, the effects are durable. If it returns an error,
// there are no effects. A call waits until its write begins, or until ctx ends. Once the write has begun, the call
// waits for the disk even if ctx ends. It does not write to a damaged store.
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
		<-j.done // the job has begun, so wait for the result
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

// serve commits a job together with the jobs that have arrived in the meantime.
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

// gather sets the state of the given job and of the waiting jobs to begun, and returns these jobs. It leaves out
// cancelled jobs.
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

// commit runs the batch as one transaction. A failure of the driver may undo more than the job that caused it. In
// that case, every job runs again in a transaction of its own, so that only the job at fault fails.
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

// together runs jobs in one transaction and stores each refusal in its job. An error that together returns concerns
// all jobs. It returns spoiled = true if one job caused the error and nothing was committed.
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
	// Refusals are also reported only after the commit, because a refusal may depend on writes of other jobs.
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

// begin begins a transaction. It returns the last number that was issued before.
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

// rollback ignores errors, because some failures have already rolled back the transaction.
func (w *writer) rollback() { _, _ = w.tx.exec("ROLLBACK") }

// guarded runs a function, and undoes its writes if it returns a refusal. A job that is alone in its transaction
// needs no savepoint, because the whole transaction is undone.
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

// next issues a number that was never issued before.
func (t *tx) next() int64 {
	t.last++
	return t.last
}

// exec runs a statement and returns the number of rows that were written.
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

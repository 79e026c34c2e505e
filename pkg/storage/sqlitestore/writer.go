package sqlitestore

import (
	"context"
	"database/sql"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// maxGroup limits the number of writes that share a transaction. So it also limits the number of writes that are
// repeated if one of them fails in a way that undoes the others.
const maxGroup = 64

// quietTime is how long no write must have come before the connection gives back the memory of its pages.
const quietTime = 10 * time.Second

// job is a write that is waiting or running. Its state changes from "waiting" only once: when the writer begins the
// job, or when the caller cancels it.
type job struct {
	do    func(*tx) error // may run more than once; only the last run has an effect
	state atomic.Int32
	err   error
	done  chan struct{}

	deferred bool   // the caller need not wait for the disk
	changes  target // what a deferred write changes
	durable  func() // called once a deferred write is durable; may be nil
	from     int64  // the last number that was issued before a deferred write
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
	quiet   time.Duration // quietTime; tests set it shorter
	held    heldWrites
}

// tx is the transaction that the function of a write gets.
type tx struct {
	stmts *sqlitefile.Statements
	last  int64 // the last revision, receipt or id that was issued
	again bool  // the write was acknowledged already, and its caller may use the results
}

// write runs a function in a transaction. If write returns nil, the effects are durable. If it returns an error,
// there are no effects. A call waits until its write begins, or until ctx ends. Once the write has begun, the call
// waits for the disk even if ctx ends. It does not write to a damaged store.
func (s *Store) write(ctx context.Context, do func(*tx) error) error {
	return s.submit(ctx, &job{do: do})
}

// submit gives a job to the writer and waits for its result.
func (s *Store) submit(ctx context.Context, j *job) error {
	if err := s.file.Health.Damage(); err != nil {
		return err
	}
	j.done = make(chan struct{})
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
	quiet := stopped()
	for {
		select {
		case <-w.quit:
			w.held.err = w.flush()
			return
		case j := <-w.jobs:
			w.serve(j)
			quiet.Reset(w.quiet)
		case <-quiet.C:
			_, _ = w.tx.exec("PRAGMA shrink_memory") // the pages stay in memory until the next try
		case <-w.held.timer.C:
			w.poll()
		}
	}
}

// serve commits a job together with the jobs that have arrived in the meantime. If all of them are deferred, the
// transaction may stay open for the next ones.
func (w *writer) serve(first *job) {
	err := w.acquire()
	batch := w.gather(first)
	if err == nil {
		err = w.commit(batch)
	}
	w.rest()
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
	alone := len(batch) == 1 && len(w.held.jobs) == 0
	spoiled, err := w.together(batch)
	if !spoiled || alone {
		return err
	}
	if _, err := w.together(nil); err != nil { // first what was acknowledged before
		return err
	}
	for _, j := range batch {
		if _, err := w.together([]*job{j}); err != nil {
			j.err = err
		}
	}
	return nil
}

// together runs jobs in the open transaction or in a new one, and stores each refusal in its job. An error that
// together returns concerns all jobs. It returns spoiled = true if one job caused the error and the transaction was
// lost. Without jobs, it commits the open transaction.
func (w *writer) together(batch []*job) (spoiled bool, err error) {
	before := len(w.held.jobs)
	if len(batch) == 0 && before == 0 {
		return false, nil
	}
	if err := w.begin(); err != nil {
		return false, err
	}
	accepted := 0
	for _, j := range batch {
		j.from = w.tx.last
		if j.err = w.tx.guarded(j.do, len(batch) > 1 || before > 0); j.err == nil {
			accepted++
			if j.deferred {
				w.held.jobs = append(w.held.jobs, j)
			}
		} else if fault.KindOf(j.err) == fault.Internal {
			w.lose(before)
			return true, j.err
		}
	}
	// Refusals are also reported only after the commit, because a refusal may depend on writes of other jobs.
	if accepted == 0 && before == 0 {
		w.rollback()
		return false, nil
	}
	if w.mayHold(batch) {
		w.hold(before)
		return false, nil
	}
	if err := w.end(); err != nil {
		w.lose(before)
		return false, err
	}
	w.commits++
	w.held.release()
	return false, nil
}

// begin begins a transaction, unless one is open. If an open one was lost, begin first repeats its writes.
func (w *writer) begin() error {
	if w.held.open {
		return nil
	}
	if _, err := w.tx.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := w.tx.row("SELECT n FROM counter", nil, &w.tx.last)
	if err == nil && len(w.held.jobs) > 0 {
		err = w.repeat()
	}
	if err != nil {
		w.rollback()
		return err
	}
	if len(w.held.jobs) == 0 {
		w.held.was = w.tx.last
	}
	w.held.open = true
	return nil
}

// end commits the transaction.
func (w *writer) end() error {
	if w.tx.last != w.held.was {
		if _, err := w.tx.exec("UPDATE counter SET n = ?", w.tx.last); err != nil {
			return err
		}
	}
	_, err := w.tx.exec("COMMIT")
	if err == nil {
		w.held.open = false
	}
	return err
}

// rollback ignores errors, because some failures have already rolled back the transaction.
func (w *writer) rollback() {
	_, _ = w.tx.exec("ROLLBACK")
	w.held.open = false
}

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

// next issues a number that was never issued before. A write that runs again gets the numbers that it had.
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

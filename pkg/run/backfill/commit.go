package backfill

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// roomWait is the pause before a source asks again whether one that runs beside it has left room below the run's cap.
const roomWait = 5 * time.Second

// commit ends a step: checkpoint, counters and reservation move by one transaction, and then the next
// message is sent. If another process did the same step first, nothing of this one counts.
func (w *step) commit(ctx context.Context) error {
	used := w.at.Reserved
	w.at.Step++
	for range 20 {
		p, err := w.prepare(ctx, used)
		if err != nil {
			return err
		}
		_, err = w.s.runs.Table.Transact(ctx, p.ops...)
		switch {
		case err == nil:
			w.logProgress(ctx)
			return w.follow(ctx, p)
		case stepWasDone(err):
			return w.dropOwnLinks(ctx)
		case !fault.Is(err, fault.Conflict):
			return err
		}
		if w.run, err = w.s.Get(ctx, w.at.Run); err != nil {
			return err
		}
	}
	return fault.After(2*time.Second, "the run changes too quickly")
}

// checkpointOp is the place of the checkpoint in a transaction that ends a step.
const checkpointOp = 1

// stepWasDone reports whether a transaction failed because its checkpoint has moved. The checkpoint guards the
// links, so one that is gone says the same.
func stepWasDone(err error) bool {
	op, ok := errors.AsType[*storage.OpError](err)
	return fault.Is(err, fault.NotFound) || ok && op.Index == checkpointOp && fault.Is(err, fault.Conflict)
}

// dropOwnLinks removes the links of a step that was not the first to end.
func (w *step) dropOwnLinks(ctx context.Context) error {
	if len(w.out.ops) == 0 || w.at.Token == "" || w.at.Slice > 0 || w.at.Offset > 0 {
		return nil
	}
	return w.s.work.drop(ctx, linksPrefix(w.at.Run, w.at.Source)+w.at.Token+"|")
}

// plan is how a step ends, against the run as it was read.
type plan struct {
	ops   []storage.Op
	begun []string // sources that begin now
	wait  time.Duration
}

// paceNote says what a source waits for that could register at once.
const paceNote = "waits: BACKFILL_JOBS_PER_MINUTE and BACKFILL_ITEMS_PER_MINUTE allow no more now"

func (w *step) prepare(ctx context.Context, used int) (p plan, err error) {
	now, r, c := w.s.runs.Now(), &w.run, w.at
	r.count(w.out, c, now)
	r.Reserved -= used
	c.Reserved = 0
	p.wait = w.out.wait
	var others []storage.Op
	if w.out.add.Queued > 0 && !r.DryRun {
		if others, c.NextPermit, err = w.spend(ctx, now, w.out.add.Queued); err != nil {
			return p, err
		}
	}
	switch {
	case w.out.end != "":
		c.Ended = true
		var more []storage.Op
		more, p.begun = w.ended(now)
		others = append(others, more...)
	case c.Token != "":
		c.Reserved = min(sliceLinks, r.room(c.Source))
		r.Reserved += c.Reserved
		if wait := c.NextPermit.Sub(now); wait > p.wait { // only what registers has to wait for that
			p.wait, r.of(c.Source).Note = wait, paceNote
		}
	}
	c.NotBefore, c.UpdatedAt = now.Add(p.wait), now
	p.ops = append([]storage.Op{w.s.runs.Op(r), c.op()}, others...)
	p.ops = append(append(p.ops, c.seenOps()...), w.out.ops...)
	return p, nil
}

// count adds up what a step did.
func (r *Run) count(out outcome, c *checkpoint, now time.Time) {
	r.UpdatedAt = now
	if r.Status == Pending {
		r.Status = Running
	}
	if r.StartedAt.IsZero() {
		r.StartedAt = now
	}
	r.Counts.add(out.add)
	r.remember(out.reasons)
	r.report(out.problems)
	for _, n := range out.known {
		r.KnownPages++
		r.KnownBytes += n
	}
	p := r.of(c.Source)
	p.Counts.add(out.add)
	p.Note = clip(out.note, maxMessage)
	if out.last != "" {
		p.Last = clip(out.last, maxShown)
		r.Last = Place{Source: c.Source, Page: c.Read}
	}
	if out.url != "" {
		r.Last = Place{c.Source, c.Read, clip(out.url, maxShown)}
	}
}

// ended lets the next source begin after one has come to its end, or ends the run.
func (w *step) ended(now time.Time) (ops []storage.Op, begun []string) {
	r := &w.run
	r.of(w.at.Source).State = w.out.end
	if r.over() {
		return nil, nil // cancelled meanwhile
	}
	ops, begun = r.activate(now)
	failed := 0
	for _, p := range r.Progress {
		switch p.State {
		case SourceWaiting, SourceRunning:
			return ops, begun
		case SourceFailed:
			failed++
		}
	}
	r.Status, r.Note, r.Disabled, r.FinishedAt = Completed, "", false, now
	if failed == len(r.Progress) {
		r.Status, r.Note = Failed, clip(w.at.Source+": "+w.out.note, maxMessage)
	}
	return append(ops, w.s.runs.InactiveOp(r.ID)), begun
}

// pace is the row of what all runs together may register.
type pace struct {
	Next time.Time `col:"next"`
}

var paces = row.Of[pace]()

// spend takes one job that registered n items from what all runs together may do in a minute (E13, ARC-3),
// and says when the next may follow.
func (w *step) spend(ctx context.Context, now time.Time, n int) ([]storage.Op, time.Time, error) {
	p, etag, err := paces.Load(ctx, w.s.runs.Table, key(paceRow))
	if err != nil {
		return nil, time.Time{}, err
	}
	if p.Next.Before(now) {
		p.Next = now
	}
	p.Next = p.Next.Add(max(time.Duration(n)*time.Minute/time.Duration(w.s.o.PerMinute),
		time.Minute/time.Duration(w.s.o.JobsPerMinute)))
	return []storage.Op{paces.Put(key(paceRow), etag, &p)}, p.Next, nil
}

// logProgress logs a run every 50 addresses and at its end (E12, OPS-3).
func (w *step) logProgress(ctx context.Context) {
	const every = 50
	r := &w.run
	before := r.Discovered - w.out.add.Discovered
	if !r.over() && before/every == r.Discovered/every {
		return
	}
	w.s.o.Log.InfoContext(ctx, fmt.Sprintf("[backfill] Progress: %d/%d URLs", r.Discovered, r.MaxURLs), "run", r.ID,
		"status", r.Status,
		"queued", r.Queued, "skipped", r.Skipped, "errors", r.Errors)
	if r.over() {
		for _, line := range w.s.Report(*r) {
			w.s.o.Log.InfoContext(ctx, "backfill done", "run", r.ID, "report", line)
		}
	}
}

// logCap logs that a cap has ended a source (INV-5).
func (w *step) logCap(ctx context.Context) {
	r, source := &w.run, w.at.Source
	if r.Discovered >= r.MaxURLs {
		w.s.o.Log.InfoContext(ctx, fmt.Sprintf("[backfill] Global cap reached: %d", r.Discovered), "run", r.ID, "source",
			source)
		return
	}
	w.s.o.Log.InfoContext(ctx, fmt.Sprintf("[backfill] Source cap reached for %s: %d", source, r.of(source).Discovered),
		"run", r.ID)
}

// follow sends what comes after a step. What cannot be sent now, the watchdog sends.
func (w *step) follow(ctx context.Context, p plan) error {
	if w.run.Status == Cancelled {
		return w.s.work.dropLinks(ctx, w.run.ID, w.at.Source)
	}
	if w.run.over() {
		w.s.tidy(ctx)
	}
	if !w.run.moves() {
		return nil
	}
	w.s.enqueue(ctx, w.run.ID, p.begun)
	if w.out.end != "" {
		return nil
	}
	w.s.unsent(ctx, w.at.Run, w.at.Source, w.s.send(ctx, w.at, p.wait))
	return nil
}

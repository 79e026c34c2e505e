package backfill

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// roomWait is the pause of a source when the other sources of its run have reserved all that the run's cap allows.
// After the pause, the source checks again whether there is room.
const roomWait = 5 * time.Second

// commit ends a step: one transaction writes the checkpoint, the counters and the reservation. After that, either the
// next step follows in this call, which commit reports, or the message for the next step is sent. If another process
// has already performed the same step, all results of this step are dropped.
func (w *step) commit(ctx context.Context) (on bool, err error) {
	used, number := w.at.Reserved, w.at.Step
	for range 20 {
		p := w.prepare(used, number)
		tags, err := w.s.runs.Table.Transact(ctx, p.ops...)
		switch {
		case err == nil:
			w.run.etag, w.at.etag = tags[0], tags[checkpointOp]
			w.at.seenIsKept(p.seen)
			w.logProgress(ctx)
			return w.follow(ctx, p)
		case stepWasDone(err):
			return false, w.s.work.dropOwnLinks(ctx, w.at, w.out.ops)
		case !fault.Is(err, fault.Conflict):
			return false, err
		}
		if w.run, err = w.s.Get(ctx, w.at.Run); err != nil {
			return false, err
		}
	}
	return false, fault.After(2*time.Second, "the run changes too quickly")
}

// checkpointOp is the index of the checkpoint's operation in a transaction that ends a step.
const checkpointOp = 1

// stepWasDone reports whether a transaction failed because another process has done the step: the checkpoint has
// changed, or a link row that only a finished step deletes is gone.
func stepWasDone(err error) bool {
	op, ok := errors.AsType[*storage.OpError](err)
	return fault.Is(err, fault.NotFound) || ok && op.Index == checkpointOp && fault.Is(err, fault.Conflict)
}

// plan describes how a step ends. It is computed from the run as it was read.
type plan struct {
	ops   []storage.Op
	begun []string // sources that begin now
	seen  seenRow
	last  bool // this is the last step of the message
}

func (w *step) prepare(used int, number int64) (p plan) {
	now, r, c := w.s.runs.Now(), &w.run, w.at
	r.count(w.out, c, now)
	r.Reserved -= used
	c.Reserved = 0
	var others []storage.Op
	switch {
	case w.out.end != "":
		c.Ended = true
		others, p.begun = w.ended(now)
	case c.Token != "":
		c.Reserved = min(sliceLinks, r.room(c.Source))
	case c.Walk != nil:
		c.Reserved = min(sliceLinks, r.room(c.Source), c.Walk.Waiting)
	}
	r.Reserved += c.Reserved
	c.NotBefore, c.UpdatedAt, c.Step = now.Add(w.out.wait), now, number
	if p.last = c.Ended || w.out.wait > 0 || !now.Before(w.until); p.last {
		c.Step++
	}
	p.ops = append([]storage.Op{w.s.runs.Op(r), c.op()}, others...)
	seen, ops := c.seenOps()
	p.seen, p.ops = seen, append(append(p.ops, ops...), w.out.ops...)
	return p
}

// count adds the outcome of a step to the run.
func (r *Run) count(out outcome, c *checkpoint, now time.Time) {
	r.UpdatedAt = now
	if r.Status == Pending {
		r.Status = Running
	}
	if r.StartedAt.IsZero() {
		r.StartedAt = now
	}
	r.Counts.add(out.add)
	for reason, n := range out.reasons {
		r.Reasons.Add(run.Clip(reason, maxMessage), n)
	}
	r.report(out.problems)
	for _, n := range out.known {
		r.KnownPages++
		r.KnownBytes += n
	}
	p := r.of(c.Source)
	p.Counts.add(out.add)
	p.Note = run.Clip(out.note, maxMessage)
	if out.last != "" {
		p.Last = run.Clip(out.last, maxShown)
		last := r.Last.URL // an address stays until another one is processed
		if r.Last.Source != c.Source {
			last = ""
		}
		r.Last = Latest{c.Source, c.Read, last}
	}
	if out.url != "" {
		r.Last = Latest{c.Source, c.Read, run.Clip(out.url, maxShown)}
	}
}

// ended starts the next source after a source has ended. After the last source it ends the run.
func (w *step) ended(now time.Time) (ops []storage.Op, begun []string) {
	r := &w.run
	r.of(w.at.Source).State = w.out.end
	if r.over() {
		return nil, nil // cancelled in the meantime
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
		r.Status, r.Note = Failed, run.Clip(w.at.Source+": "+w.out.note, maxMessage)
	}
	return append(ops, w.s.runs.InactiveOp(r.ID)), begun
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

// follow sends the messages of the next steps, unless the next step follows in this call. If a message cannot be sent
// now, the watchdog sends it.
func (w *step) follow(ctx context.Context, p plan) (on bool, err error) {
	if w.run.Status == Cancelled {
		return false, w.s.work.dropLinks(ctx, w.run.ID, w.at.Source)
	}
	if w.run.over() {
		w.s.tidy(ctx)
	}
	if !w.run.moves() {
		return false, nil
	}
	w.s.enqueue(ctx, w.run.ID, p.begun)
	if p.last && w.out.end == "" {
		w.s.unsent(ctx, w.at.Run, w.at.Source, w.s.send(ctx, w.at, w.out.wait))
	}
	return !p.last, nil
}

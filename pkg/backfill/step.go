package backfill

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/site"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/telemetry"
)

// message asks for one step of a source.
type message struct {
	Run    string `json:"run"`
	Source string `json:"source"`
	Step   int64  `json:"step"`
	// TraceParent is the trace that the step belongs to, see package telemetry.
	TraceParent string `json:"traceparent,omitempty"`
}

func (s *Service) send(ctx context.Context, l *lane, delay time.Duration) error {
	body, err := json.Marshal(message{l.run, l.source, l.step, telemetry.TraceParent(ctx)})
	if err != nil {
		return err
	}
	return s.queue.Send(ctx, body, delay)
}

// outcome is what a step came to, beside what it did to its lane.
type outcome struct {
	add      Counts
	reasons  map[string]int
	problems []Problem
	known    []int64 // of a dry run: sizes of known pages
	last     string  // the document that was read
	note     string  // what the source waits for
	wait     time.Duration
	end      SourceState  // empty while the source goes on
	ops      []storage.Op // rows of links
}

func (o *outcome) exclude(reason string, n int) {
	if o.reasons == nil {
		o.reasons = map[string]int{}
	}
	o.reasons[reason] += n
}

// failed counts an error and keeps its text.
func (o *outcome) failed(at time.Time, source, url, message string) {
	o.add.Errors++
	o.problems = append(o.problems, Problem{At: at, Source: source, URL: url, Message: message})
}

// Step does what a message asks for and sends the next. Its errors are Invalid for a message that is
// none, else a failure of our own after which calling again is right.
func (s *Service) Step(ctx context.Context, body []byte) (err error) {
	run, l, err := s.open(ctx, body)
	if err != nil || l == nil {
		return err
	}
	defer fault.Wrap(&err, "backfill %s of %s", run.ID, l.source)
	if !s.o.Enabled {
		return s.disable(ctx, run.ID)
	}
	if early := l.notBefore.Sub(s.now()); early > 0 {
		return s.send(ctx, l, early)
	}
	found := s.o.Sites.Find(l.source)
	if found == nil {
		return s.commit(ctx, run, l, outcome{end: SourceFailed, note: "the site file does not have it any more"})
	}
	out, err := s.advance(ctx, &run, l, found)
	if err != nil {
		return err
	}
	return s.commit(ctx, run, l, out)
}

// GiveUp ends a source whose step failed on every try, for the reason given. Resume tries it again.
func (s *Service) GiveUp(ctx context.Context, body []byte, why string) error {
	run, l, err := s.open(ctx, body)
	if err != nil || l == nil {
		return err
	}
	out := outcome{end: SourceFailed, note: why}
	out.failed(s.now(), l.source, "", why)
	return s.commit(ctx, run, l, out)
}

// open loads what a message is about. The lane is nil when nothing is to be done: the step is done
// already, or the run does not go on.
func (s *Service) open(ctx context.Context, body []byte) (Run, *lane, error) {
	var m message
	if json.Unmarshal(body, &m) != nil || checkID(m.Run) != nil {
		return Run{}, nil, fault.New(fault.Invalid, "backfill step: the message names no run")
	}
	run, err := s.Get(ctx, m.Run)
	if fault.Is(err, fault.NotFound) {
		return Run{}, nil, fault.New(fault.Invalid, "%w", err)
	}
	if err != nil {
		return Run{}, nil, err
	}
	p := run.of(m.Source)
	if p == nil {
		return Run{}, nil, fault.New(fault.Invalid, "run %s has no source %.70q", m.Run, m.Source)
	}
	if !run.moves() || p.State != SourceRunning {
		return run, nil, nil
	}
	l, err := s.loadLane(ctx, m.Run, m.Source)
	if err != nil || l.step != m.Step {
		return run, nil, err
	}
	return run, l, nil
}

// disable pauses a run until BACKFILL_ENABLED is true again (E6).
func (s *Service) disable(ctx context.Context, id string) error {
	_, err := s.change(ctx, id, func(r *Run) ([]storage.Op, error) {
		if r.moves() {
			r.Status, r.Note, r.Disabled = Paused, disabledNote, true
		}
		return nil, nil
	})
	return err
}

// advance does the work of one step.
func (s *Service) advance(ctx context.Context, run *Run, l *lane, found *site.Site) (outcome, error) {
	if l.Ended {
		l.reopen()
	}
	if !l.Begun {
		l.begin(run.Mode, found, rangeOf(run.Request, run.CreatedAt))
	}
	if why, full := run.full(l.source); full {
		return outcome{end: SourceDone, note: why}, s.dropLinks(ctx, run.ID, l.source)
	}
	if l.Token != "" {
		return s.slice(ctx, run, l, found)
	}
	return s.document(ctx, run, l, found)
}

// roomWait is the pause before another look whether a source that runs beside has left room below
// the run's cap.
const roomWait = 5 * time.Second

// commit ends a step: lane, counters and reservation move by one transaction, and then the next
// message is sent. If somebody else did the same step first, nothing of this one counts.
func (s *Service) commit(ctx context.Context, run Run, l *lane, out outcome) error {
	held := l.reserved
	l.step++
	for range 20 {
		c, err := s.settle(ctx, &run, l, held, out)
		if err != nil {
			return err
		}
		_, err = s.rows.Transact(ctx, c.ops...)
		switch {
		case err == nil:
			s.progressed(ctx, &run, out)
			return s.goOn(ctx, &run, l, out, c)
		case stepWasDone(err):
			return s.dropToken(ctx, l, out)
		case !fault.Is(err, fault.Conflict):
			return err
		}
		if run, err = s.Get(ctx, l.run); err != nil {
			return err
		}
	}
	return fault.After(2*time.Second, "the run changes too quickly")
}

// laneOp is the place of the lane in a transaction that ends a step.
const laneOp = 1

// stepWasDone reports whether a transaction failed because its lane has moved. The lane guards the
// links, so one that is gone says the same.
func stepWasDone(err error) bool {
	op, ok := errors.AsType[*storage.OpError](err)
	return fault.Is(err, fault.NotFound) || ok && op.Index == laneOp && fault.Is(err, fault.Conflict)
}

// settlement is how a step ends, against the run as it was read.
type settlement struct {
	ops   []storage.Op
	begun []string // sources that begin now
	wait  time.Duration
}

func (s *Service) settle(ctx context.Context, run *Run, l *lane, held int, out outcome) (c settlement, err error) {
	now := s.now()
	run.count(out, l.source, now)
	run.reserved -= held
	l.reserved = 0
	c.wait = out.wait
	var pace []storage.Op
	if out.add.Queued > 0 && !run.DryRun {
		var free time.Time
		if pace, free, err = s.spend(ctx, now, out.add.Queued); err != nil {
			return c, err
		}
		c.wait = max(c.wait, free.Sub(now))
	}
	var more []storage.Op
	switch {
	case out.end != "":
		l.Ended = true
		if more, c.begun, err = s.ended(run, l.source, out, now); err != nil {
			return c, err
		}
	case l.Token != "":
		l.reserved = min(sliceLinks, run.room(l.source))
		run.reserved += l.reserved
	}
	l.notBefore, l.updatedAt = now.Add(c.wait), now
	e, err := l.entity()
	if err != nil {
		return c, err
	}
	c.ops = []storage.Op{{Kind: storage.Replace, Entity: run.entity()}, {Kind: storage.Replace, Entity: e}}
	for _, ops := range [][]storage.Op{pace, more, l.seenOps(), out.ops} {
		c.ops = append(c.ops, ops...)
	}
	return c, nil
}

// count adds up what a step did.
func (r *Run) count(out outcome, source string, now time.Time) {
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
	p := r.of(source)
	p.Counts.add(out.add)
	p.Note = clip(out.note, maxMessage)
	if out.last != "" {
		p.Last = clip(out.last, maxShown)
	}
}

// ended lets the next source begin after one has come to its end, or ends the run.
func (s *Service) ended(run *Run, source string, out outcome, now time.Time) (ops []storage.Op, begun []string, err error) {
	run.of(source).State = out.end
	if run.over() {
		return nil, nil, nil // cancelled meanwhile
	}
	if ops, begun, err = run.activate(now); err != nil {
		return nil, nil, err
	}
	failed := 0
	for _, p := range run.Progress {
		switch p.State {
		case SourceWaiting, SourceRunning:
			return ops, begun, nil
		case SourceFailed:
			failed++
		}
	}
	run.Status, run.Note, run.Disabled, run.FinishedAt = Completed, "", false, now
	if failed == len(run.Progress) {
		run.Status, run.Note = Failed, clip(source+": "+out.note, maxMessage)
	}
	return append(ops, s.inactive(run.ID)), begun, nil
}

// spend takes n items from what all runs together may register in a minute (E13), and says when the
// next may follow.
func (s *Service) spend(ctx context.Context, now time.Time, n int) ([]storage.Op, time.Time, error) {
	op := storage.Op{Kind: storage.Replace}
	e, err := s.rows.Get(ctx, key(paceRow))
	if fault.Is(err, fault.NotFound) {
		op.Kind, err = storage.Insert, nil
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	was, _ := e.Props["next"].(string)
	free := laterOf(storage.ParseTime(was), now).Add(time.Duration(n) * time.Minute / time.Duration(s.o.PerMinute))
	op.Entity = storage.Entity{Key: key(paceRow), ETag: e.ETag, Props: storage.Properties{"next": storage.FormatTime(free)}}
	return []storage.Op{op}, free, nil
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// progressed logs a run every 50 addresses and at its end (E12, OPS-3).
func (s *Service) progressed(ctx context.Context, run *Run, out outcome) {
	const every = 50
	before := run.Discovered - out.add.Discovered
	if !run.over() && before/every == run.Discovered/every {
		return
	}
	s.o.Log.InfoContext(ctx, "backfill progress", "run", run.ID, "status", run.Status, "discovered", run.Discovered, "max", run.MaxURLs,
		"queued", run.Queued, "skipped", run.Skipped, "errors", run.Errors)
	if run.over() {
		for _, line := range s.Report(*run) {
			s.o.Log.InfoContext(ctx, "backfill done", "run", run.ID, "report", line)
		}
	}
}

// goOn sends what comes after a step. What cannot be sent now a sweep will send.
func (s *Service) goOn(ctx context.Context, run *Run, l *lane, out outcome, c settlement) error {
	if run.over() && run.Status == Cancelled {
		return s.dropLinks(ctx, run.ID, l.source)
	}
	if !run.moves() {
		return nil
	}
	s.wakeAll(ctx, run.ID, c.begun)
	if out.end != "" {
		return nil
	}
	if err := s.send(ctx, l, c.wait); err != nil {
		s.o.Log.WarnContext(ctx, "backfill step not sent; a sweep will", "run", run.ID, "source", l.source, "kind", fault.KindOf(err))
	}
	return nil
}

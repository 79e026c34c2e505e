package backfill

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Cancel ends a run before its next step. It returns Conflict for a run that has ended.
func (s *Service) Cancel(ctx context.Context, id string) (Run, error) {
	run, err := s.runs.Change(ctx, id, func(r *Run) ([]storage.Op, error) {
		if r.over() {
			return nil, fault.New(fault.Conflict, "the run is %s already and cannot be cancelled", r.Status)
		}
		r.Status, r.Note, r.Disabled, r.FinishedAt = Cancelled, "", false, s.runs.Now()
		return []storage.Op{s.runs.InactiveOp(r.ID)}, nil
	})
	if err == nil {
		s.o.Log.InfoContext(ctx, "backfill cancelled", "run", id)
		s.work.dropLinks(ctx, id, "")
		s.tidy(ctx)
	}
	return run, err
}

// Pause stops a run before its next step, until it is resumed. It returns Conflict unless the run is PENDING or
// RUNNING.
func (s *Service) Pause(ctx context.Context, id string) (Run, error) {
	return s.runs.Change(ctx, id, func(r *Run) ([]storage.Op, error) {
		if !r.moves() && !(r.Status == Paused && r.Disabled) {
			return nil, fault.New(fault.Conflict, "the run is %s and cannot be paused", r.Status)
		}
		r.Status, r.Note, r.Disabled = Paused, "paused by request", false
		return nil, nil
	})
}

// Resume continues a run that is paused or FAILED. A failed run then requests once more the documents that could not
// be read, and counts no address twice (E11). Errors: Blocked while backfill is disabled; Conflict for a run in
// another status, or while maxActive runs are active.
func (s *Service) Resume(ctx context.Context, id string) (Run, error) {
	if err := s.allowed(); err != nil {
		return Run{}, err
	}
	var begun []string
	run, err := s.runs.Change(ctx, id, func(r *Run) (ops []storage.Op, err error) {
		ops, begun, err = s.reopen(ctx, r)
		return ops, err
	})
	if err == nil {
		s.o.Log.InfoContext(ctx, "backfill resumed", "run", id)
		s.enqueue(ctx, id, begun)
	}
	return run, err
}

func (s *Service) reopen(ctx context.Context, r *Run) (ops []storage.Op, begun []string, err error) {
	switch r.Status {
	case Paused:
		return nil, r.goOn(), nil
	case Failed:
		if r.Work != "" {
			return nil, nil, fault.New(fault.Conflict, "where the run stood is not kept any more, only that of the newest %d "+
				"that failed: begin a new run, which skips what is registered", keepFailed)
		}
	default:
		return nil, nil, fault.New(fault.Conflict, "the run is %s: only a FAILED or PAUSED one can be resumed", r.Status)
	}
	if err := s.runs.CheckRoom(ctx); err != nil {
		return nil, nil, err
	}
	r.goOn()
	for i := range r.Progress {
		if p := &r.Progress[i]; p.State == SourceFailed {
			p.State, p.Note = SourceWaiting, ""
		}
	}
	ops, begun = r.activate(s.runs.Now())
	return append(ops, s.runs.ActiveOp(r.ID)), begun, nil
}

// goOn makes the run active again, and returns its sources whose steps go on. What they waited for before is no longer
// known.
func (r *Run) goOn() (running []string) {
	r.Status, r.Note, r.Disabled, r.FinishedAt = Running, "", false, time.Time{}
	for i := range r.Progress {
		if p := &r.Progress[i]; p.State == SourceRunning {
			p.Note, running = "", append(running, p.Source)
		}
	}
	return running
}

// RequeueStalled sends again the messages of sources that have made no step for a while. It also resumes the runs
// that were paused because backfill was disabled. It costs one query while no run is active, and nothing while
// backfill is disabled.
func (s *Service) RequeueStalled(ctx context.Context) (sent int, err error) {
	if !s.o.Enabled {
		return 0, nil
	}
	all, err := s.runs.Active(ctx)
	for _, one := range all {
		n, err := s.requeue(ctx, one)
		if sent += n; err != nil {
			return sent, err
		}
	}
	return sent, err
}

func (s *Service) requeue(ctx context.Context, r Run) (sent int, err error) {
	if r.Status == Paused && r.Disabled {
		var running []string
		_, err := s.runs.Change(ctx, r.ID, func(r *Run) ([]storage.Op, error) {
			if running = nil; r.Status == Paused && r.Disabled {
				running = r.goOn()
			}
			return nil, nil
		})
		if err == nil {
			s.enqueue(ctx, r.ID, running)
		}
		return len(running), err
	}
	if !r.moves() {
		return 0, nil
	}
	for _, p := range r.Progress {
		if p.State != SourceRunning {
			continue
		}
		c, etag, err := checkpoints.Load(ctx, s.runs.Table, key(checkpointRow(r.ID, p.Source)))
		if err != nil || etag == "" {
			return sent, err
		}
		if now := s.runs.Now(); now.Sub(c.UpdatedAt) < stalled || now.Sub(c.NotBefore) < stalled {
			continue
		}
		if err := s.send(ctx, &c, 0); err != nil {
			return sent, err
		}
		sent++
	}
	return sent, nil
}

// enqueue sends the messages of sources.
func (s *Service) enqueue(ctx context.Context, run string, sources []string) {
	for _, source := range sources {
		c, err := s.work.loadCheckpoint(ctx, run, source)
		if err == nil {
			err = s.send(ctx, c, 0)
		}
		s.unsent(ctx, run, source, err)
	}
}

// unsent logs that a message could not be sent; the watchdog sends the message later. If err is nil, unsent does
// nothing.
func (s *Service) unsent(ctx context.Context, run, source string, err error) {
	if err != nil {
		s.o.Log.WarnContext(ctx, "backfill step not sent; the watchdog will send it", "run", run, "source", source, "kind",
			fault.KindOf(err))
	}
}

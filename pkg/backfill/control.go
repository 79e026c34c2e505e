package backfill

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Cancel ends a run before its next step. Conflict for one that has ended.
func (s *Service) Cancel(ctx context.Context, id string) (Run, error) {
	run, err := s.change(ctx, id, func(r *Run) ([]storage.Op, error) {
		if r.over() {
			return nil, fault.New(fault.Conflict, "the run is %s already and cannot be cancelled", r.Status)
		}
		r.Status, r.Note, r.Disabled, r.FinishedAt = Cancelled, "", false, s.now()
		return []storage.Op{s.inactive(r.ID)}, nil
	})
	if err == nil {
		s.o.Log.InfoContext(ctx, "backfill cancelled", "run", id)
		s.dropLinks(ctx, id, "")
	}
	return run, err
}

// Pause keeps a run from its next step until it is resumed. Conflict unless it goes on.
func (s *Service) Pause(ctx context.Context, id string) (Run, error) {
	return s.change(ctx, id, func(r *Run) ([]storage.Op, error) {
		if !r.moves() && !(r.Status == Paused && r.Disabled) {
			return nil, fault.New(fault.Conflict, "the run is %s and cannot be paused", r.Status)
		}
		r.Status, r.Note, r.Disabled = Paused, "paused by request", false
		return nil, nil
	})
}

// Resume lets a run go on that is paused or FAILED. A failed one asks again for the documents that
// could not be read, and repeats nothing that was counted (E11). Errors: Blocked while backfill is
// disabled, Conflict for a run in another status or while [MaxActive] go on.
func (s *Service) Resume(ctx context.Context, id string) (Run, error) {
	if err := s.allowed(); err != nil {
		return Run{}, err
	}
	var begun []string
	run, err := s.change(ctx, id, func(r *Run) (ops []storage.Op, err error) {
		ops, begun, err = s.reopen(ctx, r)
		return ops, err
	})
	if err == nil {
		s.o.Log.InfoContext(ctx, "backfill resumed", "run", id)
		s.wakeAll(ctx, id, begun)
	}
	return run, err
}

func (s *Service) reopen(ctx context.Context, r *Run) (ops []storage.Op, begun []string, err error) {
	switch r.Status {
	case Paused:
		r.goOn()
		for _, p := range r.Progress {
			if p.State == SourceRunning {
				begun = append(begun, p.Source)
			}
		}
		return nil, begun, nil
	case Failed:
	default:
		return nil, nil, fault.New(fault.Conflict, "the run is %s: only a FAILED or PAUSED one can be resumed", r.Status)
	}
	active, err := s.activeIDs(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(active) >= MaxActive {
		return nil, nil, fault.New(fault.Conflict, "%d backfill runs go on already; wait for one to end, or cancel one", len(active))
	}
	r.goOn()
	for i := range r.Progress {
		if p := &r.Progress[i]; p.State == SourceFailed {
			p.State, p.Note = SourceWaiting, ""
		}
	}
	ops, begun, err = r.activate(s.now())
	return append(ops, storage.Op{Kind: storage.Upsert, Entity: storage.Entity{Key: activeKey(r.ID), Props: storage.Properties{}}}), begun, err
}

func (r *Run) goOn() {
	r.Status, r.Note, r.Disabled, r.FinishedAt = Running, "", false, time.Time{}
}

// change rewrites a run, again when somebody else was quicker.
func (s *Service) change(ctx context.Context, id string, fn func(r *Run) ([]storage.Op, error)) (Run, error) {
	const tries = 20
	for range tries {
		run, err := s.Get(ctx, id)
		if err != nil {
			return Run{}, err
		}
		ops, err := fn(&run)
		if err != nil {
			return Run{}, err
		}
		run.UpdatedAt = s.now()
		_, err = s.rows.Transact(ctx, append([]storage.Op{{Kind: storage.Replace, Entity: run.entity()}}, ops...)...)
		if !fault.Is(err, fault.Conflict) {
			return run, err
		}
	}
	return Run{}, fault.New(fault.Unavailable, "the run changes too quickly: try again")
}

func (s *Service) inactive(id string) storage.Op {
	return storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: activeKey(id), ETag: storage.AnyETag}}
}

// Wake sends the messages of lanes that stand still, and lets runs go on that were paused by the
// switch. It is called by every sweep, and costs one read while no run goes on and none while
// backfill is disabled.
func (s *Service) Wake(ctx context.Context) (sent int, err error) {
	if !s.o.Enabled {
		return 0, nil
	}
	ids, err := s.activeIDs(ctx)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		n, err := s.wakeRun(ctx, id)
		if sent += n; err != nil {
			return sent, err
		}
	}
	return sent, nil
}

func (s *Service) wakeRun(ctx context.Context, id string) (sent int, err error) {
	run, err := s.Get(ctx, id)
	if err != nil {
		return 0, err
	}
	if run.Status == Paused && run.Disabled {
		run, err = s.change(ctx, id, func(r *Run) ([]storage.Op, error) {
			if r.Status == Paused && r.Disabled {
				r.goOn()
			}
			return nil, nil
		})
		if err != nil {
			return 0, err
		}
	}
	if !run.moves() {
		return 0, nil
	}
	for _, p := range run.Progress {
		if p.State != SourceRunning {
			continue
		}
		e, err := s.rows.Get(ctx, key(laneRow(id, p.Source)))
		if err != nil {
			return sent, err
		}
		l := newLane(id, p.Source, time.Time{})
		if err := l.read(e); err != nil {
			return sent, err
		}
		if last := laterOf(l.updatedAt, l.notBefore); s.now().Sub(last) < stalled {
			continue
		}
		if err := s.send(ctx, l, 0); err != nil {
			return sent, err
		}
		sent++
	}
	return sent, nil
}

// wakeAll sends the messages of sources. What cannot be sent now a sweep will send.
func (s *Service) wakeAll(ctx context.Context, run string, sources []string) {
	for _, source := range sources {
		l, err := s.loadLane(ctx, run, source)
		if err == nil {
			err = s.send(ctx, l, 0)
		}
		if err != nil {
			s.o.Log.WarnContext(ctx, "backfill step not sent; a sweep will", "run", run, "source", source, "kind", fault.KindOf(err))
		}
	}
}

package backfill

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// The rows of work of finished runs (checkpoints, hashes, links) are kept of the newest only (spec 004 ARC-3:
// removeOnComplete, removeOnFail). Rows of runs stay: they are the audit (INV-8).
var (
	keepCompleted = 100 // cancelled runs are among these, for nobody can resume them either
	keepFailed    = 50
)

// maxTidied is of how many runs one call removes the work: usually there is one.
const maxTidied = 20

// What became of a run's rows of work; empty while they are kept.
const (
	workRemoving = "removing"
	workRemoved  = "removed"
)

// tidy removes the work of runs that are over and no longer among the newest. It follows the end of a run, and
// costs one read for each thousand runs. What it cannot do now is done at the next end.
func (s *Service) tidy(ctx context.Context) {
	q := s.runs.Prefix(runRows)
	q.Select = []string{"rowVersion", "id", "status", "work"}
	completed, failed := 0, 0
	old := func(r *Run) bool {
		switch r.Status {
		case Completed, Cancelled:
			completed++
		case Failed:
			failed++
		}
		outlived := r.Status == Failed && failed > keepFailed || r.over() && r.Status != Failed && completed > keepCompleted
		return outlived && r.Work != workRemoved
	}
	if _, err := s.runs.Retire(ctx, q, maxTidied, old, s.removeWork); err != nil {
		s.o.Log.WarnContext(ctx, "rows of finished backfills not removed; the next end of a run tries again", "kind",
			fault.KindOf(err), "err", err)
	}
}

// removeWork says first that the work goes, so that nobody resumes the run meanwhile.
func (s *Service) removeWork(ctx context.Context, r *Run) error {
	mark := func(what string) error {
		tags, err := s.runs.Table.Transact(ctx, storage.Op{Kind: storage.Merge, Entity: storage.Entity{
			Key: key(runRow(r.ID)), ETag: r.etag, Props: storage.Properties{"work": what},
		}})
		if err == nil {
			r.etag = tags[0]
		}
		return err
	}
	if err := mark(workRemoving); err != nil {
		return err // a conflict is another process that does the same, or has resumed the run
	}
	for _, prefix := range []string{"lane|" + r.ID + "|", "links|" + r.ID + "|"} {
		if err := s.work.drop(ctx, prefix); err != nil {
			return err
		}
	}
	return mark(workRemoved)
}

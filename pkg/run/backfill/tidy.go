package backfill

import (
	"context"
	"errors"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Only the newest finished runs keep their checkpoints, hashes and links (spec 004 ARC-3: removeOnComplete,
// removeOnFail). The rows of the runs themselves are kept, because they are the audit (INV-8).
var (
	keepCompleted = 100 // this includes cancelled runs, which cannot be resumed either
	keepFailed    = 50
)

// maxTidied limits the number of runs whose checkpoints, hashes and links one call removes. Usually one run is due.
const maxTidied = 20

// The states of a run's checkpoints, hashes and links; the empty state means that they are kept.
const (
	workRemoving = "removing"
	workRemoved  = "removed"
)

// tidy removes the checkpoints, hashes and links of finished runs that are no longer among the newest. It is called
// when a run has ended, and costs one read for each thousand runs. If a run cannot be tidied now, that happens when
// the next run ends.
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

// removeWork removes the checkpoints, hashes and links of a run. It first records that they are being removed, so
// that nobody resumes the run in the meantime.
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
		return err // after a conflict, another process is removing the rows or has resumed the run
	}
	if err := errors.Join(s.work.drop(ctx, "lane|"+r.ID+"|"), s.work.dropLinks(ctx, r.ID, "")); err != nil {
		return err
	}
	return mark(workRemoved)
}

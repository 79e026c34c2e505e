package snapshot

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Run is one collection effort with one normalization version.
type Run struct {
	ID                   string
	Collector            string
	NormalizationVersion lineage.Version
	StartedAt            time.Time
	// ReprocessingOf is the run whose captures this one extracts again (B5); "" for one that fetches.
	ReprocessingOf string
}

// StartRun records a run. A run that exists stays as it was started: neither its version (B1) nor
// what it reprocesses (B5) ever changes, so starting it with another is a Conflict.
func (s *Store) StartRun(ctx context.Context, run Run) error {
	key := storage.Key{Partition: "run", Row: run.ID}
	_, err := s.runs.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: key, Props: storage.Properties{
		"collector": run.Collector, "normalizationVersion": run.NormalizationVersion.String(),
		"startedAt": storage.FormatTime(run.StartedAt), "reprocessingOfRunId": run.ReprocessingOf,
	}}})
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	e, err := s.runs.Get(ctx, key)
	if err != nil {
		return err
	}
	if got := text(e, "normalizationVersion"); got != run.NormalizationVersion.String() {
		return fault.New(fault.Conflict, "run %s has the normalization version %s, which never changes", run.ID, got)
	}
	if got := text(e, "reprocessingOfRunId"); got != run.ReprocessingOf {
		return fault.New(fault.Conflict, "run %s reprocesses %q, which never changes", run.ID, got)
	}
	return nil
}

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
}

// StartRun records a run. A run that exists is returned as it was started: its version never
// changes (B1), so starting it under another version is a Conflict.
func (s *Store) StartRun(ctx context.Context, run Run) error {
	key := storage.Key{Partition: "run", Row: run.ID}
	_, err := s.runs.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: key, Props: storage.Properties{
		"collector": run.Collector, "normalizationVersion": run.NormalizationVersion.String(),
		"startedAt": storage.FormatTime(run.StartedAt),
	}}})
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	e, err := s.runs.Get(ctx, key)
	if err != nil {
		return err
	}
	if got := e.Props["normalizationVersion"]; got != run.NormalizationVersion.String() {
		return fault.New(fault.Conflict, "run %s has the normalization version %v, which never changes", run.ID, got)
	}
	return nil
}

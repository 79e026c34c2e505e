package snapshot

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Run is a collection effort with a single normalization version.
type Run struct {
	ID                   string
	Collector            string          `col:"collector,always"`
	NormalizationVersion lineage.Version `col:"normalizationVersion,always"`
	StartedAt            time.Time       `col:"startedAt,always"`
	// ReprocessingOf is the run whose captures this run reads again (B5). It is empty for runs that fetch.
	ReprocessingOf string `col:"reprocessingOfRunId,always"`
}

var runRow = row.Of[Run]()

// StartRun records a run. An existing run stays unchanged: neither its version (B1) nor the run that it reprocesses
// (B5) ever changes. Errors: Conflict if the run exists with other values.
func (s *Store) StartRun(ctx context.Context, run Run) error {
	key := storage.Key{Partition: "run", Row: run.ID}
	_, err := s.runs.Transact(ctx, runRow.Put(key, "", &run))
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	got, _, err := runRow.Load(ctx, s.runs, key)
	switch {
	case err != nil:
		return err
	case got.NormalizationVersion != run.NormalizationVersion:
		return fault.New(fault.Conflict, "run %s has the normalization version %s, which never changes",
			run.ID, got.NormalizationVersion)
	case got.ReprocessingOf != run.ReprocessingOf:
		return fault.New(fault.Conflict, "run %s reprocesses %q, which never changes", run.ID, got.ReprocessingOf)
	}
	return nil
}

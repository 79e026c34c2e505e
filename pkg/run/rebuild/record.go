package rebuild

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// recordRun records the rules under which the run reads texts, and the run that made the captures it reads (B1, B5).
func (s *Service) recordRun(ctx context.Context, run *Run) (err error) {
	record := snapshot.Run{ID: run.ID, Collector: "rebuild", NormalizationVersion: s.o.Version, StartedAt: run.StartedAt}
	if !run.Refetch {
		if record.ReprocessingOf, err = s.captured(ctx, run.Host); err != nil {
			return err
		}
	}
	err = s.snaps.StartRun(ctx, record)
	if fault.Is(err, fault.Conflict) {
		s.o.Log.WarnContext(ctx, "rebuild goes on under other rules than it began with", "run", run.ID)
		return nil
	}
	return err
}

// Bounds of the function captured: how many items it examines, and for how many of these it reads the captures.
const (
	sampled = 200
	asked   = 10
)

// captured returns the id of the run whose captures are read again (B5): the run of the first item with a capture of
// another version. If there is no such item, it is the run of the first item with any capture; if nothing was
// captured, the id is "". Other items may have captures of other runs, because each capture contains the id of its
// own run.
func (s *Service) captured(ctx context.Context, host string) (string, error) {
	items, err := s.reg.Items.List(ctx, registry.ListQuery{Host: host, Top: sampled})
	if err != nil {
		return "", err
	}
	looked := 0
	for _, other := range []bool{true, false} {
		for _, it := range items {
			if it.RawHash == "" || (it.NormalizationVersion != s.o.Version.String()) != other || looked == asked {
				continue
			}
			looked++
			c, err := s.snaps.First(ctx, it.ID, it.RawHash)
			if err == nil && c.RunID != "" || err != nil && !fault.Is(err, fault.NotFound) {
				return c.RunID, err
			}
		}
	}
	return "", nil
}

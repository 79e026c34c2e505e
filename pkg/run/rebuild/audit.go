package rebuild

import (
	"context"
	"sync"

	"github.com/tidemark/tidemark/pkg/registry"
)

// differing returns a function that selects the items whose page in the index is wrong. The function also records
// each of these items as a finding.
func (s *Service) differing(run *Run) func(context.Context, *registry.Item) (bool, error) {
	var mu sync.Mutex
	return func(ctx context.Context, it *registry.Item) (bool, error) {
		what, err := s.o.Audit.Difference(ctx, it)
		if err != nil || what == "" {
			return false, err
		}
		mu.Lock()
		defer mu.Unlock()
		s.note(ctx, run, Finding{string(it.ID), what})
		return true, nil
	}
}

// clearSome removes from the index some pages that have no item or entry.
func (s *Service) clearSome(ctx context.Context, run *Run) error {
	removed, next, err := s.o.Audit.Orphans(ctx, run.Cursor.Row)
	if err != nil {
		return err
	}
	for _, id := range removed {
		s.note(ctx, run, Finding{id, "the index holds a page that has no item or entry"})
	}
	run.Removed += len(removed)
	if run.Cursor.Row = next; next == "" {
		s.index(ctx, run)
	}
	return nil
}

func (s *Service) note(ctx context.Context, run *Run, f Finding) {
	s.o.Log.WarnContext(ctx, "index differs", "run", run.ID, "id", f.ID, "what", f.What)
	if len(run.Findings) < maxFindings {
		run.Findings = append(run.Findings, f)
	}
}

package rebuild

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// countCollisions adds up the collisions of some pages that the run indexed. It reads the manifests of several pages
// at the same time, but adds the pages in the order of their ids, so that a repeated step gives the same result.
func (s *Service) countCollisions(ctx context.Context, run *Run, manifests map[source.ID]string) error {
	if s.o.Collisions == nil {
		return nil
	}
	ids := slices.Sorted(maps.Keys(manifests))
	found := make([]chunk.Collisions, len(ids))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i, id := range ids {
		g.Go(func() (err error) {
			found[i], err = s.o.Collisions(ctx, id, manifests[id])
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, id := range ids {
		run.Collisions.Add(string(id), found[i], maxFindings)
	}
	return nil
}

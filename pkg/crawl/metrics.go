package crawl

import (
	"context"

	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// countCollisions logs and counts chunks that had the same uid at first. They have been made distinct since.
func (j *job) countCollisions(ctx context.Context, e *index.Prepared) {
	n := e.Collisions
	if n.Chunks == 0 {
		return
	}
	j.w.o.Metrics.ChunkCollisions.Add(float64(n.ByContext), "context")
	j.w.o.Metrics.ChunkCollisions.Add(float64(n.ByOrdinal), "ordinal")
	j.w.o.Log.InfoContext(ctx, "chunk uids collided", "id", e.Page.ID, "files", n.Files, "chunks", n.Chunks,
		"by context", n.ByContext, "by ordinal", n.ByOrdinal, "largest", n.Largest)
}

// count counts the findings that were just committed.
func (j *job) count() {
	for _, outcome := range j.outcomes {
		j.w.o.Metrics.Checks.Add(1, outcome)
		if outcome == string(schedule.Changed) {
			j.w.o.Metrics.Changes.Add(1)
		}
	}
	for _, kind := range j.kinds {
		j.w.o.Metrics.Kinds.Add(1, string(kind))
	}
	j.outcomes, j.kinds = nil, nil
}

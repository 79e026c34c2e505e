package mailimport

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// listedFor is how long an import stays in the list after it began.
const listedFor = 90 * 24 * time.Hour

// listed are the columns of an import that [Service.List] reads.
var listed = []string{
	"schema", "path", "size", "state", "message", "offset", "mails", "inserted", "skipped", "updated", "failed",
	"enqueued", "batches", "notEnqueued", "note", "startedAt", "updatedAt", "endedAt",
}

// List returns imports, newest first, up to the given number. It omits their failures, and imports that began more
// than 90 days ago. It costs one query for each thousand imports.
func (s *Service) List(ctx context.Context, top int) ([]Import, error) {
	q := storage.Query{
		Partition: partition, RowFrom: idPrefix + s.o.Clock().Add(-listedFor).UTC().Format(idLayout), RowTo: idPrefix + "~",
		Select: listed,
	}
	var out []Import
	for im, err := range s.runs.All(ctx, q) {
		if err != nil {
			return nil, err
		}
		if len(out) == top {
			out = out[1:]
		}
		out = append(out, im)
	}
	slices.Reverse(out)
	return out, nil
}

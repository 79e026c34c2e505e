package azure

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// overwritten is a revision that no row has. If another client has overwritten a row since this call wrote it, the
// call returns overwritten as the revision of the row. The caller's next write of the row is then a Conflict, as it
// would be if the answer had not been lost.
const overwritten storage.ETag = `W/"datetime'1601-01-01T00%3A00%3A00.0000000Z'"`

// resolve decides whether a refusal after a retry is real, because an earlier try may have been applied while its
// answer was lost. It reads the rows back. A transaction applies all its ops or none, so a single row with the call's
// token proves that the transaction was applied. If a transaction only deletes and all its rows are gone, it was
// applied, or the result is the same.
//
// If other clients have overwritten every row since, resolve does not recognize the write and returns the Conflict.
// The caller finds the new rows when it reads them again.
func (t *table) resolve(ctx context.Context, ops []storage.Op, token string, refusal error) ([]storage.ETag, error) {
	if !fault.Lost(refusal) {
		return nil, refusal
	}
	tags := make([]storage.ETag, len(ops))
	own, writes, left := false, 0, 0
	for i, op := range ops {
		s, err := t.read(ctx, op.Entity.Key)
		switch {
		case err != nil && !fault.Is(err, fault.NotFound):
			return nil, fault.New(fault.Unavailable, "reading back after a retry: %w", err)
		case op.Kind == storage.Delete:
			if err == nil {
				left++
			}
			continue
		case err == nil && s.token == token:
			own, tags[i] = true, s.ETag
		default:
			tags[i] = overwritten
		}
		writes++
	}
	if own || writes == 0 && left == 0 {
		return tags, nil
	}
	return nil, refusal
}

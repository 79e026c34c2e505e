package azure

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// overwritten is the revision of a row of this call that another client has written since. No row has
// it, so the caller's next write is a Conflict, as it would have been had the answer come at once.
const overwritten storage.ETag = `W/"datetime'1601-01-01T00%3A00%3A00.0000000Z'"`

// resolve decides what a refusal means after a retry: an earlier attempt may have been applied
// and its answer lost. The rows are read back. A transaction is all or none, so one row with the call's token proves
// all of it; a transaction of deletes alone was applied, or has the same effect, when no row is left.
//
// A write whose every row somebody else has overwritten since is not recognized and reported as
// the Conflict that the caller will find on reading again.
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

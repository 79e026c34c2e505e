package entries

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// tier1Pending is the status of an entry that is waiting for a model. Writing this status needs no flush, because
// another status always follows.
const tier1Pending = "pending"

// Revision identifies the state of an entry that was read.
type Revision string

// Read reads an entry with its revision. Errors: NotFound when the schema has no entry of that id.
func (s *Session) Read(ctx context.Context, id string) (entry.Fields, Revision, error) {
	r, err := s.load(ctx, id)
	return r.fields, Revision(r.etag), err
}

// Describe writes columns of tier 1 to an entry that has not changed since it was read. The value "" empties a
// column. The index has the new values after the next [Store.FlushOutbox]. Errors: Conflict if anything in the entry
// has changed since it was read; NotFound if the entry no longer exists; Invalid if there is a column that does not
// belong to tier 1.
func (s *Session) Describe(ctx context.Context, id string, read Revision, columns entry.Fields) error {
	key, err := keyOf(id)
	if err != nil {
		return err
	}
	for name := range columns {
		if !slices.Contains(entry.Tier1Columns, name) {
			return fault.Field(name, "%s is no column of tier 1", name)
		}
	}
	op := storage.Op{
		Kind:   storage.Merge,
		Entity: storage.Entity{Key: key, ETag: storage.ETag(read), Props: storage.Properties(columns)},
	}
	if columns.Text("tier1_status") == tier1Pending {
		_, err = s.entries.Transact(ctx, op)
		return err
	}
	return s.s.retry(ctx, func(int) error {
		_, err := s.outbox.commit(ctx, key, 0, news{}, op)
		return err
	})
}

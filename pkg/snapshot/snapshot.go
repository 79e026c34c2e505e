package snapshot

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Names of what the store keeps its state in.
const (
	Container     = "snapshots"
	CapturesTable = "Captures"
	RunsTable     = "Runs"
	RefsTable     = "SnapshotRefs"
)

// Store keeps captures. It is safe for concurrent use.
type Store struct {
	captures, runs, refs storage.Table
	blobs                storage.Container
	now                  func() time.Time // for leases only
}

// New opens the captures of a store. It touches nothing; see [Store.Create].
func New(s storage.Store) *Store {
	return &Store{
		captures: s.Table(CapturesTable), runs: s.Table(RunsTable), refs: s.Table(RefsTable),
		blobs: s.Container(Container), now: time.Now,
	}
}

// By has the store go by another clock than the wall's, for tests, and returns it.
func (s *Store) By(now func() time.Time) *Store {
	s.now = now
	return s
}

// Create makes the tables and the container that are missing.
func (s *Store) Create(ctx context.Context) error {
	for _, create := range []func(context.Context) error{s.captures.Create, s.runs.Create, s.refs.Create, s.blobs.Create} {
		if err := create(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Save keeps body and its capture, and records that the capture took over from what it supersedes.
// Saving what the item was last found to have only refreshes LastVerifiedAt; a page that returns to an earlier
// state keeps its first capture, and an edge tells of the return. A capture that stands never
// changes, whatever c says.
//
// Before is the RawHash that the item is known to have had, a hint that saves reads. With "" the body
// is written whatever stands.
// After an error Save is called again, with the same body or a newer one.
func (s *Store) Save(ctx context.Context, c Capture, body []byte, before string) (saved Saved, err error) {
	defer fault.Wrap(&err, "snapshot of %s", c.ItemID)
	r := &recording{Store: s, given: c, c: c}
	if before != "" {
		if err := r.read(ctx); err != nil {
			return saved, err
		}
	}
	if !r.current() {
		if err := s.keepBody(ctx, c, body); err != nil {
			return saved, err
		}
	}
	return r.run(ctx)
}

// keepBody writes a body once.
func (s *Store) keepBody(ctx context.Context, c Capture, body []byte) error {
	name, err := blobName(c.RawHash)
	if err != nil {
		return err
	}
	if err := s.hold(ctx, c.ItemID, c.RawHash); err != nil {
		return err
	}
	_, err = s.blobs.Put(ctx, name, packed(body))
	return err
}

// Verify records that an item's source still answers with a capture's content.
func (s *Store) Verify(ctx context.Context, id source.ID, rawHash string, now time.Time) error {
	_, err := s.captures.Transact(ctx, storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: captureKey(id, rawHash), ETag: storage.AnyETag,
		Props: storage.Properties{"lastVerifiedAt": storage.FormatTime(now)},
	}})
	if fault.Is(err, fault.NotFound) {
		return nil // captured under another policy, or purged: nothing to refresh
	}
	return err
}

// Load reads a capture with its body. NotFound if either is not there any more.
func (s *Store) Load(ctx context.Context, id source.ID, rawHash string) (Capture, []byte, error) {
	e, err := s.captures.Get(ctx, captureKey(id, rawHash))
	if err != nil {
		return Capture{}, nil, err
	}
	body, err := s.Body(ctx, rawHash)
	return captureOf(e), body, err
}

// List gives an item's captures, in no particular order.
func (s *Store) List(ctx context.Context, id source.ID) ([]Capture, error) {
	out, _, err := s.captureRows(ctx, id, "0", 0)
	return out, err
}

// Page gives so many of an item's captures, from 1 to 999, in the order of their digests: those after a digest,
// or the first ones when it is empty. It is one request. There are more exactly if more is set.
func (s *Store) Page(ctx context.Context, id source.ID, after string, most int) (page []Capture, more bool, err error) {
	from := "0"
	if after != "" {
		from = after + "0"
	}
	return s.captureRows(ctx, id, from, most)
}

// captureRows reads captures from a row on, all of them if most is 0.
func (s *Store) captureRows(ctx context.Context, id source.ID, from string, most int) (out []Capture, more bool, err error) {
	q := storage.Query{Partition: string(id), RowFrom: from, RowTo: "g"}
	if most > 0 {
		q.PageSize = most + 1
	}
	for e, err := range s.captures.Query(ctx, q) {
		if err != nil {
			return nil, false, err
		}
		if most > 0 && len(out) == most {
			return out, true, nil
		}
		out = append(out, captureOf(e))
	}
	return out, false, nil
}

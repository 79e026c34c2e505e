package snapshot

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
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
	captures captures
	runs     storage.Table
	bodies   bodies
}

// New opens the captures of a store. It touches nothing; see [Store.Create].
func New(s storage.Store) *Store {
	return &Store{
		captures: captures{s.Table(CapturesTable)}, runs: s.Table(RunsTable),
		bodies: bodies{refs: s.Table(RefsTable), blobs: s.Container(Container), now: time.Now},
	}
}

// By has the store go by another clock than the wall's, for tests, and returns it.
func (s *Store) By(now func() time.Time) *Store {
	s.bodies.now = now
	return s
}

// Create makes the tables and the container that are missing.
func (s *Store) Create(ctx context.Context) error {
	for _, create := range []func(context.Context) error{
		s.captures.Create, s.runs.Create, s.bodies.refs.Create, s.bodies.blobs.Create,
	} {
		if err := create(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Had is what an item is known to have had before a capture: the zero value for nothing.
type Had struct {
	RawHash  string
	Verified time.Time // when its source last answered with that
	Last     Last      // what its rows tell, if they were read
}

// Save keeps body and its capture, and records that the capture took over from what it supersedes.
// Saving what the item was last found to have records nothing new; a page that returns to an earlier
// state keeps its first capture, and an edge tells of the return. An existing capture never
// changes, whatever c says, except for when it was last verified: that is written when another capture takes its
// place.
//
// Before is what the item is known to have had, a hint that saves reads. Without it the body is
// written in any case.
// After an error Save is called again, with the same body or a newer one.
func (s *Store) Save(ctx context.Context, c Capture, body []byte, before Had) (saved Saved, err error) {
	defer fault.Wrap(&err, "snapshot of %s", c.ItemID)
	r := &recording{captures: s.captures, given: c, c: c, now: c.CapturedAt, before: before}
	if before.RawHash != "" {
		if err := r.read(ctx); err != nil {
			return saved, err
		}
	}
	if !r.current() {
		if err := s.bodies.save(ctx, c, body); err != nil {
			return saved, err
		}
	}
	return r.run(ctx)
}

// Reprocess keeps, beside the capture of a body, what the rules of another version read in it (B5): a capture of
// that version, made at its ReprocessedAt. It supersedes captures of that version as one that is fetched does, and
// none of another. An item that has no capture of the body gets none. It may be repeated, also after what follows.
func (s *Store) Reprocess(ctx context.Context, c Capture) (err error) {
	defer fault.Wrap(&err, "reprocessed snapshot of %s", c.ItemID)
	r := &recording{captures: s.captures, given: c, c: c, now: c.ReprocessedAt, reread: true}
	if err := r.again(ctx); err != nil || !r.captured {
		return err
	}
	if r.exists && r.tip.Capture != captureKey(c.ItemID, c.RawHash).Row {
		return nil // done before, and what has come after it was not committed
	}
	_, err = r.run(ctx)
	return err
}

// save writes a body once.
func (b bodies) save(ctx context.Context, c Capture, body []byte) error {
	name, err := blobName(c.RawHash)
	if err != nil {
		return err
	}
	if err := b.acquire(ctx, c.ItemID, c.RawHash); err != nil {
		return err
	}
	_, err = b.blobs.Put(ctx, name, packed(body))
	return err
}

// First reads the capture that an item made of a body when it was fetched. NotFound if it is not there any more.
func (s *Store) First(ctx context.Context, id source.ID, rawHash string) (Capture, error) {
	e, err := s.captures.Get(ctx, captureKey(id, rawHash))
	return captureOf(e), err
}

// Load is First with the body.
func (s *Store) Load(ctx context.Context, id source.ID, rawHash string) (Capture, []byte, error) {
	c, err := s.First(ctx, id, rawHash)
	if err != nil {
		return Capture{}, nil, err
	}
	body, err := s.Body(ctx, rawHash)
	return c, body, err
}

// LoadOf is Load for the first of some items that has the capture: one, and those that have moved to it.
func (s *Store) LoadOf(ctx context.Context, ids []source.ID, rawHash string) (c Capture, body []byte, err error) {
	for _, id := range ids {
		if c, body, err = s.Load(ctx, id, rawHash); !fault.Is(err, fault.NotFound) {
			break
		}
	}
	return c, body, err
}

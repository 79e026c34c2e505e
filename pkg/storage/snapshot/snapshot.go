package snapshot

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// These are the names of the tables and the container.
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

// New returns the captures of a store. It sends no request; see [Store.Create].
func New(s storage.Store) *Store {
	return &Store{
		captures: captures{s.Table(CapturesTable)}, runs: s.Table(RunsTable),
		bodies: bodies{refs: s.Table(RefsTable), blobs: s.Container(Container), now: time.Now},
	}
}

// By makes the store use the given clock instead of the wall clock, for tests, and returns the store.
func (s *Store) By(now func() time.Time) *Store {
	s.bodies.now = now
	return s
}

// Create creates the missing tables and the missing container.
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

// Had is what an item was known to have before a capture. The zero value means nothing.
type Had struct {
	RawHash  string
	Verified time.Time // when its source last answered with that capture
	Last     Last      // the item's rows, if they were read
}

// Save stores a body and its capture, and an edge to the capture that it supersedes. When the item was last found
// with the same capture, Save records nothing new. A page that returns to an earlier state keeps its first capture,
// and an edge records the return. An existing capture never changes, whatever c says, except for the time when it was
// last verified. That time is written when another capture becomes current.
//
// before is what the item is known to have had. It is a hint that saves reads. Without it the body is always written.
// After an error, callers must repeat Save, with the same body or a newer one.
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

// Reprocess stores, beside the capture of a body, what the rules of another version read in it (B5): a capture of
// that version, made at its ReprocessedAt. Like a fetched capture, it supersedes only captures of its own version.
// Nothing is stored for an item without a capture of the body. Reprocess may be repeated, also after later captures.
func (s *Store) Reprocess(ctx context.Context, c Capture) (err error) {
	defer fault.Wrap(&err, "reprocessed snapshot of %s", c.ItemID)
	r := &recording{captures: s.captures, given: c, c: c, now: c.ReprocessedAt, reread: true}
	if err := r.again(ctx); err != nil || !r.captured {
		return err
	}
	if r.exists && r.tip.Capture != captureKey(c.ItemID, c.RawHash).Row {
		return nil // an earlier try did this, and the item's row does not yet have the later captures
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

// First reads the capture that an item made of a body when it was fetched. Errors: NotFound when it is no longer
// kept.
func (s *Store) First(ctx context.Context, id source.ID, rawHash string) (Capture, error) {
	e, err := s.captures.Get(ctx, captureKey(id, rawHash))
	return captureOf(e), err
}

// Load is [Store.First] with the body.
func (s *Store) Load(ctx context.Context, id source.ID, rawHash string) (Capture, []byte, error) {
	c, err := s.First(ctx, id, rawHash)
	if err != nil {
		return Capture{}, nil, err
	}
	body, err := s.Body(ctx, rawHash)
	return c, body, err
}

// LoadOf is [Store.Load] for the first of several items that has the capture: an item, and the items that have moved
// to it.
func (s *Store) LoadOf(ctx context.Context, ids []source.ID, rawHash string) (c Capture, body []byte, err error) {
	for _, id := range ids {
		if c, body, err = s.Load(ctx, id, rawHash); !fault.Is(err, fault.NotFound) {
			break
		}
	}
	return c, body, err
}

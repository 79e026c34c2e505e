package snapshot

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// The names of the tables and the container.
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

// New returns a Store that keeps its captures in s. It sends no request; see [Store.Create].
func New(s storage.Store) *Store {
	return &Store{
		captures: captures{s.Table(CapturesTable)}, runs: s.Table(RunsTable),
		bodies: bodies{refs: s.Table(RefsTable), blobs: s.Container(Container), now: time.Now},
	}
}

// By sets the clock of the store, for tests, and returns the store. The default is the wall clock.
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

// Had holds the caller's knowledge of an item before a capture is saved. The zero value means that nothing is known.
type Had struct {
	RawHash  string
	Verified time.Time // when the item's source last answered with that capture
	Last     Last      // the item's rows, if the caller has read the rows
}

// Save stores a body, its capture, and an edge to the capture that it supersedes. If the item was last found with the
// same capture, Save records nothing new. A page that returns to an earlier state keeps its first capture, and an
// edge records the return. An existing capture never changes, whatever c contains, except for the time when it was
// last verified. That time is written when another capture becomes current.
//
// The caller's knowledge of the item, the argument before, is a hint that saves reads. Without the hint, the body is
// always written. After an error, callers must repeat Save, with the same body or a newer one.
//
// The writes are deferred ([storage.Deferred]). They are durable with the caller's next write that is not, which is
// the one that records the capture on the item.
func (s *Store) Save(ctx context.Context, c Capture, body []byte, before Had) (saved Saved, err error) {
	defer fault.Wrap(&err, "snapshot of %s", c.ItemID)
	r := &recording{captures: s.captures, given: c, c: c, now: c.CapturedAt, before: before}
	if before.RawHash != "" {
		if err := r.read(ctx); err != nil {
			return saved, err
		}
	}
	if !r.current() {
		if err := s.saveBodies(ctx, c, body); err != nil {
			return saved, err
		}
	}
	return r.run(ctx)
}

// Reprocess stores the result of reading a captured body by the rules of another version (B5). The result is a
// capture of that version, made at c.ReprocessedAt, beside the existing capture. Like a fetched capture, it
// supersedes only captures of its own version. For an item without a capture of the body, nothing is stored. Callers
// may repeat Reprocess, even after later captures.
func (s *Store) Reprocess(ctx context.Context, c Capture) (err error) {
	defer fault.Wrap(&err, "reprocessed snapshot of %s", c.ItemID)
	r := &recording{captures: s.captures, given: c, c: c, now: c.ReprocessedAt, reread: true}
	if err := r.again(ctx); err != nil || !r.captured {
		return err
	}
	if r.exists && r.tip.Capture != captureKey(c.ItemID, c.RawHash).Row {
		return nil // an earlier try was successful, and the item's row does not have the later captures yet
	}
	_, err = r.run(ctx)
	return err
}

// saveBodies writes the body of a capture and, for a rendered page, the one that the source sent. A body that was
// captured before keeps what its source sent then.
func (s *Store) saveBodies(ctx context.Context, c Capture, body []byte) error {
	if c.PlainHash != "" {
		first, _, err := s.captures.find(ctx, c.ItemID, c.RawHash, "")
		if err == nil && first.ItemID == "" {
			err = s.bodies.save(ctx, c.ItemID, c.PlainHash, c.Sent)
		}
		if err != nil {
			return err
		}
	}
	return s.bodies.save(ctx, c.ItemID, c.RawHash, body)
}

// save writes a body once.
func (b bodies) save(ctx context.Context, id source.ID, hash string, body []byte) error {
	name, err := blobName(hash)
	if err != nil {
		return err
	}
	if err := b.acquire(ctx, id, hash); err != nil {
		return err
	}
	_, err = b.blobs.Put(storage.Deferred(ctx), name, packed(body))
	return err
}

// First reads the capture that was made for an item when a body was fetched. Errors: NotFound if the capture is no
// longer kept.
func (s *Store) First(ctx context.Context, id source.ID, rawHash string) (Capture, error) {
	e, err := s.captures.Get(ctx, captureKey(id, rawHash))
	return captureOf(e), err
}

// Load reads the same capture as [Store.First], and its body.
func (s *Store) Load(ctx context.Context, id source.ID, rawHash string) (Capture, []byte, error) {
	c, err := s.First(ctx, id, rawHash)
	if err != nil {
		return Capture{}, nil, err
	}
	body, err := s.Body(ctx, rawHash)
	return c, body, err
}

// LoadOf is like [Store.Load], but for several items: an item, and the items that have moved to it. It loads the
// capture of the first of these items that has one.
func (s *Store) LoadOf(ctx context.Context, ids []source.ID, rawHash string) (c Capture, body []byte, err error) {
	for _, id := range ids {
		if c, body, err = s.Load(ctx, id, rawHash); !fault.Is(err, fault.NotFound) {
			break
		}
	}
	return c, body, err
}

// Run is a collection effort with a single normalization version.
type Run struct {
	ID                   string
	Collector            string          `col:"collector,always"`
	NormalizationVersion lineage.Version `col:"normalizationVersion,always"`
	StartedAt            time.Time       `col:"startedAt,always"`
	// ReprocessingOf is the run whose captures this run reads again (B5). It is empty for runs that fetch.
	ReprocessingOf string `col:"reprocessingOfRunId,always"`
}

var runRow = row.Of[Run]()

// StartRun records a run. An existing run stays unchanged: neither its version (B1) nor the run that it reprocesses
// (B5) ever changes. Errors: Conflict if the run exists with other values.
func (s *Store) StartRun(ctx context.Context, run Run) error {
	key := storage.Key{Partition: "run", Row: run.ID}
	_, err := s.runs.Transact(ctx, runRow.Put(key, "", &run))
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	got, _, err := runRow.Load(ctx, s.runs, key)
	switch {
	case err != nil:
		return err
	case got.NormalizationVersion != run.NormalizationVersion:
		return fault.New(fault.Conflict, "run %s has the normalization version %s, which never changes",
			run.ID, got.NormalizationVersion)
	case got.ReprocessingOf != run.ReprocessingOf:
		return fault.New(fault.Conflict, "run %s reprocesses %q, which never changes", run.ID, got.ReprocessingOf)
	}
	return nil
}

package mailimport

import (
	"context"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Queue holds the messages of turns, and Table the imports.
const (
	Queue = "mbox-steps"
	Table = "Imports"
)

// Bounds and defaults of an import.
const (
	MinBatch     = 500 // entries of a batch for tier 1
	DefaultBatch = 500
	MaxBatch     = 2000
	DefaultChunk = 200 // mails of a piece
	MaxChunk     = 500
	Window       = "24h" // the only completion window that there is

	MaxMail   = 64 << 20 // bytes of a mail; a larger one is broken
	MaxActive = 20       // imports that go on at once; more are refused
)

const (
	// turnTime is how long pieces follow each other before the next message.
	turnTime = 25 * time.Second
	// sendTime is how long it may take to hand an import to the queue whose request has ended.
	sendTime = 10 * time.Second
	// pollWait is the pause while too many batches go on in tier 1.
	pollWait = time.Minute
	// stalled is how long an import may go without a step before its message is taken for lost.
	stalled = 3 * time.Minute
)

// Scheduler takes entries for tier 1; see [enrich.Service.Schedule].
type Scheduler interface {
	Schedule(ctx context.Context, schema string, ids []string) (enrich.Batch, error)
}

// Options adjust a service. Without a Root nothing can be imported.
type Options struct {
	Root  Root
	Turn  time.Duration    // how long a message works; 25 s when zero, one piece when negative
	Clock func() time.Time // the wall clock when nil
	Token func() string    // makes ids of imports unique; crypto/rand when nil
	Log   *slog.Logger     // discarded when nil
}

// Service starts and advances imports. It is safe for concurrent use by any number of processes.
type Service struct {
	runs    run.Runs[Import]
	files   *file.Client
	entries *entries.Store
	tier1   Scheduler
	o       Options
}

// New opens the imports of a store. The client reads files of this machine below the root. Nothing is
// touched; see [Service.Create].
func New(store storage.Store, files *file.Client, kept *entries.Store, tier1 Scheduler, o Options) *Service {
	run.Defaults(&o.Clock, &o.Token, &o.Log)
	if o.Turn == 0 {
		o.Turn = turnTime
	}
	return &Service{files: files, entries: kept, tier1: tier1, o: o, runs: run.Runs[Import]{
		Kind: "import", Table: store.Table(Table), Partition: partition,
		Messages:  run.Messages{Queue: store.Queue(Queue), RunName: "import", NumName: "turn"},
		MaxActive: MaxActive, Stalled: stalled, CheckID: checkID,
		Row: row.Of[Import](), Fields: fields, Clock: o.Clock, Log: o.Log,
	}}
}

// Create makes the queue and the table if they are missing.
func (s *Service) Create(ctx context.Context) error { return s.runs.Create(ctx) }

// Request is what to import, and how. Zero numbers are the defaults.
type Request struct {
	Path   string // below the root, or from there on
	Batch  int    // entries of a batch for tier 1, MinBatch to MaxBatch
	Chunk  int    // mails that are inserted together, 1 to MaxChunk
	Window string // Window, or empty for that
}

// check fills in defaults. The error is Invalid and blames a field.
func (r *Request) check() error {
	if r.Batch == 0 {
		r.Batch = DefaultBatch
	}
	if r.Chunk == 0 {
		r.Chunk = DefaultChunk
	}
	switch {
	case r.Path == "":
		return fault.Field("mbox_path", "mbox_path is missing: give that of a file below EMAIL_IMPORT_ROOT")
	case r.Batch < MinBatch || r.Batch > MaxBatch:
		return fault.Field("batch_size", "batch_size must be from %d to %d, not %d", MinBatch, MaxBatch, r.Batch)
	case r.Chunk < 1 || r.Chunk > MaxChunk:
		return fault.Field("insert_chunk_size", "insert_chunk_size must be from 1 to %d, not %d", MaxChunk, r.Chunk)
	case r.Window != "" && r.Window != Window:
		return fault.Field("completion_window", "completion_window must be %s, not %.20q: services know no other", Window,
			r.Window)
	}
	return nil
}

// Start begins an import. When it returns the import is durable, and comes to its end by the watchdog if
// by nothing else; call [Service.Advance] to have it begin at once. Kinds: Invalid,
// which blames a field; Blocked where no root is set; NotFound for a file that is not there; Conflict
// while MaxActive imports go on.
func (s *Service) Start(ctx context.Context, r Request) (Import, error) {
	if err := r.check(); err != nil {
		return Import{}, err
	}
	place, err := s.o.Root.place(r.Path)
	if err != nil {
		return Import{}, err
	}
	info, err := s.inspect(ctx, place)
	if err != nil {
		return Import{}, err
	}
	if err := s.runs.CheckRoom(ctx); err != nil {
		return Import{}, err
	}
	session, err := s.entries.Active(ctx)
	if err != nil {
		return Import{}, err
	}
	now := s.o.Clock().UTC()
	// Ids are in lower case, because paths with them are not told apart by case.
	im := Import{
		ID: idPrefix + now.Format(idLayout) + "-" + s.o.Token(), V: 1, Schema: string(session.Schema), Path: place.String(),
		Size: info.Length, ETag: info.ETag, Modified: info.LastModified.UTC().Format(time.RFC3339Nano), Batch: r.Batch,
		Chunk: r.Chunk, State: Reading, StartedAt: now, UpdatedAt: now,
	}
	if err := s.runs.Begin(ctx, &im); err != nil {
		return Import{}, err
	}
	s.o.Log.InfoContext(ctx, "import begun", "import", im.ID, "bytes", info.Length, "schema", im.Schema)
	return im, nil
}

// inspect asks for the properties of a file, as far as they tell it from a later one.
func (s *Service) inspect(ctx context.Context, place file.Place) (file.Info, error) {
	part, err := s.files.OpenAt(ctx, file.Request{Place: place, Credential: s.o.Root.Credential}, 0)
	if err != nil {
		if fault.Is(err, fault.Invalid) || fault.Is(err, fault.Blocked) {
			err = fault.Field("mbox_path", "%w", err)
		}
		return file.Info{}, err
	}
	return part.Info, part.Close()
}

// Step does the turn that a message asks for, and sends the next. Its errors are Invalid for a malformed message;
// after any other error the caller should try again.
func (s *Service) Step(ctx context.Context, body []byte) error {
	im, err := s.runs.Open(ctx, body)
	if err != nil || im == nil {
		return err
	}
	return s.turn(ctx, im, s.o.Turn)
}

// Advance takes an import on for about that long, and gives it as it is then. If it goes on after that,
// the queue has it, or the watchdog will send its message.
func (s *Service) Advance(ctx context.Context, im Import, long time.Duration) (Import, error) {
	failed := s.turn(ctx, &im, long)
	if failed == nil {
		return im, nil
	}
	s.o.Log.WarnContext(ctx, "import interrupted; the queue goes on with it", "import", im.ID, "kind",
		fault.KindOf(failed), "err", failed)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	im, err := s.Get(ctx, im.ID) // what is in memory may be ahead
	if err == nil {
		s.runs.Enqueue(ctx, &im, 0)
	}
	return im, err
}

// RequeueStalled sends the messages of imports that have not moved for a while, and says how many.
func (s *Service) RequeueStalled(ctx context.Context) (sent int, err error) {
	return s.runs.RequeueStalled(ctx)
}

package mailimport

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Queue is the queue for the messages of turns. Table is the table of imports.
const (
	Queue = "mbox-steps"
	Table = "Imports"
)

// Bounds and defaults of an import.
const (
	MinBatch     = 500 // number of entries in a batch for tier 1
	DefaultBatch = 500
	MaxBatch     = 2000
	DefaultChunk = 200 // number of mails in a piece
	MaxChunk     = 500
	Window       = "24h" // the only completion window that services offer

	MaxMail   = 64 << 20 // bytes of a mail; a larger mail counts as broken
	MaxActive = 20       // number of active imports; further imports are refused
)

const (
	// stepTime is how long a worker performs pieces before it sends the next message.
	stepTime = 25 * time.Second
	// pollWait is the pause when tier 1 has too many active batches.
	pollWait = time.Minute
	// stalled is how long an import may go without a step before its message counts as lost.
	stalled = 3 * time.Minute
)

// Scheduler enqueues entries for tier 1; see [enrich.Service.Schedule].
type Scheduler interface {
	Schedule(ctx context.Context, schema string, ids []string) (enrich.Batch, error)
}

// Options adjust a service. Without a Root, every import is refused.
type Options struct {
	Root     Root
	StepTime time.Duration    // how long one message works; 25 s when zero, one piece when negative
	Clock    func() time.Time // the wall clock when nil
	Token    func() string    // makes ids of imports unique; crypto/rand when nil
	Log      *slog.Logger     // discarded when nil
}

// Service starts and advances imports. It is safe for concurrent use by any number of processes.
type Service struct {
	runs    run.Runs[Import]
	files   *file.Client
	entries *entries.Store
	tier1   Scheduler
	o       Options
}

// New returns the service for the imports of a store. Of the files of this machine, the client reads only those below
// the root. New makes no request; see [Service.Create].
func New(store storage.Store, files *file.Client, kept *entries.Store, tier1 Scheduler, o Options) *Service {
	run.Defaults(&o.Clock, &o.Token, &o.Log)
	o.StepTime = cmp.Or(o.StepTime, stepTime)
	return &Service{files: files, entries: kept, tier1: tier1, o: o, runs: run.Runs[Import]{
		Kind: "import", Table: store.Table(Table), Partition: partition,
		Messages:  run.Messages{Queue: store.Queue(Queue), RunName: "import", NumName: "turn"},
		MaxActive: MaxActive, Stalled: stalled, CheckID: run.CheckID(partition, idPrefix, "import_id", "an import"),
		Row: row.Of[Import](), Fields: fields, Clock: o.Clock, Log: o.Log,
	}}
}

// Create creates the queue and the table if they are missing.
func (s *Service) Create(ctx context.Context) error { return s.runs.Create(ctx) }

// Request selects the file to import, and has options. If a number is zero, its default applies.
type Request struct {
	Path   string // full path, or path relative to the root
	Batch  int    // entries per batch for tier 1, MinBatch to MaxBatch
	Chunk  int    // mails inserted together, 1 to MaxChunk
	Window string // [Window], or empty, which means the same
}

// check replaces zero values by their defaults. Errors: Invalid, with the name of a field.
func (r *Request) check() error {
	r.Batch = cmp.Or(r.Batch, DefaultBatch)
	r.Chunk = cmp.Or(r.Chunk, DefaultChunk)
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

// Start begins an import. When Start returns, the import is durable, and the watchdog will send its first message. To
// begin the work at once, call [Service.Advance]. Errors: Invalid, with the name of a field; Blocked when no root is
// configured; NotFound for a missing file; Conflict while MaxActive imports are active.
func (s *Service) Start(ctx context.Context, r Request) (Import, error) {
	if err := r.check(); err != nil {
		return Import{}, err
	}
	place, err := s.o.Root.locate(r.Path)
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
	// Ids are in lower case, because some systems do not distinguish the case of paths.
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

// inspect reads those properties of a file that distinguish it from a later file at the same path.
func (s *Service) inspect(ctx context.Context, place file.Location) (file.Info, error) {
	part, err := s.files.OpenAt(ctx, file.Request{Location: place, Credential: s.o.Root.Credential}, 0)
	if err != nil {
		if fault.Is(err, fault.Invalid) || fault.Is(err, fault.Blocked) {
			err = fault.Field("mbox_path", "%w", err)
		}
		return file.Info{}, err
	}
	return part.Info, part.Close()
}

// Step performs the turn that a message asks for, and sends the next message. It returns Invalid for a malformed
// message. After any other error the caller should retry.
func (s *Service) Step(ctx context.Context, body []byte) error {
	im, err := s.runs.Open(ctx, body)
	if err != nil || im == nil {
		return err
	}
	return s.step(ctx, im, s.o.StepTime)
}

// Advance works on an import for about the given duration, and returns the new state of the import. If the import is
// then still active, its message is in the queue, or the watchdog will send it.
func (s *Service) Advance(ctx context.Context, im Import, long time.Duration) (Import, error) {
	err := s.runs.Interrupted(ctx, &im, s.step(ctx, &im, long))
	return im, err
}

// RequeueStalled sends the messages of stalled imports again, and returns their number.
func (s *Service) RequeueStalled(ctx context.Context) (sent int, err error) {
	return s.runs.RequeueStalled(ctx)
}

// Root is the only location of files that may be imported: a folder of this machine, or a container or folder of
// blobs.
type Root struct {
	Credential string // name of the credential for private blobs
	at         file.Location
}

// ParseRoot parses the setting EMAIL_IMPORT_ROOT. For "" it returns the zero Root.
func ParseRoot(raw, credential string) (Root, error) {
	if raw == "" {
		return Root{}, nil
	}
	if filepath.IsAbs(raw) {
		raw = filepath.Clean(raw)
	}
	at, err := file.Parse(raw)
	if err == nil && at.Kind() != file.Local && at.Kind() != file.Blob {
		err = fault.New(fault.Invalid,
			"want a folder of this machine, or the address of a blob container or of a folder in one")
	}
	return Root{Credential: credential, at: at}, err
}

// Folder returns the path of the root if it is a folder of this machine, otherwise "".
func (r Root) Folder() string {
	if r.at.Kind() != file.Local {
		return ""
	}
	return r.at.String()
}

// locate returns the location of a file below the root. The path is the full path, or is relative to the root.
// Errors: Invalid, with the field mbox_path; Blocked when no root is configured.
func (r Root) locate(path string) (file.Location, error) {
	if r == (Root{Credential: r.Credential}) {
		return file.Location{}, fault.New(fault.Blocked,
			"nothing can be imported here: EMAIL_IMPORT_ROOT, the folder or blob "+
				"container that mails may lie under, is not set")
	}
	p, err := file.Parse(path)
	if whole := err == nil || filepath.IsAbs(path) || strings.Contains(path, "://"); !whole {
		p, err = r.at.Join(path)
	}
	if err == nil && !p.Below(r.at) {
		err = fault.New(fault.Invalid, "the path is not below EMAIL_IMPORT_ROOT")
	}
	if err != nil {
		return file.Location{}, fault.Field("mbox_path", "%w", err)
	}
	return p, nil
}

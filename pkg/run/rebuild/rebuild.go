// Package rebuild has many items indexed anew: after an index was lost, or after the rules of
// extraction have changed (A19, B5). It needs the sites only when it is asked to fetch from them again.
//
//	Runs  PK rebuild  RK <run id>         scope, cursor, numbers, state
//	      PK rebuild  RK active|<run id>  while the run goes on
//
//	marking ──► all items of the scope are marked ──► entries ──► all are in the index, or in its outbox
//	        ──► indexing ──► no item waits ──► counting ──► all results are added up ──► done
//
// While marking, a step asks some items to be indexed (see [registry.Rebuilds.Request]); their due
// rows bring them to the workers, in batches and as slowly as their hosts are claimed. Entries (what was
// pushed in and not crawled) belong to no host, so only a run of everything has that state. While
// indexing, a step checks whether workers have finished. While counting, steps add up what became of the
// items, which costs one read for 256 of them.
//
// Package run takes it from step to step. What a step marked before it died is marked and counted once.
package rebuild

import (
	"context"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Queue holds the messages of steps.
const Queue = "rebuild-steps"

// MaxActive is how many runs go on at once; more are refused.
const MaxActive = 20

const (
	// pollWait is the pause before a run whose items are being indexed is checked again.
	pollWait = 15 * time.Second
	// stalled is how long a run may go without a step before its message is taken for lost.
	stalled = 2 * time.Minute
)

// Options adjust a service. The zero value works.
type Options struct {
	Clock func() time.Time // the wall clock when nil
	Token func() string    // makes ids of runs unique; crypto/rand when nil
	// Version is what texts are read under; [lineage.Current] when empty.
	Version lineage.Version
	Audit   Auditor // without it nothing can be audited
	// Collisions are those of the chunks of an item by its manifest (see [index.Manifests]); nil: they are not counted.
	Collisions func(ctx context.Context, id source.ID, manifest string) (chunk.Collisions, error)
	// Entries are indexed anew with everything else; nil where there are none.
	Entries Entries
	Log     *slog.Logger // discarded when nil
}

// Entries are what was pushed in and not crawled (see [entries.Store]).
type Entries interface {
	// Reindex has the index hold some entries that come after a place, those that it holds otherwise than it
	// should when differs is given; done is set after the last. It may be repeated.
	Reindex(ctx context.Context, from registry.Cursor, differs func(id, what string)) (n int, next registry.Cursor,
		done bool, err error)
}

// Auditor knows what the index holds (see [index.Auditor]).
type Auditor interface {
	// Difference says how the index differs from what it should hold of an item; "" if it does not.
	Difference(ctx context.Context, it *registry.Item) (string, error)
	// Orphans removes some pages that have neither item nor entry; next is "" after the last.
	Orphans(ctx context.Context, after string) (removed []string, next string, err error)
}

// Service starts and advances runs. It is safe for concurrent use by any number of processes.
type Service struct {
	reg   *registry.Registry
	snaps *snapshot.Store
	runs  run.Runs[Run]
	o     Options
}

// New opens the runs of a store. It touches nothing; see [Service.Create].
func New(store storage.Store, reg *registry.Registry, snaps *snapshot.Store, o Options) *Service {
	run.Defaults(&o.Clock, &o.Token, &o.Log)
	if o.Version == "" {
		o.Version = lineage.Current
	}
	return &Service{reg: reg, snaps: snaps, o: o, runs: run.Runs[Run]{
		Kind: "rebuild", Table: store.Table(snapshot.RunsTable), Partition: partition,
		Messages:  run.Messages{Queue: store.Queue(Queue), RunName: "run", NumName: "step"},
		MaxActive: MaxActive, Stalled: stalled, CheckID: checkID,
		Row: row.Of[Run](), Fields: fields, Clock: o.Clock, Log: o.Log,
	}}
}

// Create makes the queue and the table if they are missing.
func (s *Service) Create(ctx context.Context) error { return s.runs.Create(ctx) }

// Start begins a run. When it returns the run is durable and will come to its end. A host that
// nothing is registered for is NotFound; too many runs at once are a Conflict.
func (s *Service) Start(ctx context.Context, scope Scope) (Run, error) {
	if scope.Audit && s.o.Audit == nil {
		return Run{}, fault.New(fault.Invalid, "the index cannot be audited here")
	}
	if known, err := s.reg.Items.Knows(ctx, scope.Host); err != nil || !known && scope.Host != "" {
		if err == nil {
			err = fault.New(fault.NotFound, "nothing is registered for the host %q", scope.Host)
		}
		return Run{}, err
	}
	if err := s.runs.CheckRoom(ctx); err != nil {
		return Run{}, err
	}
	now := s.o.Clock().UTC()
	what := "rebuild-"
	if scope.Audit {
		what = "audit-"
	}
	return s.begin(ctx, what+now.Format("20060102T150405Z")+"-"+s.o.Token(), scope, "")
}

// Ensure starts a run of everything under an id, for a reason of Tidemark's own, unless it was started before.
func (s *Service) Ensure(ctx context.Context, id, reason string) (Run, error) {
	run, err := s.Get(ctx, id)
	if !fault.Is(err, fault.NotFound) {
		return run, err
	}
	return s.begin(ctx, id, Scope{}, reason)
}

func (s *Service) begin(ctx context.Context, id string, scope Scope, reason string) (Run, error) {
	now := s.o.Clock().UTC()
	begun := Run{ID: id, Scope: scope, Reason: reason, State: Marking, StartedAt: now, UpdatedAt: now}
	if err := s.runs.Begin(ctx, &begun); fault.Is(err, fault.Conflict) {
		return s.Get(ctx, id) // another process was quicker
	} else if err != nil {
		return Run{}, err
	}
	s.o.Log.InfoContext(ctx, "rebuild begun", "run", id, "host", scope.Host, "force", scope.Force, "refetch",
		scope.Refetch, "reason", reason)
	s.runs.Enqueue(ctx, &begun, 0)
	return begun, nil
}

// Step does what a message asks for and sends the next. Its errors are Invalid for a malformed message; after any
// other error the caller should try again.
func (s *Service) Step(ctx context.Context, body []byte) error {
	return s.runs.Step(ctx, body, 0, s.advance)
}

// RequeueStalled sends the messages of runs that have not moved for a while, and says how many.
func (s *Service) RequeueStalled(ctx context.Context) (sent int, err error) {
	return s.runs.RequeueStalled(ctx)
}

// advance does the work of one step.
func (s *Service) advance(ctx context.Context, one *Run) (next run.Next, err error) {
	switch one.State {
	case Marking:
		err = s.markSome(ctx, one)
	case Entering:
		err = s.enterSome(ctx, one)
	case Clearing:
		err = s.clearSome(ctx, one)
	case Counting:
		err = s.countSome(ctx, one)
	default:
		next.Wait, err = s.await(ctx, one)
	}
	return next, err
}

// await says how long to wait for items that are still to be indexed.
func (s *Service) await(ctx context.Context, run *Run) (wait time.Duration, err error) {
	left, next, end, err := s.reg.Rebuilds.Waiting(ctx, run.Host, run.Cursor.Partition)
	switch {
	case err != nil:
		return 0, err
	case left > 0:
		return pollWait, nil
	case !end:
		run.Cursor.Partition = next
		return 0, nil
	}
	run.State, run.Cursor = Counting, registry.Cursor{}
	return 0, nil
}

func (s *Service) markSome(ctx context.Context, run *Run) error {
	if run.Step == 0 {
		if err := s.recordRun(ctx, run); err != nil {
			return err
		}
	}
	o := run.asked()
	if run.Audit {
		o.Wanted = s.differing(run)
	}
	step, err := s.reg.Rebuilds.Request(ctx, o, run.Cursor)
	if err != nil {
		return err
	}
	run.Items += step.Items
	run.Marked += step.Marked
	run.Cursor = step.Next
	switch {
	case !step.Done:
	case run.Host == "" && s.o.Entries != nil:
		run.State, run.Cursor = Entering, registry.Cursor{}
	default:
		s.entered(ctx, run)
	}
	return nil
}

// entered goes on when no entry is left.
func (s *Service) entered(ctx context.Context, run *Run) {
	if run.Audit && run.Host == "" {
		run.State, run.Cursor = Clearing, registry.Cursor{}
		return
	}
	s.index(ctx, run)
}

// enterSome has some entries indexed anew, or audited.
func (s *Service) enterSome(ctx context.Context, run *Run) error {
	var differs func(id, what string)
	if run.Audit {
		differs = func(id, what string) {
			run.Mended++
			s.note(ctx, run, Finding{id, what})
		}
	}
	n, next, done, err := s.o.Entries.Reindex(ctx, run.Cursor, differs)
	if err != nil {
		return err
	}
	run.Entries += n
	if run.Cursor = next; done {
		s.entered(ctx, run)
	}
	return nil
}

// index has the run wait for what was marked, if there is anything.
func (s *Service) index(ctx context.Context, run *Run) {
	if run.State, run.Cursor = Indexing, (registry.Cursor{}); run.Marked == 0 {
		s.end(ctx, run)
	}
}

func (s *Service) countSome(ctx context.Context, run *Run) error {
	step, err := s.reg.Rebuilds.Count(ctx, run.asked(), run.Cursor)
	if err != nil {
		return err
	}
	run.Indexed += step.Indexed
	run.KeptOut += step.KeptOut
	run.Failed += step.Failed
	if err := s.countCollisions(ctx, run, step.Manifests); err != nil {
		return err
	}
	run.Cursor = step.Next
	if step.Done {
		s.end(ctx, run)
	}
	return nil
}

// asked is the run as the registry knows it.
func (r *Run) asked() registry.Rebuild {
	return registry.Rebuild{Run: r.ID, Host: r.Host, Force: r.Force, Refetch: r.Refetch}
}

func (s *Service) end(ctx context.Context, run *Run) {
	run.State, run.Cursor, run.EndedAt = Done, registry.Cursor{}, s.o.Clock().UTC()
	s.o.Log.InfoContext(ctx, "rebuild done", "run", run.ID, "items", run.Items, "entries", run.Entries, "indexed",
		run.Indexed, "kept out", run.KeptOut, "failed", run.Failed,
		"collisions", run.Collisions.Chunks, "by context", run.Collisions.ByContext, "by ordinal", run.Collisions.ByOrdinal,
		"largest", run.Collisions.Largest,
		"files", run.Collisions.Files)
}

// Package rebuild indexes many items again: after an index was lost, or after the rules of extraction have changed
// (A19, B5). It sends requests to the sites only if it is asked to fetch the pages again.
//
//	Runs  PK rebuild  RK <run id>         scope, cursor, numbers, state
//	      PK rebuild  RK active|<run id>  while the run is active
//
//	marking ──► all items of the scope are marked ──► entries ──► all are in the index, or in its outbox
//	        ──► indexing ──► no item waits ──► counting ──► all results are added up ──► done
//
// While marking, a step requests the indexing of some items (see [registry.Rebuilds.Request]). Their due rows bring
// them to the workers, in batches, at the rate at which their hosts are claimed. Entries (content that was pushed in,
// not crawled) belong to no host, so only a run of all hosts has the state entries. While indexing, a step checks
// whether the workers have finished. While counting, each step adds up the results of some items, which costs one
// read per 256 items.
//
// Package run advances a rebuild from step to step. If a step dies after it has marked items, the repeated step does
// not mark or count these items again.
package rebuild

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
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
	"golang.org/x/sync/errgroup"
)

// Queue is the queue for the messages of steps.
const Queue = "rebuild-steps"

// MaxActive limits the number of active runs; further runs are refused.
const MaxActive = 20

const (
	// pollWait is the pause between two checks of a run whose items are being indexed.
	pollWait = 15 * time.Second
	// stalled is how long a run may go without a step before its message counts as lost.
	stalled = 2 * time.Minute
)

// Options adjust a service. The zero value works.
type Options struct {
	Clock func() time.Time // the wall clock when nil
	Token func() string    // makes ids of runs unique; crypto/rand when nil
	// Version is the version of the rules for reading texts; [lineage.Current] when empty.
	Version lineage.Version
	Audit   Auditor // when nil, audits are refused
	// Collisions returns the collisions of an item's chunks, from the item's manifest (see [index.Manifests]). When
	// Collisions is nil, they are not counted.
	Collisions func(ctx context.Context, id source.ID, manifest string) (chunk.Collisions, error)
	// Entries are indexed again in a run of all hosts. It is nil if there are none.
	Entries Entries
	Log     *slog.Logger // discarded when nil
}

// Entries stores the content that was pushed in, not crawled (see [entries.Store]).
type Entries interface {
	// Reindex writes some entries, those after a cursor, to the index. If differs is not nil, Reindex writes only the
	// entries that are wrong in the index, and calls differs for each of them. Reindex reports whether it has reached
	// the last entry. Callers may repeat a call.
	Reindex(ctx context.Context, from registry.Cursor, differs func(id, what string)) (n int, next registry.Cursor,
		done bool, err error)
}

// Auditor compares the index with what the index should contain (see [index.Auditor]).
type Auditor interface {
	// Difference describes how the contents of the index differ from what it should contain for an item; "" if they
	// do not differ.
	Difference(ctx context.Context, it *registry.Item) (string, error)
	// Orphans removes some pages that have neither an item nor an entry. It returns the ids of these pages, and the
	// id to continue after; "" at the end.
	Orphans(ctx context.Context, after string) (removed []string, next string, err error)
}

// Service starts and advances runs. It is safe for concurrent use by any number of processes.
type Service struct {
	reg   *registry.Registry
	snaps *snapshot.Store
	runs  run.Runs[Run]
	o     Options
}

// New returns the service for the runs of a store. It makes no request; see [Service.Create].
func New(store storage.Store, reg *registry.Registry, snaps *snapshot.Store, o Options) *Service {
	run.Defaults(&o.Clock, &o.Token, &o.Log)
	o.Version = cmp.Or(o.Version, lineage.Current)
	return &Service{reg: reg, snaps: snaps, o: o, runs: run.Runs[Run]{
		Kind: "rebuild", Table: store.Table(snapshot.RunsTable), Partition: partition,
		Messages:  run.Messages{Queue: store.Queue(Queue), RunName: "run", NumName: "step"},
		MaxActive: MaxActive, Stalled: stalled, CheckID: run.CheckID(partition, "", "id", "a run"),
		Row: row.Of[Run](), Fields: fields, Clock: o.Clock, Log: o.Log,
	}}
}

// Create creates the queue and the table if they are missing.
func (s *Service) Create(ctx context.Context) error { return s.runs.Create(ctx) }

// Start begins a run. When Start returns, the run is durable and will be completed. Errors: Invalid for an audit
// without an [Auditor]; NotFound for a host without items; Conflict if too many runs are active.
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

// Ensure starts a run of all hosts with the given id, unless that run was started before. The given reason states why
// the program starts the run by itself.
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
		return s.Get(ctx, id) // another process began the run first
	} else if err != nil {
		return Run{}, err
	}
	s.o.Log.InfoContext(ctx, "rebuild begun", "run", id, "host", scope.Host, "force", scope.Force, "refetch",
		scope.Refetch, "reason", reason)
	s.runs.Enqueue(ctx, &begun, 0)
	return begun, nil
}

// Step performs the step that a message asks for, and sends the next message. It returns Invalid for a malformed
// message. After any other error the caller should retry.
func (s *Service) Step(ctx context.Context, body []byte) error {
	return s.runs.Step(ctx, body, 0, s.advance)
}

// RequeueStalled sends the messages of stalled runs again, and returns their number.
func (s *Service) RequeueStalled(ctx context.Context) (sent int, err error) {
	return s.runs.RequeueStalled(ctx)
}

// advance performs one step.
func (s *Service) advance(ctx context.Context, one *Run) (next run.Next, err error) {
	switch one.State {
	case Marking:
		err = s.queueSome(ctx, one)
	case Entering:
		err = s.indexSome(ctx, one)
	case Clearing:
		err = s.clearSome(ctx, one)
	case Counting:
		err = s.countSome(ctx, one)
	default:
		next.Wait, err = s.await(ctx, one)
	}
	return next, err
}

// await returns how long the run must wait for items that are not yet indexed.
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

func (s *Service) queueSome(ctx context.Context, run *Run) error {
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
		s.endEntries(ctx, run)
	}
	return nil
}

// endEntries moves the run to its next state once all entries are done.
func (s *Service) endEntries(ctx context.Context, run *Run) {
	if run.Audit && run.Host == "" {
		run.State, run.Cursor = Clearing, registry.Cursor{}
		return
	}
	s.index(ctx, run)
}

// indexSome indexes some entries again or, in an audit, compares them with the index.
func (s *Service) indexSome(ctx context.Context, run *Run) error {
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
		s.endEntries(ctx, run)
	}
	return nil
}

// index makes the run wait for the marked items. If no item is marked, the run ends.
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

// asked returns what the run requests of the registry.
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

// countCollisions adds up the collisions of some pages that the run indexed. It reads the manifests of several pages
// at the same time, but adds the pages in the order of their ids, so that a repeated step gives the same result.
func (s *Service) countCollisions(ctx context.Context, run *Run, manifests map[source.ID]string) error {
	if s.o.Collisions == nil {
		return nil
	}
	ids := slices.Sorted(maps.Keys(manifests))
	found := make([]chunk.Collisions, len(ids))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i, id := range ids {
		g.Go(func() (err error) {
			found[i], err = s.o.Collisions(ctx, id, manifests[id])
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, id := range ids {
		run.Collisions.Add(string(id), found[i], maxFindings)
	}
	return nil
}

// recordRun records the rules under which the run reads texts, and the run that made the captures it reads (B1, B5).
func (s *Service) recordRun(ctx context.Context, run *Run) (err error) {
	record := snapshot.Run{ID: run.ID, Collector: "rebuild", NormalizationVersion: s.o.Version, StartedAt: run.StartedAt}
	if !run.Refetch {
		if record.ReprocessingOf, err = s.captured(ctx, run.Host); err != nil {
			return err
		}
	}
	err = s.snaps.StartRun(ctx, record)
	if fault.Is(err, fault.Conflict) {
		s.o.Log.WarnContext(ctx, "rebuild goes on under other rules than it began with", "run", run.ID)
		return nil
	}
	return err
}

// Bounds of the function captured: how many items it examines, and for how many of these it reads the captures.
const (
	sampled = 200
	asked   = 10
)

// captured returns the id of the run whose captures are read again (B5): the run of the first item with a capture of
// another version. If there is no such item, it is the run of the first item with any capture; if nothing was
// captured, the id is "". Other items may have captures of other runs, because each capture contains the id of its
// own run.
func (s *Service) captured(ctx context.Context, host string) (string, error) {
	items, err := s.reg.Items.List(ctx, registry.ListQuery{Host: host, Top: sampled})
	if err != nil {
		return "", err
	}
	looked := 0
	for _, other := range []bool{true, false} {
		for _, it := range items {
			if it.RawHash == "" || (it.NormalizationVersion != s.o.Version.String()) != other || looked == asked {
				continue
			}
			looked++
			c, err := s.snaps.First(ctx, it.ID, it.RawHash)
			if err == nil && c.RunID != "" || err != nil && !fault.Is(err, fault.NotFound) {
				return c.RunID, err
			}
		}
	}
	return "", nil
}

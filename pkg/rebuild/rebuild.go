// Package rebuild has many items indexed anew: after an index was lost, or after the rules of
// extraction have changed (A19, B5). It needs the sites only when it is asked to go back to them.
//
// A run is a row, advanced one bounded step per message of a queue:
//
//	Runs  PK rebuild  RK <run id>         scope, cursor, numbers, state
//	      PK rebuild  RK active|<run id>  while the run goes on
//
//	marking ──► all items of the scope are walked over ──► entries ──► all are in the index, or owed to it
//	        ──► indexing ──► no item waits ──► counting ──► all are walked over once more ──► done
//
// While marking, a step asks some items to be indexed (see [registry.Registry.Rebuild]); their due
// rows bring them to the workers, in batches and as slowly as their hosts are claimed. Entries (what was
// pushed in and not crawled) belong to no host, so only a run of everything has that state. While
// indexing, a step looks whether workers are through. While counting, steps add up what became of the
// items, which costs one read for 256 of them.
//
// A step may be doubled, late or lost. Its message names the step, so a doubled one finds that step
// done; what a step marked before it died is marked and counted once; and each sweep sends the
// message of a run again that has not moved for a while ([Service.Resume]).
package rebuild

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/snapshot"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/telemetry"
)

// Queue holds the messages of steps.
const Queue = "rebuild-steps"

// MaxActive is how many runs go on at once; more are refused.
const MaxActive = 20

const (
	// pollWait is the pause between two looks at a run whose items are being indexed.
	pollWait = 15 * time.Second
	// stalled is how long a run may stand still before its message is taken for lost.
	stalled = 2 * time.Minute
)

// Options adjust a service. The zero value works.
type Options struct {
	Clock func() time.Time // the wall clock when nil
	Token func() string    // makes ids of runs unique; crypto/rand when nil
	Of    string           // the run whose captures are read again (B5)
	Audit Auditor          // without it nothing can be audited
	// Entries are indexed anew with everything else; nil where there are none.
	Entries Entries
	Log     *slog.Logger // discarded when nil
}

// Entries are what was pushed in and not crawled (see [entries.Store]).
type Entries interface {
	// Reindex has the index hold some entries that come after a place, those that it holds otherwise than it
	// should when differs is given; done is set after the last. It may be repeated.
	Reindex(ctx context.Context, from registry.Cursor, differs func(id, what string)) (n int, next registry.Cursor, done bool, err error)
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
	rows  storage.Table
	queue storage.Queue
	o     Options
}

// New opens the runs of a store. It touches nothing; see [Service.Create].
func New(store storage.Store, reg *registry.Registry, snaps *snapshot.Store, o Options) *Service {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Token == nil {
		o.Token = token
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{reg: reg, snaps: snaps, rows: store.Table(snapshot.RunsTable), queue: store.Queue(Queue), o: o}
}

func token() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}

// Create makes the queue and the table if they are missing.
func (s *Service) Create(ctx context.Context) error {
	if err := s.queue.Create(ctx); err != nil {
		return err
	}
	return s.rows.Create(ctx)
}

// Scope is what a run is about.
type Scope struct {
	Host    string // only this host, as the registry writes it; all when empty
	Force   bool   // ask the sites also for what the index does not hold
	Refetch bool   // ask the sites for everything
	Audit   bool   // only what the index holds otherwise than it should
}

// Start begins a run. When it returns the run is durable and will come to its end. A host that
// nothing is registered for is NotFound; too many runs at once are a Conflict.
func (s *Service) Start(ctx context.Context, scope Scope) (Run, error) {
	if scope.Audit && s.o.Audit == nil {
		return Run{}, fault.New(fault.Invalid, "the index cannot be audited here")
	}
	if known, err := s.reg.Knows(ctx, scope.Host); err != nil || !known && scope.Host != "" {
		if err == nil {
			err = fault.New(fault.NotFound, "nothing is registered for the host %q", scope.Host)
		}
		return Run{}, err
	}
	active, err := s.activeIDs(ctx)
	if err != nil {
		return Run{}, err
	}
	if len(active) >= MaxActive {
		return Run{}, fault.New(fault.Conflict, "%d rebuilds go on already; wait for one to end", len(active))
	}
	now := s.o.Clock().UTC()
	what := "rebuild-"
	if scope.Audit {
		what = "audit-"
	}
	return s.begin(ctx, what+now.Format("20060102T150405Z")+"-"+s.o.Token(), scope, "")
}

// Ensure begins a run of everything under an id, for a reason of ours, unless it was begun before.
func (s *Service) Ensure(ctx context.Context, id, reason string) (Run, error) {
	run, err := s.Get(ctx, id)
	if !fault.Is(err, fault.NotFound) {
		return run, err
	}
	return s.begin(ctx, id, Scope{}, reason)
}

func (s *Service) begin(ctx context.Context, id string, scope Scope, reason string) (Run, error) {
	now := s.o.Clock().UTC()
	run := Run{ID: id, Scope: scope, Reason: reason, State: Marking, StartedAt: now, UpdatedAt: now}
	_, err := s.rows.Transact(ctx,
		storage.Op{Kind: storage.Insert, Entity: run.entity()},
		storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: activeKey(id), Props: storage.Properties{}}})
	if fault.Is(err, fault.Conflict) {
		return s.Get(ctx, id) // another process was quicker
	}
	if err != nil {
		return Run{}, err
	}
	s.o.Log.InfoContext(ctx, "rebuild begun", "run", id, "host", scope.Host, "force", scope.Force, "refetch", scope.Refetch, "reason", reason)
	if err := s.send(ctx, run, 0); err != nil {
		s.o.Log.WarnContext(ctx, "rebuild step not sent; a sweep will", "run", id, "kind", fault.KindOf(err))
	}
	return run, nil
}

// message asks for one step of a run.
type message struct {
	Run         string `json:"run"`
	Step        int64  `json:"step"`
	TraceParent string `json:"traceparent,omitempty"` // see package telemetry
}

func (s *Service) send(ctx context.Context, run Run, delay time.Duration) error {
	body, err := json.Marshal(message{run.ID, run.Step, telemetry.TraceParent(ctx)})
	if err != nil {
		return err
	}
	return s.queue.Send(ctx, body, delay)
}

// Step does what a message asks for and sends the next. Its errors are Invalid for a message that
// is none, else a failure of our own after which calling again is right.
func (s *Service) Step(ctx context.Context, body []byte) (err error) {
	var m message
	if json.Unmarshal(body, &m) != nil || storage.CheckKey(rowKey(m.Run)) != nil || m.Run == "" {
		return fault.New(fault.Invalid, "rebuild step: the message names no run")
	}
	defer fault.Wrap(&err, "rebuild %s", m.Run)
	run, err := s.Get(ctx, m.Run)
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Invalid, "%w", err)
	}
	if err != nil || run.State == Done || run.Step != m.Step {
		return err
	}
	wait, err := s.advance(ctx, &run)
	if err != nil {
		return err
	}
	run.Step++
	run.UpdatedAt = s.o.Clock().UTC()
	err = s.write(ctx, &run)
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
		return nil // the same step, done twice at once: who was quicker goes on
	}
	if err != nil || run.State == Done {
		return err
	}
	return s.send(ctx, run, wait)
}

// advance does the work of one step and says how long the next may wait.
func (s *Service) advance(ctx context.Context, run *Run) (wait time.Duration, err error) {
	switch run.State {
	case Marking:
		return 0, s.markSome(ctx, run)
	case Entering:
		return 0, s.enterSome(ctx, run)
	case Clearing:
		return 0, s.clearSome(ctx, run)
	case Counting:
		return 0, s.countSome(ctx, run)
	}
	left, next, end, err := s.reg.Rebuilding(ctx, run.Host, run.Cursor.Partition)
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
	step, err := s.reg.Rebuild(ctx, o, run.Cursor)
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
	step, err := s.reg.Rebuilt(ctx, run.asked(), run.Cursor)
	if err != nil {
		return err
	}
	run.Indexed += step.Indexed
	run.KeptOut += step.KeptOut
	run.Failed += step.Failed
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

// recordRun keeps under which rules the run reads, and what (B1, B5).
func (s *Service) recordRun(ctx context.Context, run *Run) error {
	record := snapshot.Run{ID: run.ID, Collector: "rebuild", NormalizationVersion: lineage.Current, StartedAt: run.StartedAt}
	if !run.Refetch {
		record.ReprocessingOf = s.o.Of
	}
	err := s.snaps.StartRun(ctx, record)
	if fault.Is(err, fault.Conflict) {
		s.o.Log.WarnContext(ctx, "rebuild goes on under other rules than it began with", "run", run.ID)
		return nil
	}
	return err
}

func (s *Service) end(ctx context.Context, run *Run) {
	run.State, run.Cursor, run.EndedAt = Done, registry.Cursor{}, s.o.Clock().UTC()
	s.o.Log.InfoContext(ctx, "rebuild done", "run", run.ID, "items", run.Items, "entries", run.Entries, "indexed", run.Indexed, "kept out", run.KeptOut, "failed", run.Failed)
}

// Resume sends the messages of runs that stand still, and says how many. It costs one read while
// there are none.
func (s *Service) Resume(ctx context.Context) (sent int, err error) {
	runs, err := s.Active(ctx)
	if err != nil {
		return 0, err
	}
	for _, run := range runs {
		if s.o.Clock().Sub(run.UpdatedAt) < stalled {
			continue
		}
		if err := s.send(ctx, run, 0); err != nil {
			return sent, err
		}
		sent++
	}
	return sent, nil
}

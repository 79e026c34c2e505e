// Package bulk applies one operation to any number of items at the request of a user. Every item receives the
// operation, even if processes die on the way.
//
//	Runs  PK bulk  RK <run id>         the operation, its items, cursor, numbers, state
//	      PK bulk  RK active|<run id>  while the run is active
//
// A step reads some items, in the order of the registry or of the given ids, and applies the operation to each.
// Applying an operation a second time changes nothing. So a step whose process died is repeated as a whole, and its
// numbers are those of the last attempt. An item that cannot be changed counts as failed, and the run continues. If
// storage fails, the step is repeated.
//
// Package run advances a bulk run from step to step.
package bulk

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/undo"
	"golang.org/x/sync/errgroup"
)

// Queue is the queue with the messages of steps.
const Queue = "bulk-steps"

const (
	// MaxActive limits the number of active runs; further runs are refused.
	MaxActive = 20
	// MaxIDs limits the number of items that one request may list.
	MaxIDs = 1000

	partition = "bulk"
	stalled   = 2 * time.Minute
	stepItems = 256
	parallel  = 8
	maxErrors = 20
)

// Op is an operation on items.
type Op string

// The operations.
const (
	Tag    Op = "tag"
	Untag  Op = "untag"
	Check  Op = "check"
	Pause  Op = "pause"
	Resume Op = "resume"
	Remove Op = "remove"
	// replan reschedules the next checks, because the settings of a tag have changed.
	replan Op = "replan"
	// demand writes how often rules want the items to be checked, because rules have changed.
	demand Op = "demand"
)

// Ops are the operations that a user may ask for.
var Ops = []Op{Tag, Untag, Check, Pause, Resume, Remove}

// The states of a run.
const (
	running = "running"
	Done    = "done"
)

// Ask is an operation with the items that it applies to: those in IDs or, if IDs is empty, those that Filter selects.
type Ask struct {
	Op     Op              `col:"op"`
	Tag    string          `col:"tag"` // the tag to add or remove, for the operations tag and untag
	Filter registry.Filter `col:"filter"`
	IDs    []string        `col:"ids,gzip"`
	// Undoes is the id of a run whose changes the operation takes back. Settling says that it may go on until now.
	Undoes   string `col:"undoes"`
	Settling bool   `col:"settling"`
}

// Run is one bulk run.
type Run struct {
	ID        string
	Ask       `col:",inline"`
	State     string    `col:"state"`
	Items     int       `col:"items"`  // items processed so far
	Done      int       `col:"done"`   // items on which the operation succeeded
	Failed    int       `col:"failed"` // items on which the operation failed
	Errors    []Failure `col:"errors"` // the first 20 failures
	StartedAt time.Time `col:"startedAt"`
	UpdatedAt time.Time `col:"updatedAt"` // when the last step ended
	EndedAt   time.Time `col:"endedAt"`   // zero while the run is active

	Asked int       `col:"asked"` // items whose check begins at once
	Waits []Waiting `col:"waits"` // the first 20 hosts whose items wait for their check

	Recorded bool      `col:"recorded"` // the run can be taken back
	Stopped  bool      `col:"stopped"`  // the run is taken back, and does nothing more
	Undo     *api.Undo // takes the run back that was just begun; nil if it cannot be

	Cursor registry.Cursor `col:"cursor"`
	Next   int             `col:"next"` // index into IDs, or the next step of the run that is taken back
	Step   int64           `col:"step"` // number of the next message

	etag storage.ETag
}

// Failure is an item on which the operation failed, with the reason.
type Failure struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// Waiting is a host whose items wait for a check that was asked for, and why.
type Waiting struct {
	Host  string    `json:"host"`
	Why   string    `json:"why"`
	Until time.Time `json:"until"`
	Items int       `json:"items"`
}

// Options adjust a service. The zero value works.
type Options struct {
	// Waits says until when a check waits that was asked for, and why, as [registry.Hosts.Waits] does. If it is nil, all
	// count as begun.
	Waits func(ctx context.Context, it *registry.Item) (until time.Time, why string, err error)
	Clock func() time.Time
	Token func() string
	Undo  *undo.Log // takes runs back; nothing is taken back when nil
	Log   *slog.Logger
}

// Service starts and advances runs. It is safe for concurrent use by any number of processes.
type Service struct {
	items   *registry.Items
	runs    run.Runs[Run]
	demands func(ctx context.Context) (registry.DemandFinder, error) // see [Service.DemandsBy]
	o       Options
}

// DemandsBy sets the function that reads what rules want, for a step of [Service.ApplyDemands]. It must be set before
// the first of them.
func (s *Service) DemandsBy(demands func(ctx context.Context) (registry.DemandFinder, error)) {
	s.demands = demands
}

// New returns the service for the runs of a store. It makes no request; see [Service.Create].
func New(store storage.Store, items *registry.Items, o Options) *Service {
	run.Defaults(&o.Clock, &o.Token, &o.Log)
	return &Service{items: items, o: o, runs: run.Runs[Run]{
		Kind: "bulk run", Table: store.Table(snapshot.RunsTable), Partition: partition,
		Messages:  run.Messages{Queue: store.Queue(Queue), RunName: "run", NumName: "step"},
		MaxActive: MaxActive, Stalled: stalled, CheckID: run.CheckID(partition, "", "id", "a run"),
		Row: row.Of[Run](), Fields: fields, Clock: o.Clock, Log: o.Log,
	}}
}

func fields(r *Run) run.Fields {
	return run.Fields{ID: &r.ID, Over: r.State == Done, Step: &r.Step, UpdatedAt: &r.UpdatedAt, ETag: &r.etag}
}

// Create creates the queue and the table if they are missing.
func (s *Service) Create(ctx context.Context) error { return s.runs.Create(ctx) }

// Get reads a run. Errors: NotFound.
func (s *Service) Get(ctx context.Context, id string) (Run, error) { return s.runs.Get(ctx, id) }

// Start begins a run. When Start returns, the run is durable and will be completed. Errors: Conflict if too many runs
// are active.
func (s *Service) Start(ctx context.Context, a Ask) (Run, error) {
	if err := s.runs.CheckRoom(ctx); err != nil {
		return Run{}, err
	}
	now := s.runs.Now()
	begun := Run{ID: idAt(now) + s.o.Token(), Ask: a, State: running, StartedAt: now, UpdatedAt: now}
	if err := s.record(ctx, &begun); err != nil {
		return Run{}, err
	}
	if err := s.runs.Begin(ctx, &begun); err != nil {
		return Run{}, err
	}
	s.o.Log.InfoContext(ctx, "bulk run begun", "run", begun.ID, "op", a.Op, "ids", len(a.IDs))
	s.runs.Enqueue(ctx, &begun, 0)
	return begun, nil
}

// idAt is what the ids of runs that begin at a time have in common.
func idAt(t time.Time) string { return "bulk-" + t.Format("20060102t150405z") + "-" }

// Replan begins a run that reschedules the next checks of the items with a tag. If one goes on already, it begins anew.
func (s *Service) Replan(ctx context.Context, tag string) (Run, error) {
	return s.anew(ctx, Ask{Op: replan, Filter: registry.Filter{Tag: tag}})
}

// ApplyDemands begins a run that writes how often rules want items to be checked, and moves their next checks. If one
// goes on already for the same items, it begins anew.
func (s *Service) ApplyDemands(ctx context.Context, f registry.Filter) (Run, error) {
	return s.anew(ctx, Ask{Op: demand, Filter: f})
}

// anew begins a run, or begins the one anew that does the same to the same items already.
func (s *Service) anew(ctx context.Context, a Ask) (Run, error) {
	active, err := s.runs.Active(ctx)
	if err != nil {
		return Run{}, err
	}
	for _, one := range active {
		if one.Op != a.Op || !reflect.DeepEqual(one.Filter, a.Filter) {
			continue
		}
		again, err := s.runs.Change(ctx, one.ID, func(one *Run) ([]storage.Op, error) {
			if one.State == Done {
				return nil, run.ErrDone
			}
			one.Cursor, one.Items, one.Done, one.Failed, one.Errors = registry.Cursor{}, 0, 0, 0, nil
			return nil, nil
		})
		if !errors.Is(err, run.ErrDone) && !fault.Is(err, fault.NotFound) {
			return again, err
		}
	}
	return s.Start(ctx, a)
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
	if one.State == Done {
		return next, run.ErrDone
	}
	if one.Settling {
		one.Settling = false
		return run.Next{Wait: stepWait}, nil
	}
	var items []registry.Item
	over := one.Stopped
	if !over {
		if items, over, err = s.some(ctx, one); err != nil {
			return next, err
		}
	}
	if err := s.note(ctx, one, items); err != nil {
		return next, err
	}
	if err := s.each(ctx, one, items); err != nil {
		return next, err
	}
	if over {
		one.State, one.EndedAt = Done, s.runs.Now()
		s.o.Log.InfoContext(ctx, "bulk run done", "run", one.ID, "op", one.Op, "items", one.Items, "done", one.Done,
			"failed", one.Failed)
	}
	return next, nil
}

// some returns the next items and moves the run's cursor past them.
func (s *Service) some(ctx context.Context, one *Run) (items []registry.Item, over bool, err error) {
	if one.Undoes != "" {
		ids, over, err := s.toUndo(ctx, one)
		if err == nil {
			items, err = s.find(ctx, one, ids)
		}
		one.Items += len(ids)
		return items, over, err
	}
	if len(one.IDs) == 0 {
		p, err := s.items.Pick(ctx, one.Filter, one.Cursor, stepItems)
		one.Items, one.Cursor = one.Items+p.Looked, p.Next
		return p.Items, p.Done, err
	}
	ids := one.IDs[one.Next:min(one.Next+stepItems, len(one.IDs))]
	if items, err = s.find(ctx, one, ids); err != nil {
		return nil, false, err
	}
	one.Items, one.Next = one.Items+len(ids), one.Next+len(ids)
	return items, one.Next == len(one.IDs), nil
}

// find reads items by their ids.
func (s *Service) find(ctx context.Context, one *Run, ids []string) (items []registry.Item, err error) {
	for _, id := range ids {
		it, err := s.items.Find(ctx, source.ID(id))
		switch {
		case fault.Is(err, fault.NotFound) && one.Op == Remove: // the item is already removed
		case fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid):
			one.fail(id, err)
		case err != nil:
			return nil, err
		default:
			items = append(items, it)
		}
	}
	return items, nil
}

func (r *Run) fail(id string, err error) {
	if r.Failed++; len(r.Errors) < maxErrors {
		r.Errors = append(r.Errors, Failure{id, err.Error()})
	}
}

// each applies the operation to items.
func (s *Service) each(ctx context.Context, one *Run, items []registry.Item) error {
	errs := make([]error, len(items))
	if one.Op == Check {
		// When a step is repeated, items that were checked since the run began need no other check.
		all := len(items)
		items = slices.DeleteFunc(items, func(it registry.Item) bool { return it.LastChecked.After(one.StartedAt) })
		one.Done += all - len(items)
		one.Asked += all - len(items)
		for i, got := range s.items.Check(ctx, items) {
			errs[i] = got.Err
		}
		if err := s.noteWaits(ctx, one, items, errs); err != nil {
			return err
		}
	} else {
		find, err := s.demandFinder(ctx, one.Op)
		if err != nil {
			return err
		}
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(parallel)
		for i := range items {
			g.Go(func() error {
				errs[i] = s.one(ctx, one, &items[i], find)
				return nil
			})
		}
		_ = g.Wait() // the errors are in errs
	}
	for i, it := range items {
		switch err := errs[i]; {
		case err == nil || fault.Is(err, fault.NotFound): // an item that no longer exists needs no operation
			one.Done++
		case fault.Is(err, fault.Invalid) || fault.Is(err, fault.Blocked):
			one.fail(string(it.ID), err)
		default:
			return err
		}
	}
	return nil
}

// noteWaits counts the checks that begin at once, and those that wait for their host. It asks once for each host.
func (s *Service) noteWaits(ctx context.Context, one *Run, items []registry.Item, errs []error) error {
	hosts := map[string]Waiting{}
	for i := range items {
		it := &items[i]
		w, known := hosts[it.SourceHost]
		if errs[i] != nil {
			continue
		}
		if !known && s.o.Waits != nil {
			var err error
			w = Waiting{Host: it.SourceHost}
			if w.Until, w.Why, err = s.o.Waits(ctx, it); err != nil {
				return err
			}
			hosts[it.SourceHost] = w
		}
		one.noteWait(w)
	}
	return nil
}

// noteWait counts an item of a host.
func (r *Run) noteWait(w Waiting) {
	i := slices.IndexFunc(r.Waits, func(had Waiting) bool { return had.Host == w.Host })
	switch {
	case w.Until.IsZero():
		r.Asked++
	case i >= 0:
		w.Items = r.Waits[i].Items + 1
		r.Waits[i] = w
	case len(r.Waits) < maxErrors:
		w.Items = 1
		r.Waits = append(r.Waits, w)
	}
}

// demandFinder reads what rules want, for a step that needs it.
func (s *Service) demandFinder(ctx context.Context, op Op) (registry.DemandFinder, error) {
	if op != demand {
		return nil, nil
	}
	return s.demands(ctx)
}

// one applies the operation to one item.
func (s *Service) one(ctx context.Context, a *Run, it *registry.Item, find registry.DemandFinder) error {
	id, yes, no := it.ID, true, false
	var set registry.Settings
	if a.Undoes != "" {
		if err := s.unchanged(ctx, a, it); err != nil {
			return err
		}
	}
	switch a.Op {
	case Tag:
		set.Add = a.Tag
	case Untag:
		set.Drop = a.Tag
	case Pause:
		set.Paused = &yes
	case Resume:
		set.Paused = &no
	case Remove:
		_, err := s.items.Remove(ctx, id)
		return err
	case restore:
		_, err := s.items.Restore(ctx, id, nil)
		return err
	case replan:
		set.Replan = true
	case demand:
		if has, err := find(ctx, it); err != nil || slices.Equal(has, it.Demands) {
			return err
		}
		set.Demand = find
	default:
		return fault.New(fault.Invalid, "there is no operation %q", a.Op)
	}
	_, err := s.items.Set(ctx, id, set)
	return err
}

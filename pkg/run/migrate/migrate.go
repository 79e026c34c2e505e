// Package migrate brings what a store holds to the rules of the present program: first of all the
// identities of items, which follow from the rules for URLs (spec 000 §2.1).
//
// A store remembers for each [Step] by which rules its content was made. A program that finds another
// version of them there begins a run by itself; other settings, such as another list of trackers, are
// reported and wait for [Service.Start], because what a run joins cannot be parted again.
//
//	Runs  PK migrate  RK state   the rules of the store, by step; the run that goes on or was last
//
// A run does its steps in order, a bounded piece at a time, by a cursor that is written after
// each piece (see package run). A piece may be repeated and done twice at once, so a process that dies leaves
// nothing but a piece to be repeated. A timer calls [Service.Advance]; while there is no run, it costs one read.
package migrate

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Step is one kind of content that follows the rules.
type Step struct {
	Name string // stored; it never changes
	// Rules say what the step brings the content to: a version and, behind a space, what is set. Another
	// version than the store's has the step run by itself, other settings have to be asked for.
	Rules string
	// Run does a piece, from a cursor on that it gave as next; "" is the beginning. It must be bounded, and
	// safe to repeat, also at the same time. When dry it writes nothing and tells what it would change.
	Run func(ctx context.Context, cursor string, dry bool) (p Progress, next string, done bool, err error)
}

// Progress is what a piece, or all so far, came to.
type Progress struct {
	Seen     int      `json:"seen"`               // looked at
	Changed  int      `json:"changed"`            // of these, changed, or to be changed
	Examples []string `json:"examples,omitempty"` // of changes
}

// Bounds of what a run remembers of a step.
const (
	MaxExamples   = 10
	maxExampleLen = 300
)

func (p *Progress) add(more Progress) {
	p.Seen, p.Changed = p.Seen+more.Seen, p.Changed+more.Changed
	for _, text := range more.Examples {
		if len(p.Examples) < MaxExamples {
			p.Examples = append(p.Examples, strings.ToValidUTF8(text[:min(len(text), maxExampleLen)], ""))
		}
	}
}

// Options adjust a service. The zero value works.
type Options struct {
	Clock func() time.Time // the wall clock when nil
	// Empty reports whether the store holds nothing that could be migrated. A store that remembers no rules
	// is taken for one of an earlier version when nil.
	Empty func(ctx context.Context) (bool, error)
	Log   *slog.Logger // discarded when nil
}

// Service starts and advances runs. It is safe for concurrent use by any number of processes.
type Service struct {
	runs  run.Runs[state]
	steps []Step
	o     Options
}

// New opens the migrations of a store, whose rows are in a table of others. It touches nothing.
func New(rows storage.Table, steps []Step, o Options) *Service {
	defaults.Clock(&o.Clock)
	defaults.Log(&o.Log)
	if o.Empty == nil {
		o.Empty = func(context.Context) (bool, error) { return false, nil }
	}
	return &Service{steps: steps, o: o, runs: run.Runs[state]{
		Kind: "migration", Table: rows, Partition: "migrate", Row: row.Of[state](), Fields: fields, Clock: o.Clock,
		Log: o.Log,
	}}
}

// Ensure compares the rules of the store with the program's. It begins a run of the steps whose version is
// another, and warns of those with other settings. The table must be there.
func (s *Service) Ensure(ctx context.Context) error {
	st, err := s.load(ctx)
	if err != nil {
		return err
	}
	if st.etag == "" {
		empty, err := s.o.Empty(ctx)
		if err != nil {
			return err
		}
		if empty {
			s.declare(&st)
			return ignoreLost(s.save(ctx, &st))
		}
	}
	if st.Running {
		return ignoreLost(s.retarget(ctx, &st))
	}
	for _, need := range s.needs(&st) {
		if need.bySettings() {
			s.o.Log.WarnContext(ctx, "the store was made by other settings, so one source may have two identities: run "+
				"`tidemark migrate`, or set them back",
				"step", need.Step, "store", need.From, "settings", need.To)
		}
	}
	due := s.dueBySelf(&st)
	if len(due) == 0 {
		return nil
	}
	st.begin(due, false, "the program has newer rules than the store", s.runs.Now())
	s.o.Log.InfoContext(ctx, "migration begun", "steps", names(due), "reason", st.Reason)
	return ignoreLost(s.save(ctx, &st))
}

// declare notes that a store has only what the present rules have made.
func (s *Service) declare(st *state) {
	for _, step := range s.steps {
		st.Rules[step.Name] = step.Rules
	}
}

// retarget has steps of a run begin anew that were to bring the store to other rules than the present ones.
func (s *Service) retarget(ctx context.Context, st *state) error {
	changed := false
	for i, part := range st.Parts {
		if step, ok := s.step(part.Step); ok && step.Rules != part.Rules {
			st.Parts[i] = Part{Step: step.Name, Rules: step.Rules}
			st.Cursor, changed = "", true
		}
	}
	if !changed {
		return nil
	}
	return s.save(ctx, st)
}

// Start begins a run of all steps, or answers with the one that goes on. A run that only tells what would be
// changed gives way to one that does it; one that does it is not interrupted, which is a Conflict.
func (s *Service) Start(ctx context.Context, dry bool) (Status, error) {
	st, err := s.load(ctx)
	if err != nil {
		return Status{}, err
	}
	switch {
	case st.Running && dry && !st.Dry:
		return Status{}, fault.New(fault.Conflict, "a migration goes on; wait for it to end")
	case st.Running && dry == st.Dry:
		return s.status(&st), nil
	}
	st.begin(s.steps, dry, "", s.runs.Now())
	s.o.Log.InfoContext(ctx, "migration begun", "steps", names(s.steps), "dry", dry)
	if err := s.save(ctx, &st); err != nil {
		return Status{}, err
	}
	return s.status(&st), nil
}

// Get tells how far the run is, or what became of the last one, and which steps are needed.
func (s *Service) Get(ctx context.Context) (Status, error) {
	st, err := s.load(ctx)
	return s.status(&st), err
}

// atOnce is how long one call of Advance goes on.
const atOnce = 20 * time.Second

// Advance goes on with the run, if there is one, until it is done or for 20 seconds, and says how many pieces
// it did.
func (s *Service) Advance(ctx context.Context) (pieces int, err error) {
	until := s.runs.Now().Add(atOnce)
	for ctx.Err() == nil && s.runs.Now().Before(until) {
		st, err := s.load(ctx)
		if err != nil || !st.Running {
			return pieces, err
		}
		if err := s.runs.Advance(ctx, &st, 0, s.piece); err != nil {
			return pieces, err
		}
		pieces++
	}
	return pieces, nil
}

// piece does a piece of the run.
func (s *Service) piece(ctx context.Context, st *state) (none run.Next, err error) {
	i := st.current()
	if i < 0 {
		s.end(ctx, st)
		return none, nil
	}
	part := &st.Parts[i]
	step, known := s.step(part.Step)
	if !known || step.Rules != part.Rules {
		return none, fault.New(fault.Unavailable, "migration: the step %s to %q is another program's; this one waits",
			part.Step, part.Rules)
	}
	p, next, done, err := step.Run(ctx, st.Cursor, st.Dry)
	if err != nil {
		return none, err
	}
	part.add(p)
	if st.Cursor = next; done {
		st.Cursor, part.Done = "", true
		if !st.Dry {
			st.Rules[step.Name] = step.Rules
		}
	}
	if st.current() < 0 {
		s.end(ctx, st)
	}
	return none, nil
}

func (s *Service) end(ctx context.Context, st *state) {
	st.Running, st.EndedAt = false, s.runs.Now()
	for _, part := range st.Parts {
		s.o.Log.InfoContext(ctx, "migration done", "step", part.Step, "seen", part.Seen, "changed", part.Changed, "dry",
			st.Dry)
	}
}

func (s *Service) step(name string) (Step, bool) {
	for _, step := range s.steps {
		if step.Name == name {
			return step, true
		}
	}
	return Step{}, false
}

func names(steps []Step) (out []string) {
	for _, step := range steps {
		out = append(out, step.Name)
	}
	return out
}

// ignoreLost is for a write that another process was quicker with: that one goes on.
func ignoreLost(err error) error {
	if fault.Lost(err) {
		return nil
	}
	return err
}

// Package migrate updates the content of a store to the rules of the running program. So far it updates the
// identities of items, which follow from the rules for URLs (spec 000 §2.1).
//
// For each [Step], a store remembers the rules by which its content was made. If their version differs from the
// program's version, the program begins a run by itself. If only settings differ, such as the list of trackers, the
// program reports the difference and waits for [Service.Start], because a run may merge items, and a later run cannot
// split them again.
//
//	Runs  PK form     RK rows      the form of the store's rows
//	Runs  PK form     RK settings  the settings that must not change once there are items
//	Runs  PK migrate  RK state     the rules of the store, by step; the active run, or the last one
//
// The form of rows is no matter of rules. [CheckForm] refuses a store with rows of another form.
//
// A run performs its steps in order, in bounded pieces. It writes its cursor after each piece (see package run). A
// piece may be repeated, and two processes may perform it at the same time. So when a process dies, only one piece
// has to be repeated. A timer calls [Service.Advance], which costs one read while no run is active.
package migrate

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Step updates one kind of content that is made by rules.
type Step struct {
	Name string // name of the step, which is stored and so never changes
	// Rules describes the rules of the program: a version and, after a space, the settings. If the version differs
	// from the store's version, the step runs by itself. If only the settings differ, a user must request it.
	Rules string
	// Keeps, if set, reports whether content that was made by other rules stays as it is. Then the step is not needed.
	Keeps func(rules string) bool
	// Run performs a piece of the step. It begins at a cursor, and returns the cursor for the next call; "" is the
	// start. Run must be bounded, and safe to repeat, also concurrently. If dry is set, Run writes nothing and
	// reports what it would change.
	Run func(ctx context.Context, cursor string, dry bool) (p Progress, next string, done bool, err error)
}

// Progress is the result of a piece, or of all pieces so far.
type Progress struct {
	Seen     int      `json:"seen"`               // number of objects that were examined
	Changed  int      `json:"changed"`            // number of objects that were changed or, in a dry run, would be
	Examples []string `json:"examples,omitempty"` // examples of changes
}

// Bounds on what a run records about a step.
const (
	maxExamples   = 10
	maxExampleLen = 300
)

func (p *Progress) add(more Progress) {
	p.Seen, p.Changed = p.Seen+more.Seen, p.Changed+more.Changed
	for _, text := range more.Examples {
		if len(p.Examples) < maxExamples {
			p.Examples = append(p.Examples, strings.ToValidUTF8(text[:min(len(text), maxExampleLen)], ""))
		}
	}
}

// Options adjust a service. The zero value works.
type Options struct {
	Clock func() time.Time // the wall clock when nil
	// Empty reports whether the store contains nothing to migrate. If Empty is nil, the content of a store that
	// remembers no rules counts as made by other rules.
	Empty func(ctx context.Context) (bool, error)
	Log   *slog.Logger // discarded when nil
}

// Service starts and advances runs. It is safe for concurrent use by any number of processes.
type Service struct {
	runs  run.Runs[state]
	steps []Step
	o     Options
}

// New returns the service for the migrations of a store. Its only row is in a table that it shares with others. New
// makes no request.
func New(rows storage.Table, steps []Step, o Options) *Service {
	defaults.Clock(&o.Clock)
	defaults.Log(&o.Log)
	if o.Empty == nil {
		o.Empty = func(context.Context) (bool, error) { return false, nil }
	}
	return &Service{steps: steps, o: o, runs: run.Runs[state]{
		Kind: "migration", Table: rows, Partition: partition, Row: row.Of[state](), Fields: fields, Clock: o.Clock,
		Log: o.Log,
	}}
}

// Ensure compares the rules of the store with the program's. It begins a run of the steps whose version differs, and
// logs a warning for the steps of which only the settings differ. The table must exist.
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
			s.o.Log.WarnContext(ctx, "the store was made with another TRACKING_PARAM_PREFIXES, so one source may have two "+
				"identities: run `tidemark migrate`, or set it back",
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

// declare records that all content of the store was made by the current rules.
func (s *Service) declare(st *state) {
	for _, step := range s.steps {
		st.Rules[step.Name] = step.Rules
	}
}

// retarget restarts those steps of a run that update to rules which are no longer current.
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

// Start begins a run of all steps, or returns the active run. A real run replaces an active dry run. Errors: Conflict
// if a dry run is requested during a real one, which is not interrupted.
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

// Get returns the progress of the active run or the result of the last one. It also returns the steps that are
// needed.
func (s *Service) Get(ctx context.Context) (Status, error) {
	st, err := s.load(ctx)
	return s.status(&st), err
}

// atOnce is how long one call of Advance works.
const atOnce = 20 * time.Second

// Advance continues the active run, if any, until it is done or 20 seconds have passed. It returns the number of
// pieces done.
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

// piece performs one piece of the run.
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

// ignoreLost drops the error of a write that failed because another process wrote first: that process continues the
// run.
func ignoreLost(err error) error { return fault.Except(err, fault.Conflict, fault.NotFound) }

// Items returns the step that updates the identities of items to the rules for URLs. The rules consist of their
// version and the configured list of trackers.
func Items(moves *registry.Moves, rules source.Rules) Step {
	url := lineage.Current.Component("url")
	return Step{Name: "items", Rules: url + " " + rules.String(), Run: func(ctx context.Context, cursor string,
		dry bool) (Progress, string, bool, error) {
		var from registry.Cursor
		_ = json.Unmarshal([]byte(cursor), &from) // "" is the start
		m, err := moves.Step(ctx, rules, from, dry)
		next, _ := json.Marshal(m.Next) // encoding strings cannot fail
		return Progress{Seen: m.Items, Changed: m.Moved, Examples: m.Examples}, string(next), m.Done, err
	}}
}

// Chunks returns the step that gives the chunks of files the names that the rules make (spec 002 §4). The root is
// FILE_ROOT. The files are indexed again from their snapshots. Their texts stay the same, so the index keeps their
// vectors, and only the names are written. Another root gives other names to local files. Nothing is merged by that, so
// the root belongs to the version of the rules, and the step runs by itself. Without a root, local files cannot be
// read. Then they keep their names, and names that were made for a root are no reason to run.
func Chunks(rebuilds *registry.Rebuilds, manifests *index.Manifests, root string) Step {
	rules := chunk.NameRules
	if root != "" {
		root = filepath.Clean(root) // /data and /data/ are one folder
		rules += ":" + url.PathEscape(root)
	}
	keeps := func(from string) bool { return root == "" && strings.HasPrefix(from, chunk.NameRules+":") }
	return Step{Name: "chunks", Rules: rules, Keeps: keeps, Run: func(ctx context.Context, cursor string,
		dry bool) (Progress, string, bool, error) {
		n := &naming{manifests: manifests, root: root, dry: dry}
		var from registry.Cursor
		_ = json.Unmarshal([]byte(cursor), &from) // "" is the start
		step, err := rebuilds.Request(ctx, registry.Rebuild{
			Run: "chunks-" + strings.ToLower(rand.Text()), Known: true, Skip: noFiles, Wanted: n.wanted,
		}, from)
		next, _ := json.Marshal(step.Next) // encoding strings cannot fail
		n.Seen = step.Items
		return n.Progress, string(next), step.Done, err
	}}
}

// noFiles reports whether a partition has no files. By REGISTRY_PARTITION_STRATEGY, partitions are schemes or hosts.
func noFiles(_ context.Context, partition string) (bool, error) {
	switch file.Kind(partition) {
	case file.Local, file.Blob, file.Share: // the partition is a scheme
		return false, nil
	}
	return !file.IsHost(partition), nil // the partition is a host, or the scheme of pages
}

// naming selects the files whose chunks have other names than the rules make. Its method wanted is safe for concurrent
// use.
type naming struct {
	manifests *index.Manifests
	root      string
	dry       bool

	mu sync.Mutex
	Progress
}

func (n *naming) wanted(ctx context.Context, it *registry.Item) (bool, error) {
	if it.Type != source.File || it.IndexedHash == "" {
		return false, nil
	}
	place, err := verdict.FileLocation(it)
	if err != nil || n.root == "" && place.Kind() == file.Local {
		return false, nil
	}
	name := verdict.FileName(it, n.root)
	uid, misnamed, err := n.manifests.Misnamed(ctx, it.ID, it.Manifest, name)
	if err != nil || !misnamed {
		return false, err
	}
	example := it.DisplaySource + ": " + cmp.Or(string(uid), "an unknown name") + " becomes " + name.Begins("") + "…"
	n.mu.Lock()
	defer n.mu.Unlock()
	n.add(Progress{Changed: 1, Examples: []string{example}})
	return !n.dry, nil
}

package rebuild

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// State is the stage of a run.
type State string

// The states of a run, in order.
const (
	Marking  State = "marking"  // the run requests that items be indexed again
	Entering State = "entries"  // entries are written to the index; only in a run of all hosts
	Clearing State = "clearing" // pages that have no item or entry are removed; only in an audit
	Indexing State = "indexing" // all items were requested, and some are still waiting
	Counting State = "counting" // no item is waiting, and the results are added up
	Done     State = "done"
)

// Scope selects the items of a run, and how they are indexed.
type Scope struct {
	Host    string `col:"host"`    // only items of this host, as the registry spells it; if empty, of all hosts
	Force   bool   `col:"force"`   // also fetch pages that are not in the index
	Refetch bool   `col:"refetch"` // fetch everything from the sites
	Audit   bool   `col:"audit"`   // index only what is wrong in the index
}

// Run is one rebuild.
type Run struct {
	ID       string
	Scope    `col:",inline"`
	Reason   string    `col:"reason"` // the reason why the run began by itself; "" if a user requested it
	State    State     `col:"state"`
	Items    int       `col:"items"`   // items visited so far
	Marked   int       `col:"marked"`  // visited items for which indexing was requested
	Indexed  int       `col:"indexed"` // marked items that were in the index at the end of the run
	KeptOut  int       `col:"keptOut"` // marked items that are excluded, gone or duplicate
	Failed   int       `col:"failed"`
	Entries  int       `col:"entries"`  // entries visited so far, which are in the index or in its outbox
	Mended   int       `col:"mended"`   // entries that an audit repaired
	Removed  int       `col:"removed"`  // pages without an item or entry, which an audit removed
	Findings []Finding `col:"findings"` // the first maxFindings findings of an audit
	// Collisions counts the colliding uids among the chunks that the run indexed. Its list of files has the ids of
	// the items, but not more than maxFindings of them.
	Collisions chunk.Collisions `col:"collisions"`
	StartedAt  time.Time        `col:"startedAt"`
	UpdatedAt  time.Time        `col:"updatedAt"` // when the last step ended
	EndedAt    time.Time        `col:"endedAt"`   // zero while the run is active

	// Cursor is the position from which the next step continues. If it is damaged, the run starts again from the
	// beginning, which marks no item twice.
	Cursor registry.Cursor `col:"cursor"`
	Step   int64           `col:"step"` // number of the next message

	etag storage.ETag
}

// maxFindings limits the number of differences that a run records.
const maxFindings = 50

// Finding is one difference that an audit found and repaired.
type Finding struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

const partition = "rebuild"

func fields(r *Run) run.Fields {
	return run.Fields{ID: &r.ID, Over: r.State == Done, Step: &r.Step, UpdatedAt: &r.UpdatedAt, ETag: &r.etag}
}

// Get reads a run. Errors: NotFound.
func (s *Service) Get(ctx context.Context, id string) (Run, error) { return s.runs.Get(ctx, id) }

// Active lists the active runs by the times in their ids, oldest first.
func (s *Service) Active(ctx context.Context) ([]Run, error) { return s.runs.Active(ctx) }

// fillPrefix begins the ids of the runs that fill a new index.
const fillPrefix = "rebuild-index-"

// Fill starts, once for each name of an index, the run that fills the index.
func (s *Service) Fill(ctx context.Context, index string) error {
	_, err := s.Ensure(ctx, fillPrefix+index, "the index was begun anew")
	return err
}

// Fills reports whether the run fills a new index, which lacks pages until the run ends.
func (r Run) Fills() bool { return strings.HasPrefix(r.ID, fillPrefix) }

// Left returns the number of items that are still waiting, for display. It uses [registry.Hosts.Stats]. If runs
// overlap, the number for each run includes the items of the others.
func (s *Service) Left(ctx context.Context, run Run) (left int, err error) {
	if run.State == Done || run.State == Counting {
		return 0, nil
	}
	stats, err := s.reg.Hosts.Stats(ctx, run.Host)
	for _, h := range stats {
		left += h.Rebuilding
	}
	return left, err
}

// differing returns a function that selects the items whose page in the index is wrong. The function also records
// each of these items as a finding.
func (s *Service) differing(run *Run) func(context.Context, *registry.Item) (bool, error) {
	var mu sync.Mutex
	return func(ctx context.Context, it *registry.Item) (bool, error) {
		what, err := s.o.Audit.Difference(ctx, it)
		if err != nil || what == "" {
			return false, err
		}
		mu.Lock()
		defer mu.Unlock()
		s.note(ctx, run, Finding{string(it.ID), what})
		return true, nil
	}
}

// clearSome removes from the index some pages that have no item or entry.
func (s *Service) clearSome(ctx context.Context, run *Run) error {
	removed, next, err := s.o.Audit.Orphans(ctx, run.Cursor.Row)
	if err != nil {
		return err
	}
	for _, id := range removed {
		s.note(ctx, run, Finding{id, "the index holds a page that has no item or entry"})
	}
	run.Removed += len(removed)
	if run.Cursor.Row = next; next == "" {
		s.index(ctx, run)
	}
	return nil
}

func (s *Service) note(ctx context.Context, run *Run, f Finding) {
	s.o.Log.WarnContext(ctx, "index differs", "run", run.ID, "id", f.ID, "what", f.What)
	if len(run.Findings) < maxFindings {
		run.Findings = append(run.Findings, f)
	}
}

package rebuild

import (
	"context"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// State is the stage of a run.
type State string

// The states of a run, in order.
const (
	Marking  State = "marking"  // requesting that items be indexed anew
	Entering State = "entries"  // in a run of everything: writing entries to the index
	Clearing State = "clearing" // in an audit: removing pages that have no item or entry
	Indexing State = "indexing" // all are requested, some still wait
	Counting State = "counting" // no item waits; adding up the results
	Done     State = "done"
)

// Scope selects the items of a run, and how they are indexed.
type Scope struct {
	Host    string `col:"host"`    // only this host, as the registry writes it; all when empty
	Force   bool   `col:"force"`   // fetch also what the index does not hold
	Refetch bool   `col:"refetch"` // fetch everything from the sites
	Audit   bool   `col:"audit"`   // only what the index holds wrongly
}

// Run is one rebuild.
type Run struct {
	ID       string
	Scope    `col:",inline"`
	Reason   string    `col:"reason"` // why it began by itself; empty when a user asked
	State    State     `col:"state"`
	Items    int       `col:"items"`   // visited so far
	Marked   int       `col:"marked"`  // of these, requested to be indexed anew
	Indexed  int       `col:"indexed"` // of these, in the index at the end of the run; the next two likewise
	KeptOut  int       `col:"keptOut"` // excluded, gone or duplicate
	Failed   int       `col:"failed"`
	Entries  int       `col:"entries"`  // visited so far, and in the index or in its outbox
	Mended   int       `col:"mended"`   // of these, repaired by an audit
	Removed  int       `col:"removed"`  // by an audit: pages without an item or entry
	Findings []Finding `col:"findings"` // by an audit: the first [MaxFindings]
	// Collisions counts the colliding uids among the chunks that the run indexed; their files are the ids of items,
	// the first [MaxFindings].
	Collisions chunk.Collisions `col:"collisions"`
	StartedAt  time.Time        `col:"startedAt"`
	UpdatedAt  time.Time        `col:"updatedAt"` // when the last step ended
	EndedAt    time.Time        `col:"endedAt"`   // zero while the run is active

	// where the next step begins; a damaged cursor starts over, which marks nothing twice
	Cursor registry.Cursor `col:"cursor"`
	Step   int64           `col:"step"` // number of the next message

	etag storage.ETag
}

// MaxFindings is how many differences a run remembers.
const MaxFindings = 50

// Finding is one difference that an audit found and repaired.
type Finding struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

const partition = "rebuild"

func checkID(id string) error {
	if storage.CheckKey(storage.Key{Partition: partition, Row: id}) != nil || strings.HasPrefix(id, run.ActivePrefix) {
		return fault.Field("id", "%.100q is not the id of a run", id)
	}
	return nil
}

func fields(r *Run) run.Fields {
	return run.Fields{ID: &r.ID, Over: r.State == Done, Step: &r.Step, UpdatedAt: &r.UpdatedAt, ETag: &r.etag}
}

// Get reads a run. Errors: NotFound.
func (s *Service) Get(ctx context.Context, id string) (Run, error) { return s.runs.Get(ctx, id) }

// Active lists the active runs, the oldest first as far as their ids show.
func (s *Service) Active(ctx context.Context) ([]Run, error) { return s.runs.Active(ctx) }

// Left counts the items that still wait, from [registry.Hosts.Stats], for display. The counts of overlapping runs
// include each other's items.
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

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

// State is how far a run is.
type State string

// The states of a run, in order.
const (
	Marking  State = "marking"  // items are being asked to be indexed anew
	Entering State = "entries"  // of a run of everything: entries are being put into the index
	Clearing State = "clearing" // of an audit: pages that have no item or entry are being removed
	Indexing State = "indexing" // all have been asked, some still wait
	Counting State = "counting" // none waits; what became of them is being added up
	Done     State = "done"
)

// Scope is what a run is about.
type Scope struct {
	Host    string `col:"host"`    // only this host, as the registry writes it; all when empty
	Force   bool   `col:"force"`   // ask the sites also for what the index does not hold
	Refetch bool   `col:"refetch"` // ask the sites for everything
	Audit   bool   `col:"audit"`   // only what the index holds otherwise than it should
}

// Run is one rebuild.
type Run struct {
	ID       string
	Scope    `col:",inline"`
	Reason   string    `col:"reason"` // why it began by itself; empty when somebody asked
	State    State     `col:"state"`
	Items    int       `col:"items"`   // visited so far
	Marked   int       `col:"marked"`  // of these, asked to be indexed anew
	Indexed  int       `col:"indexed"` // of these, in the index at the end of the run; the next two likewise
	KeptOut  int       `col:"keptOut"` // excluded, gone or duplicates
	Failed   int       `col:"failed"`
	Entries  int       `col:"entries"`  // visited so far, and in the index or in its outbox
	Mended   int       `col:"mended"`   // of these, by an audit: those that the index held otherwise than it should
	Removed  int       `col:"removed"`  // by an audit: pages that had no item or entry
	Findings []Finding `col:"findings"` // of an audit: the first [MaxFindings]
	// Collisions of the uids of chunks among what it has indexed; their files are ids of items, the first [MaxFindings].
	Collisions chunk.Collisions `col:"collisions"`
	StartedAt  time.Time        `col:"startedAt"`
	UpdatedAt  time.Time        `col:"updatedAt"` // when the last step was done
	EndedAt    time.Time        `col:"endedAt"`   // zero while it goes on

	// where the next step begins; one that is damaged begins anew, which marks nothing twice
	Cursor registry.Cursor `col:"cursor"`
	Step   int64           `col:"step"` // of the next message

	etag storage.ETag
}

// MaxFindings is how many differences a run remembers.
const MaxFindings = 50

// Finding is one difference that an audit found, and had repaired.
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

// Get reads a run; NotFound if there is none.
func (s *Service) Get(ctx context.Context, id string) (Run, error) { return s.runs.Get(ctx, id) }

// Active lists the runs that go on, oldest first as far as their ids tell.
func (s *Service) Active(ctx context.Context) ([]Run, error) { return s.runs.Active(ctx) }

// Left counts the items that still wait, as [registry.Hosts.Stats] knows them, for people. Runs that overlap wait for
// each other's.
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

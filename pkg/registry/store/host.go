package store

import (
	"context"
	"iter"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/feed"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// HostState is the row of one host: what its workers agree on, and what is counted of its items.
type HostState struct {
	Host   string       `col:"host"`
	Policy policy.State `col:",inline"`

	Counts     map[item.Status]int `col:"counts"` // items by status
	Rates      policy.Rates        `col:",inline"`
	Answers    bool                `col:"answers"`    // a check of the last commit that had any was answered
	Rebuilding int                 `col:"rebuilding"` // items that wait for a rebuild
	Guarded    int                 `col:"guarded"`    // items that the mass-removal guard keeps from being gone
	Revisited  int                 `col:"revisited"`  // items with a tombstone whose status is not Gone
	Unclaimed  bool                `col:"unclaimed"`  // due rows were left that no job has: who is done looks for them

	Fingerprints policy.Fingerprints  `col:"absent"`
	LastMod      policy.LastModRecord `col:"lastMod"`

	Outbox feed.Group `col:"outbox,gzip"` // what the last commit has changed, which may not be in the feed yet

	recounted bool // since it was read: Counts, Rebuilding, Guarded or a pause have changed
}

var hostRows = row.Of[HostState]()

// Host is a host's state with the revision it was read at.
type Host struct {
	HostState
	Key  storage.Key
	ETag storage.ETag
}

// LoadHost reads the row of a host. Where there is no row yet the state is empty and the ETag, too.
func (r *Store) LoadHost(ctx context.Context, partition, host string) (h Host, err error) {
	h.Key = storage.Key{Partition: partition, Row: item.HostRow(host)}
	h.HostState, h.ETag, err = hostRows.Load(ctx, r.Items, h.Key)
	h.Host = host
	return h, err
}

// HostsOf reads the host rows of a partition, and of their columns only those that are named, if any are.
func (r *Store) HostsOf(ctx context.Context, partition string, columns ...string) iter.Seq2[HostState, error] {
	return func(yield func(HostState, error) bool) {
		q := storage.Query{Partition: partition, RowFrom: item.HostPrefix, RowTo: "host" + item.AfterBar, Select: columns}
		for e, err := range r.Items.Query(ctx, q) {
			h := HostStateOf(e)
			if !yield(h, err) || err != nil {
				return
			}
		}
	}
}

// HostStateOf reads a row of the items table as a host's. Rows of other kinds give a state without Host.
func HostStateOf(e storage.Entity) HostState {
	h, _ := hostRows.Decode(e.Props)
	return h
}

// Op writes the host's row: an insert if it was not there, else If-Match.
func (h *Host) Op() storage.Op { return hostRows.Put(h.Key, h.ETag, &h.HostState) }

// Pause keeps everybody away from the host, as [policy.Pace.Pause] does. The copy of the counters tells it, too.
func (h *HostState) Pause(now, until time.Time, why string) {
	before := h.Policy.Pace.PausedUntil
	h.Policy.Pace.Pause(now, until, words.ClipRunes(why, 200))
	h.recounted = h.recounted || !h.Policy.Pace.PausedUntil.Equal(before)
}

// There is how many items count as there: those that are not gone.
func (h *HostState) There() int {
	n := -h.Revisited
	for status, count := range h.Counts {
		if status != item.Gone {
			n += count
		}
	}
	return n
}

// Tally is what a host's row counts of an item. The zero tally is that of an item that is
// outside the registry.
type Tally struct {
	Status item.Status
	Waits  bool // for a rebuild
	// Revisited is an item that is gone while its status is another: it was registered again, or has
	// failed since. It is there no more than one whose status says so.
	Revisited bool
	Guarded   bool
}

// TallyOf is what counts of an item as it stands.
func TallyOf(it *item.Item) Tally {
	return Tally{it.Status, it.RebuildPending, !it.GoneSince.IsZero() && it.Status != item.Gone,
		!it.GuardedSince.IsZero()}
}

// Recount counts an item that was one thing and is another now.
func (h *HostState) Recount(was, is Tally) {
	h.recounted = h.recounted || was.Status != is.Status || was.Waits != is.Waits || was.Guarded != is.Guarded
	h.move(was.Status, is.Status)
	h.Rebuilding += one(is.Waits) - one(was.Waits)
	h.Guarded = max(0, h.Guarded+one(is.Guarded)-one(was.Guarded)) // rows of earlier versions do not count them
	h.Revisited += one(is.Revisited) - one(was.Revisited)
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// move counts an item from one status to another; an empty status is outside the registry.
func (h *HostState) move(from, to item.Status) {
	if from == to {
		return
	}
	if h.Counts == nil {
		h.Counts = map[item.Status]int{}
	}
	if from != "" && h.Counts[from] > 0 {
		h.Counts[from]--
	}
	if to != "" {
		h.Counts[to]++
	}
}

package registry

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

// What a host can bear and what is known of it, see package [policy].
type (
	Politeness    = policy.Politeness
	Budget        = policy.Budget
	LastModRecord = policy.LastModRecord
)

const (
	// JobItems is the most items of one job.
	JobItems = policy.JobItems
	// MaxPause bounds what a site can ask for.
	MaxPause = policy.MaxPause
)

// hostState is the row of one host: what its workers agree on, and what is counted of its items.
type hostState struct {
	Host   string       `col:"host"`
	Policy policy.State `col:",inline"`

	Counts     map[Status]int `col:"counts"` // items by status
	Rates      policy.Rates   `col:",inline"`
	Answers    bool           `col:"answers"`    // a check of the last commit that had any was answered
	Rebuilding int            `col:"rebuilding"` // items that wait for a rebuild
	Guarded    int            `col:"guarded"`    // items that the mass-removal guard keeps from being gone
	Revisited  int            `col:"revisited"`  // items with a tombstone whose status is not Gone
	Unclaimed  bool           `col:"unclaimed"`  // due rows were left that no job has: who is done looks for them

	Fingerprints policy.Fingerprints  `col:"absent"`
	LastMod      policy.LastModRecord `col:"lastMod"`

	Outbox feed.Group `col:"outbox,gzip"` // what the last commit has changed, which may not be in the feed yet

	recounted bool // since it was read: Counts, Rebuilding, Guarded or a pause have changed
}

var hostRows = row.Of[hostState]()

// hostEntry is a host's state with the revision it was read at.
type hostEntry struct {
	hostState
	key  storage.Key
	etag storage.ETag
}

func (r *store) loadHost(ctx context.Context, partition, host string) (h hostEntry, err error) {
	h.key = storage.Key{Partition: partition, Row: item.HostRow(host)}
	h.hostState, h.etag, err = hostRows.Load(ctx, r.items, h.key)
	h.Host = host
	return h, err
}

// hostsOf reads the host rows of a partition, and of their columns only those that are named, if any are.
func (r *store) hostsOf(ctx context.Context, partition string, columns ...string) iter.Seq2[hostState, error] {
	return func(yield func(hostState, error) bool) {
		q := storage.Query{Partition: partition, RowFrom: item.HostPrefix, RowTo: "host" + item.AfterBar, Select: columns}
		for e, err := range r.items.Query(ctx, q) {
			h, _ := hostRows.Decode(e.Props)
			if !yield(h, err) || err != nil {
				return
			}
		}
	}
}

// op writes the host's row: an insert if it was not there, else If-Match.
func (h *hostEntry) op() storage.Op { return hostRows.Put(h.key, h.etag, &h.hostState) }

// learn takes over what somebody who asked the host has found out about it.
func (h *hostState) learn(now time.Time, owner string, found HostFinding) {
	h.Policy.Pace.CrawlDelay = found.CrawlDelay
	h.pause(now, found.PauseUntil, found.PauseWhy)
	h.Policy.Charge(now, owner, found.Asked)
}

// pause is told beside the counters.
func (h *hostState) pause(now, until time.Time, why string) {
	before := h.Policy.Pace.PausedUntil
	h.Policy.Pace.Pause(now, until, words.ClipRunes(why, 200))
	h.recounted = h.recounted || !h.Policy.Pace.PausedUntil.Equal(before)
}

// there is how many items count as there: those that are not gone.
func (h *hostState) there() int {
	n := -h.Revisited
	for status, count := range h.Counts {
		if status != Gone {
			n += count
		}
	}
	return n
}

// tally is what a host's row counts of an item. The zero tally is that of an item that is
// outside the registry.
type tally struct {
	status Status
	waits  bool // for a rebuild
	// revisited is an item that is gone while its status is another: it was registered again, or has
	// failed since. It is there no more than one whose status says so.
	revisited bool
	guarded   bool
}

func tallyOf(it *Item) tally {
	return tally{it.Status, it.RebuildPending, !it.GoneSince.IsZero() && it.Status != Gone,
		!it.GuardedSince.IsZero()}
}

// recount counts an item that was one thing and is another now.
func (h *hostState) recount(was, is tally) {
	h.recounted = h.recounted || was.status != is.status || was.waits != is.waits || was.guarded != is.guarded
	h.move(was.status, is.status)
	h.Rebuilding += one(is.waits) - one(was.waits)
	h.Guarded = max(0, h.Guarded+one(is.guarded)-one(was.guarded)) // rows of earlier versions do not count them
	h.Revisited += one(is.revisited) - one(was.revisited)
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// move counts an item from one status to another; an empty status is outside the registry.
func (h *hostState) move(from, to Status) {
	if from == to {
		return
	}
	if h.Counts == nil {
		h.Counts = map[Status]int{}
	}
	if from != "" && h.Counts[from] > 0 {
		h.Counts[from]--
	}
	if to != "" {
		h.Counts[to]++
	}
}

package registry

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/feed"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// hostState is the row of one host: the state that its workers share, and the counters of its items.
type hostState struct {
	Host   string       `col:"host"`
	Policy policy.State `col:",inline"`

	Counts     map[Status]int `col:"counts"` // number of items by status
	Rates      policy.Rates   `col:",inline"`
	Answers    bool           `col:"answers"`    // the host answered a check of the last commit with requests
	Rebuilding int            `col:"rebuilding"` // number of items waiting for a rebuild
	Guarded    int            `col:"guarded"`    // number of items that the mass-removal guard keeps from being Gone
	Revisited  int            `col:"revisited"`  // number of items with a tombstone whose status is not Gone
	Lying      int            `col:"lying"`      // number of items whose validators were seen to lie
	// Claims is the number of indexed items that name an address as canonical although its content is another, for at
	// most 16 such addresses.
	Claims    map[string]int `col:"claims"`
	Unclaimed bool           `col:"unclaimed"` // unclaimed due rows remain, for which a finishing worker scans

	Fingerprints policy.Fingerprints  `col:"absent"`
	LastMod      policy.LastModRecord `col:"lastMod"`

	Outbox feed.Group `col:"outbox,gzip"` // changes of the last commit, which may not be in the feed yet

	recounted bool // Counts, Rebuilding, Guarded or a pause have changed since the row was read
}

var hostRows = row.Of[hostState]()

// hostRecord is a host's state with the revision at which the state was read.
type hostRecord struct {
	hostState
	Key  storage.Key
	ETag storage.ETag
}

// LoadHost reads the row of a host. If the row does not exist, the state and the ETag are empty.
func (r *rowStore) LoadHost(ctx context.Context, partition, host string) (h hostRecord, err error) {
	h.Key = storage.Key{Partition: partition, Row: hostRow(host)}
	h.hostState, h.ETag, err = hostRows.Load(ctx, r.Items, h.Key)
	h.Host = host
	return h, err
}

// HostsOf yields the host rows of a partition. If columns are given, only those columns are read.
func (r *rowStore) HostsOf(ctx context.Context, partition string, columns ...string) iter.Seq2[hostState, error] {
	return func(yield func(hostState, error) bool) {
		q := storage.Query{Partition: partition, RowFrom: hostPrefix, RowTo: "host" + afterBar, Select: columns}
		for e, err := range r.Items.Query(ctx, q) {
			h := hostStateOf(e)
			if !yield(h, err) || err != nil {
				return
			}
		}
	}
}

// hostStateOf decodes a row of the items table as a host row. If the row is of another kind, the returned state has
// no Host.
func hostStateOf(e storage.Entity) hostState {
	h, _ := hostRows.Decode(e.Props)
	return h
}

// Op returns the operation that writes the host row: an insert if there was none, otherwise a replace with If-Match.
func (h *hostRecord) Op() storage.Op { return hostRows.Put(h.Key, h.ETag, &h.hostState) }

// pause pauses the host, as [policy.Pace.Pause] does. The next copy of the host's counters then also contains the
// pause.
func (h *hostState) pause(now, until time.Time, why string) {
	before := h.Policy.Pace.PausedUntil
	h.Policy.Pace.Pause(now, until, words.ClipRunes(why, 200))
	h.recounted = h.recounted || !h.Policy.Pace.PausedUntil.Equal(before)
}

// there returns the number of items that are present, which means that they are not gone.
func (h *hostState) there() int {
	n := -h.Revisited
	for status, count := range h.Counts {
		if status != Gone {
			n += count
		}
	}
	return n
}

// tally is what one item contributes to the counters of its host row. The zero Tally belongs to an item that is not
// in the registry.
type tally struct {
	Status Status
	Waits  bool // whether the item is waiting for a rebuild
	// Revisited reports that an item has a tombstone although its status is not Gone, because it was registered again
	// or has failed since. Such an item is not present either.
	Revisited bool
	Guarded   bool
	Claim     string // the address that the item names as canonical although its content is another
	Lying     bool   // whether the item's validators were seen to stay the same while its content changed
}

// tallyOf returns the tally of an item in its present state.
func tallyOf(it *Item) tally {
	t := tally{Status: it.Status, Waits: it.RebuildPending, Guarded: !it.GuardedSince.IsZero(),
		Revisited: !it.GoneSince.IsZero() && it.Status != Gone, Lying: it.Validators.Lied()}
	if it.Status == Indexed {
		t.Claim = words.ClipRunes(it.Claim.Refused, maxClaim)
	}
	return t
}

// recount updates the counters for an item whose tally has changed.
func (h *hostState) recount(was, is tally) {
	h.recounted = h.recounted || was.Status != is.Status || was.Waits != is.Waits || was.Guarded != is.Guarded
	h.move(was.Status, is.Status)
	h.Rebuilding += one(is.Waits) - one(was.Waits)
	h.Guarded = max(0, h.Guarded+one(is.Guarded)-one(was.Guarded))
	h.Lying = max(0, h.Lying+one(is.Lying)-one(was.Lying))
	h.claim(was.Claim, is.Claim)
	h.Revisited += one(is.Revisited) - one(was.Revisited)
}

const (
	maxClaims  = 16  // addresses that are counted
	maxClaim   = 300 // characters of an address
	manyClaims = 3   // pages with the same wrong claim that show a broken template
)

// claim counts one item for another address. When there is no room, the address with the smallest count gives way. The
// counts are then too small, but an address that many pages name is kept.
func (h *hostState) claim(from, to string) {
	if from == to {
		return
	}
	h.Claims = maps.Clone(h.Claims) // a commit that is tried again needs the old counts
	if h.Claims == nil {
		h.Claims = map[string]int{}
	}
	if h.Claims[from]--; h.Claims[from] <= 0 {
		delete(h.Claims, from)
	}
	if to == "" {
		return
	}
	if h.Claims[to]++; len(h.Claims) <= maxClaims {
		return
	}
	least := ""
	for address, n := range h.Claims {
		if address != to && (least == "" || n < h.Claims[least] || n == h.Claims[least] && address < least) {
			least = address
		}
	}
	delete(h.Claims, least)
}

// move moves one item from the counter of one status to that of another. Items that are not in the registry have an
// empty status.
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

// Notices describes for people which answers of the host are not believed.
func (h *hostState) Notices() (out []string) {
	if h.Lying > 0 {
		out = append(out, fmt.Sprintf("The ETag and Last-Modified of %s stayed the same while the content changed, so they "+
			"are not believed there.", words.Count(h.Lying, "page")))
	}
	for _, address := range slices.Sorted(maps.Keys(h.Claims)) {
		if n := h.Claims[address]; n >= manyClaims {
			out = append(out, fmt.Sprintf("%s name %s as their canonical address, but have other content. Probably a template "+
				"of the site is broken. All of them stay in the index.", words.Count(n, "page"), address))
		}
	}
	return out
}

// announceAge limits the age of the changes that the daily round compares with the feed. Earlier rounds have compared
// older changes.
const announceAge = 3 * recountEvery

// Announce publishes the changes of a host's last commit, unless this process knows that they are in the feed.
func (r *rowStore) Announce(ctx context.Context, h *hostRecord) error {
	if h.Outbox.ID == "" || r.Options.Feed.Knows(h.Outbox.ID) {
		return nil
	}
	err := r.Options.Feed.Publish(ctx, h.Outbox)
	if r.Options.Feed.Knows(h.Outbox.ID) && err != nil { // the group can never be published, so it is given up
		r.Options.Log.ErrorContext(ctx, "changes were left out of the feed", "host", h.Host, "err", err)
		return nil
	}
	return err
}

// AnnounceLater is like [rowStore.Announce], for callers that may ignore a failure. It skips changes that are older
// than announceAge, because earlier daily rounds have published them.
func (r *rowStore) AnnounceLater(ctx context.Context, h *hostRecord) {
	if len(h.Outbox.Changes) > 0 && r.Now().Sub(h.Outbox.Changes[0].At) > announceAge {
		return
	}
	if err := r.Announce(ctx, h); err != nil {
		r.Options.Log.WarnContext(ctx, "changes are not in the feed yet", "host", h.Host,
			"kind", fault.KindOf(err), "err", err)
	}
}

package registry

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// HostStats are the statistics of one host, as far as they can be computed without reading its items (A23).
type HostStats struct {
	Host       string
	Items      map[Status]int
	Due        int // number of items that are due now and waiting
	InFlight   int // number of items that are due now and claimed by a job
	Rebuilding int // number of items that are waiting for a rebuild
	Guarded    int // number of items that the mass-removal guard keeps from being Gone
	Checks     int // number of recent checks that the rates are based on
	Changes    int
	Errors     int
	// PausedUntil is the time until which the host gets no request, because the host asked for a pause or because a
	// budget is spent. It is zero if the host may get requests.
	PausedUntil time.Time
	PauseReason string
	Unreached   policy.Unreached // why the host cannot be reached; only exact numbers have it
	NextDueAt   time.Time        // earliest due time after now; zero when unknown
	// Unread reports that there may be due or claimed rows that were not read. Due is then a lower bound.
	Unread bool
}

// maxDueCount bounds the items that are counted as due per partition. If there are more, Due is a lower bound.
const maxDueCount = 20_000

// ExactHosts limits the number of hosts for which [Hosts.Stats] reads exact numbers.
const ExactHosts = 100

// mostHints limits the number of hints that are read to find hosts with work that is due.
const mostHints = 1000

// Stats returns the statistics of every host, or of one host if the argument host is not empty. If there are at most
// [ExactHosts] hosts, it reads the host row and the due rows of each. If there are more, it reads those of up to
// [ExactHosts] hosts: hosts that have something due or in flight, and hosts whose counters were never copied.
//
// For all other hosts it returns the counters that were copied after their last change, which costs one request for
// 1,000 hosts. Their Due is the number of items that were never fetched. It is at least one if a sweep still has to
// scan the host's partition, and it is 0 if that partition has no hint for the near future. Their InFlight is 0, and
// their change rate is up to a day old.
func (r *Hosts) Stats(ctx context.Context, host string) ([]HostStats, error) {
	now := r.s.Now()
	if host != "" || r.s.Options.Strategy == source.ByScheme {
		return r.readStats(ctx, host, now)
	}
	rows, _, err := r.s.Sums.Listed(ctx, "", math.MaxInt)
	if err != nil {
		return nil, err
	}
	due, err := r.attention(ctx, len(rows), now)
	if err != nil {
		return nil, err
	}
	out := make([]HostStats, len(rows))
	var read []int
	for i, e := range rows {
		s := sumsOf(e)
		out[i] = listedStats(&s, now)
		d, busy := due[e.Row]
		if busy {
			out[i].Due, out[i].Unread = max(one(d.overdue), s.Counts[Pending]), true
		}
		if d.read || s.CountedAt.IsZero() || len(rows) <= ExactHosts {
			read = append(read, i)
		}
	}
	err = r.s.Parallel(ctx, len(read), func(ctx context.Context, i int) error {
		at := read[i]
		stats, err := r.partitionStats(ctx, rows[at].Row, "", now)
		if out[at] = (HostStats{}); len(stats) > 0 {
			out[at] = stats[0]
		}
		return err
	})
	return slices.DeleteFunc(out, func(s HostStats) bool { return s.onlyVisited() }), err
}

// readStats reads the counters of all hosts, or of one, from the host rows.
func (r *Hosts) readStats(ctx context.Context, host string, now time.Time) (out []HostStats, err error) {
	for p, err := range r.s.PartitionsOf(ctx, host, "") {
		if err != nil {
			return nil, err
		}
		stats, err := r.partitionStats(ctx, p, host, now)
		if err != nil {
			return nil, err
		}
		out = append(out, stats...)
	}
	return out, nil
}

// attention describes a partition that has something due or in flight.
type attention struct {
	overdue bool // a sweep still has to scan the partition
	read    bool // the rows of the partition will be read
}

// attention finds partitions that have something due or in flight. It finds them by their hints, which are no later
// than [JobTTL] from now. The partitions that have waited longest come first. If all hosts are read anyway, it
// reads nothing.
func (r *Hosts) attention(ctx context.Context, hosts int, now time.Time) (map[string]attention, error) {
	found := map[string]attention{}
	if hosts <= ExactHosts {
		return found, nil
	}
	hints := 0
	for h, err := range r.s.HintsUntil(ctx, now.Add(JobTTL+hintGrace)) {
		if err != nil {
			return nil, err
		}
		if _, known := found[h.Partition]; !known {
			found[h.Partition] = attention{overdue: !h.Minute.After(now), read: len(found) < ExactHosts}
		}
		if hints++; hints == mostHints {
			break
		}
	}
	return found, nil
}

// Recount continues a round over all hosts that repairs the copied counters, which lists of items and [Hosts.Stats]
// read. It also copies the change rate, because not every check does. A round begins once a day, or at once in a
// store that has had none. One call processes at most 1,000 hosts, with one read for each host and one write for each
// hundred. It costs one read while no round is due. Recount returns the number of hosts whose counters were wrong.
func (r *Hosts) Recount(ctx context.Context) (mended int, err error) { return r.s.Sums.recount(ctx) }

// Backlog returns the number of items of a source's host that are registered but not fetched yet. It costs one point
// read.
func (r *Hosts) Backlog(ctx context.Context, s source.Source) (int, error) {
	h, err := r.s.LoadHost(ctx, s.Partition(r.s.Options.Strategy), s.Host)
	return h.Counts[Pending], err
}

func (r *Hosts) partitionStats(ctx context.Context, partition, host string, now time.Time) ([]HostStats, error) {
	var out []HostStats
	at := map[string]int{}
	add := func(h *hostState) {
		if s := statsOf(h, now, r.s.Options.Politeness(h.Host)); !s.onlyVisited() {
			at[h.Host], out = len(out), append(out, s)
		}
	}
	if host != "" {
		h, err := r.s.LoadHost(ctx, partition, host)
		if err != nil || h.ETag == "" {
			return nil, err
		}
		add(&h.hostState)
	} else {
		for h, err := range r.s.HostsOf(ctx, partition) {
			if err != nil {
				return nil, err
			}
			add(&h)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, r.countDue(ctx, partition, now, out, at)
}

// onlyVisited reports whether a host has nothing to show: it has never had a registered item, and no pause is in
// force.
func (s *HostStats) onlyVisited() bool {
	return len(s.Items) == 0 && s.PausedUntil.IsZero()
}

func statsOf(h *hostState, now time.Time, p policy.Politeness) HostStats {
	s := HostStats{Host: h.Host, Items: h.Counts, Checks: h.Rates.Checks, Changes: h.Rates.Changes, Errors: h.Rates.Errors,
		Rebuilding: h.Rebuilding, Guarded: h.Guarded}
	s.PausedUntil, s.PauseReason = h.Policy.Blocked(now, p)
	s.Unreached = h.Policy.Unreached
	return s
}

// listedStats returns the statistics that a host's copied counters contain, without reading the due rows.
func listedStats(s *hostSums, now time.Time) HostStats {
	out := HostStats{Host: s.Partition, Items: s.Counts, Checks: s.Rates.Checks, Changes: s.Rates.Changes,
		Errors: s.Rates.Errors, Rebuilding: s.Rebuilding, Guarded: s.Guarded}
	if s.PausedUntil.After(now) {
		out.PausedUntil, out.PauseReason = s.PausedUntil, s.PauseReason
	}
	return out
}

func (r *Hosts) countDue(ctx context.Context, partition string, now time.Time, stats []HostStats,
	at map[string]int) error {
	q := storage.Query{
		Partition: partition, RowFrom: duePrefix, RowTo: "due" + afterBar,
		Select: []string{"host", "enqueuedUntil"},
	}
	if len(stats) == 1 && r.s.Options.Strategy == source.ByScheme { // only this host was asked for
		q.Where = map[string]string{"host": stats[0].Host}
	}
	n := 0
	for e, err := range r.s.Items.Query(ctx, q) {
		if err != nil {
			return err
		}
		host, _ := e.Props["host"].(string)
		i, known := at[host]
		due, _, ok := parseDueRow(e.Row)
		switch {
		case !ok:
		case due.After(now):
			if known && stats[i].NextDueAt.IsZero() {
				stats[i].NextDueAt = due
			}
			return nil
		case enqueuedUntil(e).After(now):
			if known { // otherwise the host was registered after its partition was read
				stats[i].InFlight++
			}
		case n == maxDueCount: // the rows that are left may be of any host
			for i := range stats {
				stats[i].Unread = true
			}
			return nil
		default:
			if n++; known {
				stats[i].Due++
			}
		}
	}
	return nil
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

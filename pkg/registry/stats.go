package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// HostStats is what the registry knows of one host without reading its items (A23).
type HostStats struct {
	Host       string
	Items      map[Status]int
	Due        int // due now and waiting
	InFlight   int // due now and given to a job
	Rebuilding int // items that wait for a rebuild
	Checks     int // recent checks that the rates speak of
	Changes    int
	Errors     int
	// PausedUntil is until when nobody asks it, because it asked for a pause or a budget is spent; zero if it may be
	// asked.
	PausedUntil time.Time
	PauseReason string
	NextDueAt   time.Time // earliest due time after now; zero when unknown
}

// maxDueCount bounds the due rows that are counted per partition: beyond it Due is a lower bound.
const maxDueCount = 20_000

// Stats reads the counters of every host, or of one when host is not empty. Its cost is one range
// read per partition, and what is due.
func (r *Hosts) Stats(ctx context.Context, host string) ([]HostStats, error) {
	now := r.s.now()
	var partitions []string
	for p, err := range r.s.partitionsOf(ctx, host, "") {
		if err != nil {
			return nil, err
		}
		partitions = append(partitions, p)
	}
	found := make([][]HostStats, len(partitions))
	err := r.s.parallel(ctx, len(partitions), func(ctx context.Context, i int) (err error) {
		found[i], err = r.partitionStats(ctx, partitions[i], host, now)
		return err
	})
	var out []HostStats
	for _, f := range found {
		out = append(out, f...)
	}
	return out, err
}

// Backlog is how many items of a source's host were registered and not fetched yet. It costs one
// point read.
func (r *Hosts) Backlog(ctx context.Context, s source.Source) (int, error) {
	h, err := r.s.loadHost(ctx, s.Partition(r.s.o.Strategy), s.Host)
	return h.Counts[Pending], err
}

func (r *Hosts) partitionStats(ctx context.Context, partition, host string, now time.Time) ([]HostStats, error) {
	var out []HostStats
	at := map[string]int{}
	add := func(h *hostState) {
		if s := h.stats(now, r.s.o.Politeness(h.Host)); !s.onlyVisited() {
			at[h.Host], out = len(out), append(out, s)
		}
	}
	if host != "" {
		h, err := r.s.loadHost(ctx, partition, host)
		if err != nil || h.etag == "" {
			return nil, err
		}
		add(&h.hostState)
	} else {
		for h, err := range r.s.hostsOf(ctx, partition) {
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

// onlyVisited reports whether there is nothing to tell of a host: no item was ever registered, and it
// does not ask for a pause.
func (s *HostStats) onlyVisited() bool {
	return len(s.Items) == 0 && s.PausedUntil.IsZero()
}

func (h *hostState) stats(now time.Time, p Politeness) HostStats {
	s := HostStats{Host: h.Host, Items: h.Counts, Checks: h.Rates.Checks, Changes: h.Rates.Changes, Errors: h.Rates.Errors,
		Rebuilding: h.Rebuilding}
	s.PausedUntil, s.PauseReason = h.Policy.Blocked(now, p)
	return s
}

func (r *Hosts) countDue(ctx context.Context, partition string, now time.Time, stats []HostStats,
	at map[string]int) error {
	q := storage.Query{
		Partition: partition, RowFrom: duePrefix, RowTo: "due" + afterBar,
		Select: []string{"host", "enqueuedUntil"},
	}
	n := 0
	for e, err := range r.s.items.Query(ctx, q) {
		if err != nil {
			return err
		}
		host, _ := e.Props["host"].(string)
		i, known := at[host]
		due, _, ok := parseDueRow(e.Row)
		if !ok {
			continue
		}
		if n++; due.After(now) || n > maxDueCount {
			if known && stats[i].NextDueAt.IsZero() {
				stats[i].NextDueAt = due
			}
			return nil
		}
		switch {
		case !known: // a host that was registered after its partition was read
		case enqueuedUntil(e).After(now):
			stats[i].InFlight++
		default:
			stats[i].Due++
		}
	}
	return nil
}

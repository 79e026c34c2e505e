package registry

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// SweepReport counts what one sweep did.
type SweepReport struct {
	Hints      int // due hints read
	Partitions int // partitions visited
	Claimed    int // items given to jobs
	Jobs       int // jobs sent
	// Late is for how long the longest waiting item had been due that no job had. Where a host's pace
	// is the reason it grows until the host is done with.
	Late time.Duration
}

// Sweep sends jobs for what is due (seed 003 §9, DESIGN §2.3). Its cost follows what is due, not
// what is registered. Several sweeps may run at once; one that dies leaves its hints to the next.
// A partition that cannot be swept is reported in the error and does not hold up the others.
func (r *Registry) Sweep(ctx context.Context) (SweepReport, error) {
	var report SweepReport
	var errs []error
	for shard := range hintShards {
		hints, err := r.hintsUntil(ctx, shard, r.now())
		if err != nil {
			return report, err
		}
		report.Hints += len(hints)
		for _, group := range byPartition(hints) {
			report.Partitions++
			if err := r.sweepPartition(ctx, group, &report); err != nil {
				errs = append(errs, err)
			}
			if ctx.Err() != nil {
				return report, errors.Join(errs...)
			}
		}
	}
	return report, errors.Join(errs...)
}

// byPartition groups hints, in the order of their earliest minute.
func byPartition(hints []dueHint) [][]dueHint {
	var out [][]dueHint
	at := map[string]int{}
	for _, h := range hints {
		i, ok := at[h.partition]
		if !ok {
			i = len(out)
			at[h.partition] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], h)
	}
	return out
}

func (r *Registry) sweepPartition(ctx context.Context, hints []dueHint, report *SweepReport) error {
	partition := hints[0].partition
	var got claimed
	err := r.retry(ctx, func(ctx context.Context) (err error) {
		got, err = r.claimDue(ctx, partition)
		return err
	})
	report.Claimed += got.items
	report.Jobs += got.jobs
	report.Late = max(report.Late, got.late)
	if err != nil {
		return err
	}
	// The next hint comes before this one goes: in between, both stand.
	if !got.next.IsZero() {
		if err := r.hint(ctx, partition, got.next); err != nil {
			return err
		}
	}
	now := r.now()
	for _, h := range hints {
		if !got.next.IsZero() && h.entity.Key == hintKey(partition, got.next) {
			continue
		}
		if err := r.dropHint(ctx, h, now); err != nil {
			return err
		}
	}
	return nil
}

// Refill claims what is due in a partition for a worker that has just finished there. It gives
// up when somebody else does the same.
func (r *Registry) Refill(ctx context.Context, partition string) (jobs int, err error) {
	got, err := r.claimDue(ctx, partition)
	if fault.Is(err, fault.Conflict) {
		return 0, nil
	}
	return got.jobs, err
}

// claimed is what claimDue did.
type claimed struct {
	items, jobs int
	next        time.Time // when the partition needs attention again; zero: no due rows at all
	late        time.Duration
}

// claimDue claims due rows of a partition, as many as its hosts can work on, and sends their
// jobs.
func (r *Registry) claimDue(ctx context.Context, partition string) (claimed, error) {
	now := r.now()
	scan, err := r.scanDue(ctx, partition, now)
	if err != nil {
		return claimed{}, err
	}
	got := claimed{next: scan.next, late: scan.late}
	for _, host := range scan.hosts {
		n, held, err := r.claimHost(ctx, partition, host, scan.rows[host], now)
		if err != nil {
			return got, err
		}
		got.items += n
		got.jobs += (n + JobItems - 1) / JobItems
		if n < len(scan.rows[host]) {
			got.next = earlier(got.next, laterOf(now, parkedUntil(now, held)))
		} else {
			got.next = earlier(got.next, now.Add(trust))
		}
	}
	return got, nil
}

// dueScan is what a range read of due rows found.
type dueScan struct {
	hosts []string // in the order of their first due row
	rows  map[string][]storage.Entity
	next  time.Time     // attention needed by rows that are not in rows
	late  time.Duration // for how long the first of them has been due
}

const (
	// scanHost is the most rows worth reading per host: more are not claimed at once.
	scanHost = 2*JobItems + 1
	// scanRows bounds one scan; what lies beyond waits for the next.
	scanRows = 2000
)

// scanDue reads due rows in order of time and stops at the first that is not due yet, or when it
// has all that one claim can take.
func (r *Registry) scanDue(ctx context.Context, partition string, now time.Time) (dueScan, error) {
	s := dueScan{rows: map[string][]storage.Entity{}}
	q := storage.Query{Partition: partition, RowFrom: duePrefix, RowTo: "due" + afterBar, PageSize: 2 * scanHost}
	n := 0
	for e, err := range r.items.Query(ctx, q) {
		if err != nil {
			return dueScan{}, err
		}
		at, _, ok := parseDueRow(e.Row)
		if !ok {
			continue
		}
		if at.After(now) {
			s.next = earlier(s.next, at)
			break
		}
		if n++; n > scanRows {
			s.next = now
			break
		}
		if until := enqueuedUntil(e); until.After(now) {
			s.next = earlier(s.next, until)
			continue
		}
		s.late = max(s.late, now.Sub(at))
		if s.add(e); r.o.Strategy != source.ByScheme && len(s.rows[s.hosts[0]]) >= scanHost {
			s.next = now
			break
		}
	}
	return s, nil
}

func (s *dueScan) add(e storage.Entity) {
	host, _ := e.Props["host"].(string)
	if _, ok := s.rows[host]; !ok {
		s.hosts = append(s.hosts, host)
	}
	if len(s.rows[host]) < scanHost {
		s.rows[host] = append(s.rows[host], e)
	}
}

func enqueuedUntil(due storage.Entity) time.Time {
	text, _ := due.Props["enqueuedUntil"].(string)
	return storage.ParseTime(text)
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// claimHost marks due rows of one host as enqueued and sends their jobs. It returns how many the
// host had room for, and until when nobody may ask it, if that is why it had none.
func (r *Registry) claimHost(ctx context.Context, partition, host string, rows []storage.Entity, now time.Time) (n int, held time.Time, err error) {
	unlock, err := r.hosts.lock(ctx, hostID{partition, host})
	if err != nil {
		return 0, held, err
	}
	defer unlock()
	h, err := r.loadHost(ctx, partition, host)
	if err != nil {
		return 0, held, err
	}
	p := r.o.Politeness(host)
	if n = h.room(now, len(rows), p); n == 0 {
		held, _ = h.held(now, p)
		return 0, held, nil
	}
	until := now.Add(trust)
	h.claim(now, n, p)
	ops := []storage.Op{h.op()}
	items := make([]JobItem, n)
	for i, e := range rows[:n] {
		_, hash, _ := parseDueRow(e.Row)
		id, _ := e.Props["id"].(string)
		items[i] = JobItem{ID: source.ID(id), RowKey: hash}
		ops = append(ops, claimDueRow(e.Key, e.ETag, until))
	}
	if _, err := r.hinted(ctx, partition, []time.Time{until}, ops); err != nil {
		return 0, held, asConflict(err)
	}
	r.send(ctx, partition, host, ReasonDue, items)
	return n, held, nil
}

// asConflict treats a row that vanished like one that changed: the scan is out of date.
func asConflict(err error) error {
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Conflict, "%w", err)
	}
	return err
}

// ignoreLost is for a delete of something that somebody else deleted or rewrote.
func ignoreLost(err error) error {
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

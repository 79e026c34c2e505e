package registry

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/storage"
)

// SweepReport describes what one sweep did.
type SweepReport struct {
	Hints      int // number of due hints read
	Partitions int // number of partitions scanned
	Claimed    int // number of items given to jobs
	Jobs       int // number of jobs sent
	// Late is how long the unclaimed item that has waited longest has been due. If the item waits because of the pace
	// of its host, Late grows until the work of that host is done.
	Late time.Duration
	// Unfinished reports that the time ran out before all hints were followed. The next sweep begins with the oldest
	// hint that remains.
	Unfinished bool
}

// hintWindow is the number of hints that a sweep holds at a time, in addition to one page of each shard.
const hintWindow = 1000

// Sweep sends jobs for due items (spec 003 §9). It begins with the partitions that have waited longest. Its cost
// depends on how many items are due, not on how many are registered. Several sweeps may run at the same time. If a
// sweep dies, the next one follows the hints that remain. A sweep returns before its context ends. An error lists the
// partitions that could not be swept; these do not delay the other partitions.
func (r *Jobs) Sweep(ctx context.Context) (SweepReport, error) {
	s := &sweep{r: r, ends: r.sweepEnd(ctx)}
	s.received = sync.OnceValues(func() (bool, error) { return r.received(ctx) })
	window := make([]dueHint, 0, hintWindow)
	for h, err := range r.s.HintsUntil(ctx, r.s.Now()) {
		if err != nil {
			s.errs = append(s.errs, err)
			continue
		}
		if window = append(window, h); len(window) == hintWindow {
			s.follow(ctx, window)
			window = window[:0]
		}
		if s.report.Unfinished {
			break
		}
	}
	s.follow(ctx, window)
	return s.report, errors.Join(s.errs...)
}

// sweep is one call of Sweep.
type sweep struct {
	r    *Jobs
	ends time.Time // after this time no further partition is begun; zero for no limit
	// received reports whether workers have received all jobs that were sent. It asks once.
	received func() (bool, error)

	mu     sync.Mutex // guards the fields below
	report SweepReport
	errs   []error
}

// sweepEnd returns the time after which the sweep begins no further partition. It leaves the caller, and the
// partitions in progress, time to finish. It returns zero if ctx has no deadline.
func (r *Jobs) sweepEnd(ctx context.Context) time.Time {
	deadline, ok := ctx.Deadline()
	if !ok {
		return time.Time{}
	}
	return deadline.Add(-min(RequestTime, deadline.Sub(r.s.Options.Clock())/8))
}

// follow sweeps the partitions of a window of hints concurrently.
func (s *sweep) follow(ctx context.Context, window []dueHint) {
	s.report.Hints += len(window)
	groups := groupBy(window, func(h dueHint) string { return h.Partition })
	_ = s.r.s.Parallel(ctx, len(groups), func(ctx context.Context, i int) error {
		if s.begin(ctx) {
			got, err := s.r.sweepPartition(ctx, groups[i], s.received)
			s.end(got, err)
		}
		return nil
	})
}

// begin reports whether there is time for another partition.
func (s *sweep) begin(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil || !s.ends.IsZero() && !s.r.s.Options.Clock().Before(s.ends) {
		s.report.Unfinished = true
		return false
	}
	s.report.Partitions++
	return true
}

func (s *sweep) end(got claimed, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Claimed += got.items
	s.report.Jobs += got.jobs
	s.report.Late = max(s.report.Late, got.late)
	if err != nil {
		s.errs = append(s.errs, err)
	}
}

// sweepPartition claims the due rows of a partition, and replaces the partition's hints by its next hint.
func (r *Jobs) sweepPartition(ctx context.Context, hints []dueHint,
	received func() (bool, error)) (got claimed, err error) {
	partition := hints[0].Partition
	err = r.s.Retry(ctx, func(ctx context.Context) (err error) {
		got, err = r.claimDue(ctx, partition, received)
		return err
	})
	if err != nil {
		return got, err
	}
	// The next hint is written before the old ones are deleted, so for a moment both exist.
	if !got.next.IsZero() {
		if err := r.s.Hint(ctx, partition, got.next); err != nil {
			return got, err
		}
	}
	for _, h := range hints {
		// If one of the old hints is also the next hint, it was just written again. Its revision differs, so it is
		// kept.
		if err := r.s.DropHint(ctx, h, got.at); err != nil {
			return got, err
		}
	}
	return got, nil
}

// Refill claims due rows in a partition for a worker that has just finished there. It gives up if another process is
// doing the same.
func (r *Jobs) Refill(ctx context.Context, partition string) (jobs int, err error) {
	got, err := r.claimDue(ctx, partition, func() (bool, error) { return false, nil })
	if fault.Is(err, fault.Conflict) {
		return 0, nil
	}
	return got.jobs, err
}

// claimed is the result of claimDue.
type claimed struct {
	at          time.Time // time of the scan: later due rows were not seen
	items, jobs int
	next        time.Time // when the partition next needs attention; zero if it has no due rows
	late        time.Duration
}

// claimDue claims as many due rows of a partition as its hosts can work on, and sends jobs for them. See
// [Jobs.scanDue] for the argument received.
func (r *Jobs) claimDue(ctx context.Context, partition string, received func() (bool, error)) (claimed, error) {
	now := r.s.Now()
	scan, err := r.scanDue(ctx, partition, now, received)
	if err != nil {
		return claimed{}, err
	}
	got := claimed{at: now, next: scan.next, late: scan.late}
	var left Overdue
	for _, host := range scan.hosts {
		c, err := r.claimHost(ctx, partition, host, scan.rows[host], now)
		if err != nil {
			return got, err
		}
		got.items += c.n
		got.jobs += (c.n + policy.JobItems - 1) / policy.JobItems
		rest := len(scan.rows[host]) - c.n
		if rest > 0 {
			got.next = policy.Earlier(got.next, policy.Later(now, parkedUntil(now, c.blocked)))
			left.Oldest = now.Add(-scan.late)
		} else {
			got.next = policy.Earlier(got.next, now.Add(ClaimHint))
		}
		if rest > 0 && scan.cut {
			rest = max(rest, c.host.Counts[Pending]-c.n)
		}
		left.Items += rest
		left.Unreached += one(c.host.Policy.Unreached.Tries > 0)
	}
	r.s.overdue.note(partition, left, scan.claimed || got.items > 0)
	return got, nil
}

// dueScan is the result of a range read of due rows.
type dueScan struct {
	hosts []string // the hosts, in the order of their first due row
	rows  map[string][]storage.Entity
	next  time.Time     // when the due rows that are not among rows first need attention
	late  time.Duration // how long the earliest due row has been due
	// cut reports that more rows may be due than were read, and claimed that jobs have some of those that were read.
	cut, claimed bool
}

const (
	// scanHost limits the number of rows that are kept for each host. More rows of a host are never claimed at once.
	scanHost = 2*policy.JobItems + 1
	// scanRows limits the number of rows that one scan reads. Further rows wait for the next scan.
	scanRows = 2000
)

// scanDue reads due rows in order of time. It stops at the first row that is not due yet, or when it has as many rows
// as one claim can use.
//
// A worker that dies between receiving a job and beginning it leaves the claims of that job, and the queue hides the
// message for as long. So if no job waits in a queue, a claim whose job has not begun within [ClaimHint] counts
// as ended. If the worker is only slow, one of the two jobs finds the items locked. The function received reports
// whether no job waits; it is called only for such claims.
func (r *Jobs) scanDue(ctx context.Context, partition string, now time.Time,
	received func() (bool, error)) (dueScan, error) {
	s := dueScan{rows: map[string][]storage.Entity{}}
	q := storage.Query{Partition: partition, RowFrom: duePrefix, RowTo: "due" + afterBar, PageSize: 2 * scanHost}
	n := 0
	for e, err := range r.s.Items.Query(ctx, q) {
		if err != nil {
			return dueScan{}, err
		}
		at, _, ok := parseDueRow(e.Row)
		if !ok {
			continue
		}
		if at.After(now) {
			s.next = policy.Earlier(s.next, at)
			break
		}
		if n++; n > scanRows {
			s.next, s.cut = now, true
			break
		}
		again, err := claimedUntil(e, now, received)
		if err != nil {
			return dueScan{}, err
		}
		if !again.IsZero() {
			s.next, s.claimed = policy.Earlier(s.next, again), true
			continue
		}
		s.late = max(s.late, now.Sub(at))
		if s.add(e); r.s.Options.Strategy != source.ByScheme && len(s.rows[s.hosts[0]]) >= scanHost {
			s.next, s.cut = now, true
			break
		}
	}
	return s, nil
}

// claimedUntil returns when a due row that a job has must be scanned again. It returns zero if no job has the row.
func claimedUntil(due storage.Entity, now time.Time, received func() (bool, error)) (time.Time, error) {
	until := enqueuedUntil(due)
	if !until.After(now) {
		return time.Time{}, nil
	}
	if since, unbegun := unbegunSince(due, now); unbegun {
		doubtful := since.Add(ClaimHint)
		if doubtful.After(now) {
			return doubtful, nil
		}
		if all, err := received(); all || err != nil {
			return time.Time{}, err
		}
	}
	// A job for the row may begin now. Its claim then ends together with the lock, so the row must be scanned again by
	// that time.
	return policy.Earlier(until, now.Add(ClaimHint)), nil
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

// hostClaim is the result of claimHost.
type hostClaim struct {
	n       int       // the number of rows for which the host had room
	blocked time.Time // when the host becomes available, if it is not
	host    hostRecord
}

// claimHost claims due rows of one host and sends jobs for them.
func (r *Jobs) claimHost(ctx context.Context, partition, host string, rows []storage.Entity,
	now time.Time) (c hostClaim, err error) {
	unlock, err := r.s.LockHost(ctx, hostID{Partition: partition, Host: host})
	if err != nil {
		return c, err
	}
	defer unlock()
	if c.host, err = r.s.LoadHost(ctx, partition, host); err != nil {
		return c, err
	}
	h, p := &c.host, r.s.Options.Politeness(host)
	byPriority(rows)
	n := h.Policy.Room(now, len(rows), p)
	if n == 0 {
		c.blocked, _ = h.Policy.Blocked(now, p)
		return c, nil
	}
	until := now.Add(JobTTL)
	h.Policy.Pace.Claim(now, n, p)
	h.Unclaimed = n < len(rows)
	ops := []storage.Op{h.Op()}
	items := make([]JobItem, n)
	for i, e := range rows[:n] {
		_, hash, _ := parseDueRow(e.Row)
		id, _ := e.Props["id"].(string)
		items[i] = JobItem{ID: source.ID(id), RowKey: hash}
		ops = append(ops, claimDue(e.Key, e.ETag, until))
	}
	// The claimed rows need attention later than before, so the existing hint is sufficient.
	if _, err := r.s.Items.Transact(ctx, ops...); err != nil {
		return c, asConflict(err)
	}
	c.n = n
	r.s.Send(ctx, partition, host, ReasonDue, items)
	return c, nil
}

// priorityStep is the waiting time that counts as much as one step of priority.
const priorityStep = time.Hour

// byPriority sorts due rows of one host. The row that has waited longest comes first, and each step of priority
// counts as an hour of waiting. So no row waits for ever, and other hosts are not affected.
func byPriority(rows []storage.Entity) {
	since := func(e storage.Entity) time.Time {
		at, _, _ := parseDueRow(e.Row)
		level := int64(options.UsualPriority)
		if n, ok := e.Props["priority"].(int64); ok {
			level = n
		} else if n, ok := e.Props["priority"].(int32); ok {
			level = int64(n)
		}
		return at.Add(-time.Duration(level) * priorityStep)
	}
	slices.SortStableFunc(rows, func(a, b storage.Entity) int { return since(a).Compare(since(b)) })
}

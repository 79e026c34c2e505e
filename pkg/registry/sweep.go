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
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/registry/store"
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
	// Unfinished says that time was over before all hints were followed. The next sweep begins with the
	// oldest of the others.
	Unfinished bool
}

// hintWindow is how many hints a sweep holds at a time, beside one page of each shard.
const hintWindow = 1000

// Sweep sends jobs for what is due (spec 003 §9), partitions that have waited longest
// first. Its cost follows what is due, not what is registered. Several sweeps may run at once; one
// that dies leaves its hints to the next, and one whose context is about to end returns before that.
// A partition that cannot be swept is reported in the error and does not hold up the others.
func (r *Jobs) Sweep(ctx context.Context) (SweepReport, error) {
	s := &sweep{r: r, ends: r.sweepEnd(ctx)}
	window := make([]store.DueHint, 0, hintWindow)
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
	ends time.Time // when no other partition is begun; zero: never

	mu     sync.Mutex // guards what follows
	report SweepReport
	errs   []error
}

// sweepEnd leaves time for the partitions that are in work, and for the caller. It is zero where ctx
// has no deadline.
func (r *Jobs) sweepEnd(ctx context.Context) time.Time {
	deadline, ok := ctx.Deadline()
	if !ok {
		return time.Time{}
	}
	return deadline.Add(-min(item.RequestTime, deadline.Sub(r.s.Options.Clock())/8))
}

// follow sweeps the partitions of a window of hints side by side.
func (s *sweep) follow(ctx context.Context, window []store.DueHint) {
	s.report.Hints += len(window)
	groups := groupBy(window, func(h store.DueHint) string { return h.Partition })
	_ = s.r.s.Parallel(ctx, len(groups), func(ctx context.Context, i int) error {
		if s.begin(ctx) {
			got, err := s.r.sweepPartition(ctx, groups[i])
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

// sweepPartition claims what is due in a partition, and replaces its hints by the next one.
func (r *Jobs) sweepPartition(ctx context.Context, hints []store.DueHint) (got claimed, err error) {
	partition := hints[0].Partition
	err = r.s.Retry(ctx, func(ctx context.Context) (err error) {
		got, err = r.claimDue(ctx, partition)
		return err
	})
	if err != nil {
		return got, err
	}
	// The next hint comes before this one goes: in between, both stand.
	if !got.next.IsZero() {
		if err := r.s.Hint(ctx, partition, got.next); err != nil {
			return got, err
		}
	}
	for _, h := range hints {
		// One that is also the next was just written again, so it is not what was read.
		if err := r.s.DropHint(ctx, h, got.at); err != nil {
			return got, err
		}
	}
	return got, nil
}

// Refill claims what is due in a partition for a worker that has just finished there. It gives
// up when somebody else does the same.
func (r *Jobs) Refill(ctx context.Context, partition string) (jobs int, err error) {
	got, err := r.claimDue(ctx, partition)
	if fault.Is(err, fault.Conflict) {
		return 0, nil
	}
	return got.jobs, err
}

// claimed is what claimDue did.
type claimed struct {
	at          time.Time // no due row that came later was seen
	items, jobs int
	next        time.Time // when the partition needs attention again; zero: no due rows at all
	late        time.Duration
}

// claimDue claims due rows of a partition, as many as its hosts can work on, and sends their
// jobs.
func (r *Jobs) claimDue(ctx context.Context, partition string) (claimed, error) {
	now := r.s.Now()
	scan, err := r.scanDue(ctx, partition, now)
	if err != nil {
		return claimed{}, err
	}
	got := claimed{at: now, next: scan.next, late: scan.late}
	for _, host := range scan.hosts {
		n, blocked, err := r.claimHost(ctx, partition, host, scan.rows[host], now)
		if err != nil {
			return got, err
		}
		got.items += n
		got.jobs += (n + JobItems - 1) / JobItems
		if n < len(scan.rows[host]) {
			got.next = policy.Earlier(got.next, policy.Later(now, item.ParkedUntil(now, blocked)))
		} else {
			got.next = policy.Earlier(got.next, now.Add(item.JobTTL))
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
func (r *Jobs) scanDue(ctx context.Context, partition string, now time.Time) (dueScan, error) {
	s := dueScan{rows: map[string][]storage.Entity{}}
	q := storage.Query{Partition: partition, RowFrom: item.DuePrefix, RowTo: "due" + item.AfterBar, PageSize: 2 * scanHost}
	n := 0
	for e, err := range r.s.Items.Query(ctx, q) {
		if err != nil {
			return dueScan{}, err
		}
		at, _, ok := item.ParseDueRow(e.Row)
		if !ok {
			continue
		}
		if at.After(now) {
			s.next = policy.Earlier(s.next, at)
			break
		}
		if n++; n > scanRows {
			s.next = now
			break
		}
		if until := item.EnqueuedUntil(e); until.After(now) {
			s.next = policy.Earlier(s.next, until)
			continue
		}
		s.late = max(s.late, now.Sub(at))
		if s.add(e); r.s.Options.Strategy != source.ByScheme && len(s.rows[s.hosts[0]]) >= scanHost {
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

// claimHost marks due rows of one host as enqueued and sends their jobs. It returns how many the
// host had room for, and until when nobody may ask it, if that is why it had none.
func (r *Jobs) claimHost(ctx context.Context, partition, host string, rows []storage.Entity,
	now time.Time) (n int, blocked time.Time, err error) {
	unlock, err := r.s.LockHost(ctx, store.HostID{Partition: partition, Host: host})
	if err != nil {
		return 0, blocked, err
	}
	defer unlock()
	h, err := r.s.LoadHost(ctx, partition, host)
	if err != nil {
		return 0, blocked, err
	}
	p := r.s.Options.Politeness(host)
	byPriority(rows)
	if n = h.Policy.Room(now, len(rows), p); n == 0 {
		blocked, _ = h.Policy.Blocked(now, p)
		return 0, blocked, nil
	}
	until := now.Add(item.JobTTL)
	h.Policy.Pace.Claim(now, n, p)
	h.Unclaimed = n < len(rows)
	ops := []storage.Op{h.Op()}
	items := make([]JobItem, n)
	for i, e := range rows[:n] {
		_, hash, _ := item.ParseDueRow(e.Row)
		id, _ := e.Props["id"].(string)
		items[i] = JobItem{ID: source.ID(id), RowKey: hash}
		ops = append(ops, item.ClaimDue(e.Key, e.ETag, until))
	}
	// The rows need attention later than before, so the hint that led here, or will lead here, does for them.
	if _, err := r.s.Items.Transact(ctx, ops...); err != nil {
		return 0, blocked, store.AsConflict(err)
	}
	r.s.Send(ctx, partition, host, ReasonDue, items)
	return n, blocked, nil
}

// priorityStep is the wait that one step of priority is worth.
const priorityStep = time.Hour

// byPriority sorts due rows of one host: those that have waited longest come first, where each step of priority counts
// as an hour of waiting. So nothing waits for ever, and other hosts do not notice.
func byPriority(rows []storage.Entity) {
	since := func(e storage.Entity) time.Time {
		at, _, _ := item.ParseDueRow(e.Row)
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

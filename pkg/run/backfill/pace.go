package backfill

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// paceNote is the note of a source that has links to register, but has to wait because of the limits of E13.
const paceNote = "waits: BACKFILL_JOBS_PER_MINUTE and BACKFILL_ITEMS_PER_MINUTE allow no more now"

// patience is how long a step waits, within its call, until its job may begin. A longer wait goes through the queue,
// where a message waits for at least a second.
const patience = time.Second

// pace is the row that limits the registrations of all runs together (E13, ARC-3).
type pace struct {
	Next time.Time `col:"next"` // when the next job may begin
}

var paces = row.Of[pace]()

// rate returns the number of jobs that may begin in a minute, evenly spread, and the number of items that each may
// have. Their product never exceeds the limit on items.
func (o *Options) rate() (jobs, items int) {
	jobs = min(o.JobsPerMinute, (o.PerMinute+sliceLinks-1)/sliceLinks)
	return jobs, min(sliceLinks, o.PerMinute/jobs)
}

// permit takes the permit for one job from the row that all runs share, and waits until the job may begin. The caller
// must not have written anything yet. If the job may not begin soon, permit takes no permit. It reports whether the
// job may begin, and returns the time until the next job may begin.
func (s *Service) permit(ctx context.Context) (begun bool, wait time.Duration, err error) {
	jobs, _ := s.o.rate()
	for range 20 {
		p, etag, err := paces.Load(ctx, s.runs.Table, key(paceRow))
		if err != nil {
			return false, 0, err
		}
		now := s.runs.Now()
		wait := max(0, p.Next.Sub(now))
		if wait > patience {
			return false, wait, nil
		}
		p.Next = now.Add(wait + time.Minute/time.Duration(jobs))
		_, err = s.runs.Table.Transact(ctx, paces.Put(key(paceRow), etag, &p))
		if err == nil {
			return true, p.Next.Sub(now.Add(wait)), s.o.Sleep(ctx, wait)
		}
		if !fault.Is(err, fault.Conflict) {
			return false, 0, err
		}
	}
	return false, 0, fault.After(2*time.Second, "other backfills register at the same time")
}

package backfill

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// paceNote is the note of a source that could register links now but has to wait for the limits of E13.
const paceNote = "waits: BACKFILL_JOBS_PER_MINUTE and BACKFILL_ITEMS_PER_MINUTE allow no more now"

// patience is how long a step waits, within its call, until its job may begin. A wait through the queue takes at
// least a second.
const patience = time.Second

// pace is the row that limits what all runs together register (E13, ARC-3).
type pace struct {
	Next time.Time `col:"next"` // when another job may begin
}

var paces = row.Of[pace]()

// rate returns how many jobs may begin in a minute, evenly spread, and how many items each may have. Their product
// never exceeds the limit on items.
func (o *Options) rate() (jobs, items int) {
	jobs = min(o.JobsPerMinute, (o.PerMinute+sliceLinks-1)/sliceLinks)
	return jobs, min(sliceLinks, o.PerMinute/jobs)
}

// permit takes the permit for one job from the row that all runs share, and waits until the job may begin. The caller
// has written nothing yet. If the job may not begin soon, permit takes no permit, and the result begun is false. The
// result wait is the time until the next job may begin.
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

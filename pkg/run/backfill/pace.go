package backfill

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// paceNote says what a source waits for that could register at once.
const paceNote = "waits: BACKFILL_JOBS_PER_MINUTE and BACKFILL_ITEMS_PER_MINUTE allow no more now"

// patience is how long a step waits in place for its job to begin. The queue would let it wait for a second at least.
const patience = time.Second

// pace is the row of what all runs together may register (E13, ARC-3).
type pace struct {
	Next time.Time `col:"next"` // when another job may begin
}

var paces = row.Of[pace]()

// rate is how many jobs begin in a minute, evenly spread, and how many items each has at most, so that in no minute
// there are more of either than may.
func (o *Options) rate() (jobs, items int) {
	jobs = min(o.JobsPerMinute, (o.PerMinute+sliceLinks-1)/sliceLinks)
	return jobs, min(sliceLinks, o.PerMinute/jobs)
}

// permit takes one job from what all runs together may begin, before anything of it is written, and returns when it
// may begin. If that is not soon, begun is false. wait is until the next job may begin.
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

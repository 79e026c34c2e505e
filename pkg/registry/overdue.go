package registry

import (
	"sync"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// Overdue describes the items that are due and that no job has, as far as the sweeps and workers of this process have
// seen them. To know it costs no request of its own.
type Overdue struct {
	// Items is their number. It is a lower bound: of a host with more than one scan reads, the items count that were
	// never fetched, or else those that the scan has read.
	Items     int
	Oldest    time.Time // since when the first of them has been due; zero if there are none
	Unreached int       // the number of their hosts that cannot be reached
}

// overdue keeps what was seen of each partition that has such items.
type overdue struct {
	mu sync.Mutex
	of map[string]Overdue
}

// note keeps the result of a scan for due rows. While jobs have all of them, it is not known whether their hosts can
// be reached now, so what was known of that stays.
func (o *overdue) note(partition string, now Overdue, claimed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if claimed && now.Items == 0 {
		now.Unreached = o.of[partition].Unreached
	}
	if now == (Overdue{}) {
		delete(o.of, partition)
		return
	}
	if o.of == nil {
		o.of = map[string]Overdue{}
	}
	o.of[partition] = now
}

// Overdue returns what is due and not claimed.
func (r *Jobs) Overdue() (out Overdue) {
	o := &r.s.overdue
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range o.of {
		out.Items += one.Items
		out.Unreached += one.Unreached
		if !one.Oldest.IsZero() {
			out.Oldest = policy.Earlier(out.Oldest, one.Oldest)
		}
	}
	return out
}

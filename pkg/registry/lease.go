package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage"
)

// HostLease is the right to send requests to a host, one at a time, without having an item of that host. Like the
// lease of a batch, it is stored in the host row. So the batches and host leases of all instances share one pace. If
// a worker dies, its lease ends at Until.
//
// For a host without items, Acquire also creates the host row and lists the row's partition, as a registration would,
// because a pause that the host asks for must outlive the lease. A later registration uses that row as it is.
// [Hosts.Stats] omits hosts without items.
type HostLease struct {
	Partition, Host string
	// Starts has two elements: the earliest start of the first request, and the time from which further requests may
	// start.
	Starts []time.Time
	// Until is the time at which the lease expires. No request may be in flight after it.
	Until time.Time
	// CrawlDelay is the last Crawl-delay of the host's robots.txt.
	CrawlDelay time.Duration

	owner string
}

// Acquire acquires a lease of a host. The first request must begin within the duration patience, and Acquire waits up
// to that duration for the lease. It costs a read and a write, and another read and write for each try while the host
// is busy. Errors: Throttled when the host is not available within that time. The error states when the host may be
// available. If the caller tries again at that time, it takes precedence over batches.
func (r *Hosts) Acquire(ctx context.Context, partition, host string, patience time.Duration) (*HostLease, error) {
	owner, limit := r.s.Options.Token(), r.s.Now().Add(patience)
	for {
		lease, again, err := r.tryAcquire(ctx, hostID{Partition: partition, Host: host}, owner, limit)
		if lease != nil || err != nil {
			return lease, err
		}
		wait := again.Sub(r.s.Now())
		if again.After(limit) {
			return nil, fault.After(wait, "%s is not to be asked before %s", host, storage.FormatTime(again))
		}
		if err := r.s.Options.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// tryAcquire acquires the lease, or returns the time at which to try again.
func (r *Hosts) tryAcquire(ctx context.Context, id hostID, owner string,
	limit time.Time) (lease *HostLease, again time.Time, err error) {
	var taken policy.Budget
	err = r.s.ChangeHost(ctx, id, func(ctx context.Context, h *hostRecord) (*hostChange, error) {
		lease = nil
		p := r.s.Options.Politeness(id.Host)
		changed, err := r.s.Share(ctx, h, 1, p, &taken)
		if err != nil {
			return nil, err
		}
		now, waiter := r.s.Now(), h.Policy.Waiting.ItemlessUntil
		g, at, ok := h.Policy.ReserveItemless(now, limit, owner, p, r.s.Options.Jitter)
		if again = at; ok {
			lease = &HostLease{
				Partition: id.Partition, Host: id.Host, Starts: append(g.Starts, g.Next),
				Until:      policy.Stamp(now.Add(LockTime)),
				CrawlDelay: h.Policy.Pace.CrawlDelay, owner: owner,
			}
		} else if h.Policy.Waiting.ItemlessUntil.Sub(waiter) < policy.WaiterGrace/2 && !changed {
			return nil, nil // the host row already has a waiter
		}
		return &hostChange{}, nil
	})
	if err != nil {
		lease = nil
	}
	return lease, again, err
}

// Release releases the lease and records what the caller found out about the host. It may be retried after an error.
// If a batch had to wait for the lease, Release sends the job of that batch.
func (r *Hosts) Release(ctx context.Context, l *HostLease, found HostFinding) error {
	waits := false
	id := hostID{Partition: l.Partition, Host: l.Host}
	err := r.s.ChangeHost(ctx, id, func(_ context.Context, h *hostRecord) (*hostChange, error) {
		now := r.s.Now()
		learn(&h.hostState, now, l.owner, found)
		waits = h.Policy.ReleaseItemless(now, l.owner, found.NextStart)
		return &hostChange{}, nil
	})
	if err == nil && waits {
		_, err = r.jobs.Refill(ctx, l.Partition)
	}
	return err
}

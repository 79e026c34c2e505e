package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry/item"
	"github.com/tidemark/tidemark/pkg/registry/store"
	"github.com/tidemark/tidemark/pkg/storage"
)

// HostLease is the right to ask a host without an item of it: one request at a time. It is in the host's
// row like a batch's, so batches and host leases of all instances keep one pace. That of a worker that
// died ends at Until.
//
// The row of a host that nobody has registered is made, and its partition listed, as if a
// registration had come first: what a host asked of us has to outlive the lease, and a registration
// that follows takes the row over as it is. [Hosts.Stats] leaves out hosts without items.
type HostLease struct {
	Partition, Host string
	// Starts are when the first request may start, and from when on others may.
	Starts []time.Time
	// Until is when the lease runs out: no request may be in flight after it.
	Until time.Time
	// CrawlDelay is what robots.txt last asked for.
	CrawlDelay time.Duration

	owner string
}

// Acquire takes a lease of a host for requests that begin within patience, and waits for it as long.
// Throttled when the host is not available by then, with the time after which it may be; batches let who
// comes back then go first. It costs a read and a write, and as much again for each try at a
// host that is taken.
func (r *Hosts) Acquire(ctx context.Context, partition, host string, patience time.Duration) (*HostLease, error) {
	owner, limit := r.s.Options.Token(), r.s.Now().Add(patience)
	for {
		lease, again, err := r.tryAcquire(ctx, store.HostID{Partition: partition, Host: host}, owner, limit)
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

// tryAcquire takes the lease, or says when to try again.
func (r *Hosts) tryAcquire(ctx context.Context, id store.HostID, owner string,
	limit time.Time) (lease *HostLease, again time.Time, err error) {
	var taken Budget
	err = r.s.ChangeHost(ctx, id, func(ctx context.Context, h *store.Host) (*store.Change, error) {
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
				Until:      policy.Stamp(now.Add(item.LockTime)),
				CrawlDelay: h.Policy.Pace.CrawlDelay, owner: owner,
			}
		} else if h.Policy.Waiting.ItemlessUntil.Sub(waiter) < policy.WaiterGrace/2 && !changed {
			return nil, nil // the waiter that is noted will do
		}
		return &store.Change{}, nil
	})
	if err != nil {
		lease = nil
	}
	return lease, again, err
}

// Release gives the lease back, with what was learned of the host. It may be called again after an
// error. A batch that had to wait gets its job.
func (r *Hosts) Release(ctx context.Context, l *HostLease, found HostFinding) error {
	waits := false
	id := store.HostID{Partition: l.Partition, Host: l.Host}
	err := r.s.ChangeHost(ctx, id, func(_ context.Context, h *store.Host) (*store.Change, error) {
		now := r.s.Now()
		learn(&h.HostState, now, l.owner, found)
		waits = h.Policy.ReleaseItemless(now, l.owner, found.NextStart)
		return &store.Change{}, nil
	})
	if err == nil && waits {
		_, err = r.jobs.Refill(ctx, l.Partition)
	}
	return err
}

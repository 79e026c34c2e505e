package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Pass is the right to ask a host without an item of it: one request at a time. It is held in the
// host's row like a batch's, so batches and passes of all instances keep one pace. Who holds one and
// dies has it until Until.
//
// The row of a host that nobody has registered is made, and its partition listed, as if a
// registration had come first: what a host asked of us has to outlive the visit, and a registration
// that follows takes the row over as it is. [Registry.Stats] leaves out hosts without items.
type Pass struct {
	Partition, Host string
	// Starts are when the first request may start, and from when on others may.
	Starts []time.Time
	// Until is when the pass runs out: no request may be in flight after it.
	Until time.Time
	// CrawlDelay is what robots.txt last asked for.
	CrawlDelay time.Duration

	owner string
}

// Enter takes the gate of a host for requests that begin within patience, and waits for it as long.
// Throttled when the host is not to be had by then, with the time after which it may be; batches let
// who comes back then go first. It costs a read and a write, and as much again for each look at a
// host that is taken.
func (r *Registry) Enter(ctx context.Context, partition, host string, patience time.Duration) (*Pass, error) {
	owner, limit := r.o.Token(), r.now().Add(patience)
	for {
		pass, again, err := r.tryEnter(ctx, hostID{partition, host}, owner, limit)
		if pass != nil || err != nil {
			return pass, err
		}
		wait := again.Sub(r.now())
		if again.After(limit) {
			return nil, fault.After(wait, "%s is not to be asked before %s", host, storage.FormatTime(again))
		}
		if err := r.o.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// tryEnter takes the gate, or says when to look again.
func (r *Registry) tryEnter(ctx context.Context, id hostID, owner string, limit time.Time) (pass *Pass, again time.Time, err error) {
	var taken Budget
	err = r.onHost(ctx, id.partition, id.host, func(ctx context.Context) error {
		pass = nil
		h, err := r.loadHost(ctx, id.partition, id.host)
		if err != nil {
			return err
		}
		p := r.o.Politeness(id.host)
		changed, err := r.share(ctx, &h, 1, p, &taken)
		if err != nil {
			return err
		}
		now, wished := r.now(), h.PassWaits
		g, at, ok := h.reservePass(now, limit, owner, p, r.o.Jitter)
		if again = at; ok {
			pass = &Pass{
				Partition: id.partition, Host: id.host, Starts: append(g.starts, h.NextSlotAt), Until: stamp(now.Add(lockTime)),
				CrawlDelay: time.Duration(h.CrawlDelayMS) * time.Millisecond, owner: owner,
			}
		} else if h.PassWaits.Sub(wished) < turnGrace/2 && !changed {
			return nil // the wish that is there will do
		}
		if err := r.pointPartition(ctx, h); err != nil {
			return err
		}
		_, err = r.items.Transact(ctx, h.op())
		return asConflict(err)
	})
	if err != nil {
		return nil, again, err
	}
	return pass, again, nil
}

// Leave gives the gate back, with what was learned of the host. It may be called again after an
// error. A batch that had to wait gets its job.
func (r *Registry) Leave(ctx context.Context, p *Pass, found HostFinding) error {
	waits := false
	err := r.onHost(ctx, p.Partition, p.Host, func(ctx context.Context) error {
		h, err := r.loadHost(ctx, p.Partition, p.Host)
		if err != nil {
			return err
		}
		now := r.now()
		h.charge(now, p.owner, found.Asked)
		waits = h.leavePass(now, p.owner, found.NextStart)
		h.CrawlDelayMS = found.CrawlDelay.Milliseconds()
		if found.PauseUntil.After(now) {
			h.pause(now, found.PauseUntil, found.PauseWhy)
		}
		_, err = r.items.Transact(ctx, h.op())
		return asConflict(err)
	})
	if err == nil && waits {
		_, err = r.Refill(ctx, p.Partition)
	}
	return err
}

package politeness

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry"
)

// session sends requests outside a batch: to one host at a time, under a lease for that host. It serves one chain of
// redirects and is not safe for concurrent use.
type session struct {
	hosts *Hosts
	lease *registry.HostLease // nil while the session holds no lease
	pace  *pacer
	found registry.HostFinding
	// ask is called before a request for robots.txt; if it is nil, the method wait is called instead. The asker of a
	// batch sets it, because requests to the batch's own host need no session.
	ask func(context.Context, Origin) error
	// ours is a failure of this program during a request. The error of the request itself would wrongly name the site
	// as the cause.
	ours error
}

const (
	// patience is how long a session waits for a busy host.
	patience = 20 * time.Second
	// releaseMargin is the time at the end of a lease that is reserved for its release.
	releaseMargin = 5 * time.Second
)

// admit lets a request through when robots.txt allows it and the host can accept it now. Errors: errDisallowed;
// Throttled with the length of the pause, which wraps an UnreachedError of package host if robots.txt cannot be
// fetched; Blocked and Invalid for an address that must never be requested. All other errors are failures of this
// program.
func (h *session) admit(ctx context.Context, target string) error {
	o, err := OriginOf(target)
	if err != nil {
		return fault.New(fault.Invalid, "%q: %w", target, err)
	}
	ask := h.ask
	if ask == nil {
		ask = h.wait
	}
	r, err := h.hosts.rulingFor(ctx, o, ask, false)
	switch {
	case err != nil:
		return h.own(err)
	case r.unknown():
		return r.refused(h.hosts.clock())
	case !r.allows(h.hosts.agent, target):
		return errDisallowed
	}
	if err := h.acquire(ctx, o); err != nil {
		return h.own(err)
	}
	delay, _ := r.rules.CrawlDelay(h.hosts.agent)
	h.found.CrawlDelay = delay
	h.pace.slow(delay)
	return h.own(h.wait(ctx, o))
}

// own remembers an error that the site did not cause: the registry failed, or the worker's time is over.
func (h *session) own(err error) error {
	switch fault.KindOf(err) {
	case "", fault.Blocked, fault.Invalid, fault.Throttled: // caused by the address guard, or by the pause of a host
	default:
		h.ours = err
	}
	return err
}

// wait acquires a lease for an origin's host and sleeps until the next request to the host may start. It does not
// read robots.txt. It returns Throttled when the start is too far away.
func (h *session) wait(ctx context.Context, o Origin) error {
	if err := h.acquire(ctx, o); err != nil {
		return err
	}
	now := h.hosts.clock()
	if at := h.pace.next(now); at.Sub(now) > patience {
		return fault.After(at.Sub(now), "%s may not be asked more often", o.Host)
	}
	if err := h.pace.wait(ctx, h.hosts.clock, h.hosts.sleep); err != nil {
		return err
	}
	if h.lease.Until.Sub(h.hosts.clock()) < lastStart+releaseMargin {
		return errLeaseOver
	}
	return nil
}

// errLeaseOver ends a chain of redirects that was delayed so long that other workers may soon send requests to the
// host.
var errLeaseOver = fault.After(time.Second, "the lease ran out before the request")

// acquire acquires a lease for an origin's host that lasts long enough for a wait and a request. It does nothing if
// the session already holds such a lease.
func (h *session) acquire(ctx context.Context, o Origin) error {
	const needed = patience + lastStart + releaseMargin
	if h.lease != nil && h.lease.Host == o.Host && h.lease.Until.Sub(h.hosts.clock()) > needed {
		return nil
	}
	if err := h.release(ctx); err != nil {
		return err
	}
	lease, err := h.hosts.rows.Acquire(ctx, h.hosts.partition(o), o.Host, patience)
	if err != nil {
		return err
	}
	h.lease, h.pace = lease, newPacer(lease.Starts)
	h.found = registry.HostFinding{CrawlDelay: lease.CrawlDelay}
	return nil
}

// release releases the lease, if there is one, even when ctx is done: until a lease is released or runs out, no other
// worker may send requests to the host.
func (h *session) release(ctx context.Context) error {
	if h.lease == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseMargin)
	defer cancel()
	lease := h.lease
	h.lease, h.found.NextStart, h.found.Asked.Requests = nil, h.pace.free(), h.pace.made()
	return h.hosts.rows.Release(ctx, lease, h.found)
}

package politeness

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry"
)

// session asks hosts without a batch: one host at a time, under a lease of that host.
// It serves one chain of requests and is not for concurrent use.
type session struct {
	hosts *Hosts
	lease *registry.HostLease // nil: it holds none
	pace  *pacer
	found registry.HostFinding
	// ask waits before robots.txt is asked for; nil is wait. A batch needs no session at its own host.
	ask func(context.Context, Origin) error
	// ours is a failure of this program inside a request. The request's error would blame the site.
	ours error
}

const (
	// patience is how long a session waits for a host that is busy.
	patience = 20 * time.Second
	// releaseMargin is kept free at the end of a lease for giving it back.
	releaseMargin = 5 * time.Second
)

// admit lets a request through when robots.txt allows it and the host can bear it now. Errors:
// errDisallowed, Throttled with the pause, Blocked and Invalid for what may not be asked at all;
// others are our own.
func (h *session) admit(ctx context.Context, target string) error {
	o, err := OriginOf(target)
	if err != nil {
		return fault.New(fault.Invalid, "%q: %w", target, err)
	}
	ask := h.ask
	if ask == nil {
		ask = h.wait
	}
	r, err := h.hosts.rulingFor(ctx, o, ask)
	switch {
	case err != nil:
		return h.own(err)
	case r.unknown():
		return fault.After(r.expires.Sub(h.hosts.clock()), "robots.txt of %s cannot be fetched: %s", o.Host, r.reason)
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

// own notes an error that is not the site's: the registry failed, or the time is over.
func (h *session) own(err error) error {
	switch fault.KindOf(err) {
	case "", fault.Blocked, fault.Invalid, fault.Throttled: // the address guard; a host's pause
	default:
		h.ours = err
	}
	return err
}

// wait takes a lease of an origin's host and sleeps until the next request to it may start, whatever
// robots.txt says. Throttled when that is not soon.
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

// errLeaseOver ends a chain of requests that was delayed for so long that others may soon ask the host.
var errLeaseOver = fault.After(time.Second, "the lease ran out before the request")

// acquire takes a lease of an origin's host that lasts for a wait and a request, unless it holds one.
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
	h.lease, h.pace = lease, &pacer{reserved: lease.Starts}
	h.found = registry.HostFinding{CrawlDelay: lease.CrawlDelay}
	return nil
}

// release gives back the lease, if there is one, even when ctx is done: until it runs out no other worker may ask
// the host.
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

package crawl

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/registry"
)

// guest asks hosts of which no batch is held: one host at a time, under the pass it has there. It
// stands for one chain of requests and is not for concurrent use.
type guest struct {
	*Worker
	pass  *registry.Pass // nil: it holds none
	pace  *pacer
	found registry.HostFinding
	// ask waits before robots.txt is asked for; nil is wait. Who holds a batch is no guest at its host.
	ask func(context.Context, origin) error
	// ours is a failure of our own inside a request, whose error otherwise speaks of the site.
	ours error
}

const (
	// patience is how long a guest waits for a host that is busy.
	patience = 20 * time.Second
	// leaveMargin is kept free at the end of a pass for giving it back.
	leaveMargin = 5 * time.Second
)

// admit lets a request through when robots.txt allows it and the host can bear it now. Errors:
// errDisallowed, Throttled with the pause, Blocked and Invalid for what may not be asked at all;
// others are our own.
func (g *guest) admit(ctx context.Context, target string) error {
	o, err := originOf(target)
	if err != nil {
		return fault.New(fault.Invalid, "%q: %w", target, err)
	}
	ask := g.ask
	if ask == nil {
		ask = g.wait
	}
	r, err := g.rulingFor(ctx, o, ask)
	switch {
	case err != nil:
		return g.own(err)
	case r.unknown():
		return fault.After(r.expires.Sub(g.o.Clock()), "robots.txt of %s cannot be had: %s", o.host, r.reason)
	case !r.allows(g.o.Agent, target):
		return errDisallowed
	}
	if err := g.enter(ctx, o); err != nil {
		return g.own(err)
	}
	delay, _ := r.rules.CrawlDelay(g.o.Agent)
	g.found.CrawlDelay = delay
	g.pace.slow(delay)
	return g.own(g.wait(ctx, o))
}

// own takes note of an error that is not the site's: of the registry, or of our time.
func (g *guest) own(err error) error {
	switch fault.KindOf(err) {
	case "", fault.Blocked, fault.Invalid, fault.Throttled: // the address guard; a host's pause
	default:
		g.ours = err
	}
	return err
}

// wait has the guest at an origin's host and sleeps until the next request to it may start, whatever
// robots.txt says. Throttled when that is not soon.
func (g *guest) wait(ctx context.Context, o origin) error {
	if err := g.enter(ctx, o); err != nil {
		return err
	}
	now := g.o.Clock()
	if at := g.pace.next(now); at.Sub(now) > patience {
		return fault.After(at.Sub(now), "%s is not to be asked more often", o.host)
	}
	if err := g.pace.wait(ctx, g.o.Clock, g.o.Sleep); err != nil {
		return err
	}
	if g.pass.Until.Sub(g.o.Clock()) < lastStart+leaveMargin {
		return errPassOver
	}
	return nil
}

// errPassOver ends a chain of requests that was held up for so long that others may soon be at the
// host.
var errPassOver = fault.After(time.Second, "the pass ran out before the request")

// enter has the guest hold a pass of an origin's host that lasts for a wait and a request.
func (g *guest) enter(ctx context.Context, o origin) error {
	const needed = patience + lastStart + leaveMargin
	if g.pass != nil && g.pass.Host == o.host && g.pass.Until.Sub(g.o.Clock()) > needed {
		return nil
	}
	if err := g.leave(ctx); err != nil {
		return err
	}
	pass, err := g.reg.Enter(ctx, g.partition(o), o.host, patience)
	if err != nil {
		return err
	}
	g.pass, g.pace = pass, &pacer{reserved: pass.Starts}
	g.found = registry.HostFinding{CrawlDelay: pass.CrawlDelay}
	return nil
}

// leave gives back the pass, if the guest holds one, also when ctx is done: nobody else may ask the
// host until it runs out.
func (g *guest) leave(ctx context.Context) error {
	if g.pass == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveMargin)
	defer cancel()
	pass := g.pass
	g.pass, g.found.NextStart, g.found.Asked.Requests = nil, g.pace.free(), g.pace.made()
	return g.reg.Leave(ctx, pass, g.found)
}

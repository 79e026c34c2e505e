package crawl

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
)

// asker sends the requests of one check: those to the batch's host at the batch's pace, those that are
// redirected to another host as its session there.
type asker struct {
	job     *job
	room    *room
	session hostSession // where redirects lead to other hosts
}

// errDisallowed is what robots.txt says about a redirect's target.
var errDisallowed = fault.New(fault.Blocked, "robots.txt disallows it")

// ask sends a request of the batch's host, and follows where it leads. A host that asks to be left
// alone is, unless a GET that follows can tell better.
func (a *asker) ask(ctx context.Context, req fetch.Request) (fetch.Response, error) {
	req.Gate, req.Large = a.gate, a.room.large
	resp, err := a.job.w.web.Get(ctx, req)
	if a.session.lease != nil {
		a.session.found.Asked.Bytes += resp.WireBytes
	} else {
		a.job.bytes.Add(resp.WireBytes)
	}
	ours := a.session.leave(ctx)
	if err == nil && verdict.IsPause(resp) && !req.Head {
		ours = errors.Join(ours, a.pause(ctx, resp))
	}
	if ours != nil {
		a.session.ours = ours
		return resp, ours
	}
	return resp, err
}

// gate lets a redirect through when robots.txt of its target allows it and the target's host can
// bear a request now.
func (a *asker) gate(ctx context.Context, target string) error {
	o, err := originOf(target)
	if err != nil {
		return fault.New(fault.Invalid, "redirect to %q: %w", target, err)
	}
	if o.host != a.job.lease.Host {
		return a.session.admit(ctx, target)
	}
	r, err := a.job.w.rulingFor(ctx, o, a.waitAt)
	switch {
	case err != nil:
		return a.session.own(err)
	case r.unknown():
		return fault.After(r.expires.Sub(a.job.w.o.Clock()),
			"robots.txt of %s, where it redirects to, cannot be fetched: %s", o.host, r.reason)
	case !r.allows(a.job.w.o.Agent, target):
		return errDisallowed
	}
	return a.session.own(a.waitAt(ctx, o))
}

// ruling is what robots.txt of an origin of the batch's host means now.
func (a *asker) ruling(ctx context.Context, o origin) (ruling, error) {
	r, err := a.job.w.rulingFor(ctx, o, a.waitAt)
	return r, errors.Join(err, a.session.leave(ctx))
}

// waitAt waits for the next request to a host: the batch's at its pace, another in a session there.
func (a *asker) waitAt(ctx context.Context, o origin) error {
	if o.host != a.job.lease.Host {
		return a.session.wait(ctx, o)
	}
	if err := a.session.leave(ctx); err != nil {
		return err
	}
	return a.job.wait(ctx)
}

// pause keeps everybody away from the host that answered. It may be another than the batch's, behind
// a redirect.
func (a *asker) pause(ctx context.Context, resp fetch.Response) error {
	until, why := a.job.w.o.Clock().Add(verdict.PauseOf(resp)), fmt.Sprintf("HTTP %d", resp.Status)
	o, err := originOf(resp.FinalURL)
	switch {
	case err != nil:
		return nil
	case o.host != a.job.lease.Host:
		return a.job.w.reg.Hosts.Pause(ctx, a.job.w.partition(o), o.host, until, why)
	}
	a.job.pause(until, why)
	return nil
}

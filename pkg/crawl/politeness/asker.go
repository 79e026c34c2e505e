package politeness

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Asker sends the requests of one check. Requests to the batch's host keep the batch's pace.
// Requests that are redirected to another host go through a session with that host. An Asker is not
// safe for concurrent use.
type Asker struct {
	hosts   *Hosts
	lease   *Lease
	large   func(context.Context) error // waits until there is memory for a large body
	session session                     // for redirects to other hosts
}

// Asker returns an asker for one check, which must hold a permit. Before the asker receives a large
// body, it calls the given function. If the function returns an error, the body is not received.
func (l *Lease) Asker(large func(context.Context) error) *Asker {
	a := &Asker{hosts: l.hosts, lease: l, large: large, session: session{hosts: l.hosts}}
	a.session.ask = a.waitAt
	return a
}

// errDisallowed is the error of a redirect whose target robots.txt forbids.
var errDisallowed = fault.New(fault.Blocked, "robots.txt disallows it")

// ask sends a request to the batch's host and follows its redirects. When a host asks for a pause,
// ask records the pause. It ignores a pause in the answer to a HEAD request, because the GET that
// follows shows more reliably whether the host wants a pause.
func (a *Asker) ask(ctx context.Context, req fetch.Request) (fetch.Response, error) {
	req.Gate, req.Large = a.gate, a.large
	resp, err := a.hosts.web.Get(ctx, req)
	if a.session.lease != nil {
		a.session.found.Asked.Bytes += resp.WireBytes
	} else {
		a.lease.Received(resp.WireBytes)
	}
	if resp.Unreached(err) == nil {
		a.lease.reached(req.URL)
	}
	ours := a.session.release(ctx)
	if err == nil && verdict.IsPause(resp) && !req.Head {
		ours = errors.Join(ours, a.pause(ctx, resp))
	}
	if ours != nil {
		a.session.ours = ours
		return resp, ours
	}
	return resp, err
}

// gate lets a redirect through when robots.txt of the target's host allows it and that host can accept a request now.
func (a *Asker) gate(ctx context.Context, target string) error {
	o, err := OriginOf(target)
	if err != nil {
		return fault.New(fault.Invalid, "redirect to %q: %w", target, err)
	}
	if o.Host != a.lease.batch.Host {
		return a.session.admit(ctx, target)
	}
	r, err := a.hosts.rulingFor(ctx, o, a.waitAt, true)
	switch {
	case err != nil:
		return a.session.own(err)
	case r.unknown():
		return fmt.Errorf("where it redirects to: %w", r.refused(a.hosts.clock()))
	case !r.allows(a.hosts.agent, target):
		return errDisallowed
	}
	return a.session.own(a.waitAt(ctx, o))
}

// ruling returns the current ruling of robots.txt for an origin of the batch's host.
func (a *Asker) ruling(ctx context.Context, o Origin) (ruling, error) {
	r, err := a.hosts.rulingFor(ctx, o, a.waitAt, o.Host == a.lease.batch.Host)
	return r, errors.Join(err, a.session.release(ctx))
}

// waitAt waits until the next request to a host may start. For the batch's host it keeps the
// batch's pace; for another host it uses a session.
func (a *Asker) waitAt(ctx context.Context, o Origin) error {
	if o.Host != a.lease.batch.Host {
		return a.session.wait(ctx, o)
	}
	if err := a.session.release(ctx); err != nil {
		return err
	}
	return a.lease.Wait(ctx)
}

// pause keeps all workers away from the host that answered. After a redirect this may be another
// host than the batch's.
func (a *Asker) pause(ctx context.Context, resp fetch.Response) error {
	until, why := a.hosts.clock().Add(verdict.PauseOf(resp)), fmt.Sprintf("HTTP %d", resp.Status)
	o, err := OriginOf(resp.FinalURL)
	switch {
	case err != nil:
		return nil
	case o.Host != a.lease.batch.Host:
		return a.hosts.rows.Pause(ctx, a.hosts.partition(o), o.Host, until, why)
	}
	a.lease.pause(until, why)
	return nil
}

// Allows checks in robots.txt whether an item may be fetched. If it may, the returned outcome is undecided.
func (a *Asker) Allows(ctx context.Context, it *registry.Item) (verdict.Outcome, error) {
	o, err := OriginOf(it.NormalizedSource)
	if err != nil {
		return verdict.Failed("%v", err), nil
	}
	r, err := a.ruling(ctx, o)
	switch {
	case fault.Is(err, fault.Blocked) || fault.Is(err, fault.Invalid):
		return verdict.Failed("%v", err), nil // no request to the site can be made
	case err != nil:
		return verdict.Outcome{}, err
	case r.unknown() && !r.pausedUntil.IsZero():
		a.lease.pause(r.pausedUntil, "robots.txt: "+r.reason)
		return verdict.Outcome{}, ErrNotNow
	case r.unknown():
		return a.lease.unreached(it.NormalizedSource, r.down), nil
	}
	agent := a.hosts.agent
	if delay, ok := r.rules.CrawlDelay(agent); ok || a.lease.batch.CrawlDelay > 0 {
		a.lease.slow(delay)
	}
	if !r.allows(agent, verdict.FetchURL(it)) {
		return verdict.Excluded("robots.txt disallows it"), nil
	}
	return verdict.Outcome{}, nil
}

// Get fetches a page. The request is conditional if the answer "not modified" would be enough (A8).
// A decided outcome states why there is no answer. An error means that this program's storage
// failed, or that this worker's time is over. The given function reads the app setting of a
// credential.
func (a *Asker) Get(
	ctx context.Context, it *registry.Item, b verdict.Basis, setting func(string) string,
) (got verdict.Answer, o verdict.Outcome, err error) {
	now := a.hosts.clock()
	req, conditional, err := b.Request(it, setting, now)
	if err != nil {
		return got, verdict.Failed("%v", err), nil
	}
	got.Conditional = conditional
	if got.Conditional && verdict.MayAskHead(it) {
		resp, same := a.sameByHead(ctx, req, it)
		if got.Headed = !same; same {
			got.Response = resp
			return got, o, nil
		}
	}
	if err := a.lease.Wait(ctx); err != nil {
		return got, o, err
	}
	got.Response, err = a.ask(ctx, req)
	if err == nil {
		got, err = a.otherwise(ctx, it, req, got)
	}
	switch {
	case err == nil:
		return got, o, nil
	case a.session.ours != nil:
		return got, o, a.session.ours
	case errors.Is(err, ErrNotNow):
		return got, o, err
	case errors.Is(err, errDisallowed):
		return got, verdict.Excluded("robots.txt disallows where it redirects to"), nil
	}
	if un := got.Response.Unreached(err); un != nil {
		down := &policy.UnreachedError{Host: a.lease.batch.Host, Of: un.Of, Why: un.Error()}
		return got, a.lease.unreached(req.URL, down), nil
	}
	if un, ok := errors.AsType[*policy.UnreachedError](err); ok {
		return got, verdict.Away(it, err, un.Of, now), nil
	}
	if un, ok := errors.AsType[*fetch.Unreached](err); ok {
		return got, verdict.Away(it, err, un.Of, now), nil
	}
	return got, verdict.FailedBy(err), nil
}

// sameByHead sends a HEAD request to a server that ignores conditional requests. If the answer
// shows that the page is unchanged, it counts as a 304, and no download is needed.
func (a *Asker) sameByHead(ctx context.Context, req fetch.Request, it *registry.Item) (resp fetch.Response, same bool) {
	req.Head = true
	if a.lease.Wait(ctx) != nil {
		return resp, false
	}
	resp, err := a.ask(ctx, req)
	if err != nil {
		return resp, false // the GET that follows will show the error
	}
	resp.NotModified = resp.NotModified || verdict.SameByHead(it, resp)
	return resp, resp.NotModified
}

// otherwise requests the other forms of an address that failed, each once, and returns the first
// answer that has the page. If none has it, it returns the answer that it was given. The only
// errors are failures of this program, which the session remembers.
func (a *Asker) otherwise(
	ctx context.Context, it *registry.Item, req fetch.Request, first verdict.Answer,
) (verdict.Answer, error) {
	for _, form := range verdict.OtherForms(it, first.Response) {
		o, err := OriginOf(form)
		if err != nil {
			return first, nil // Unreachable: the forms of an address are addresses.
		}
		r, err := a.ruling(ctx, o)
		if err != nil || r.unknown() || !r.allows(a.hosts.agent, form) {
			continue // the first answer stands
		}
		if a.lease.Wait(ctx) != nil {
			return first, nil // the host can take no more requests now
		}
		req.URL = form
		resp, err := a.ask(ctx, req)
		switch {
		case a.session.ours != nil:
			return first, a.session.ours
		case err == nil && (resp.OK() || resp.NotModified):
			first.Response, first.Other = resp, form
			return first, nil
		}
	}
	return first, nil
}

// Subresources returns a gate for what a page requests while a browser renders it: robots.txt of
// each host must allow it. Such a request does not keep the pace, because a render is one start;
// only a robots.txt that is not known yet is requested in its host's pace. The gate is safe for
// concurrent use, but the asker must not be used otherwise while it is.
func (a *Asker) Subresources() func(ctx context.Context, address string) error {
	var one sync.Mutex
	return func(ctx context.Context, address string) error {
		o, err := OriginOf(address)
		if err != nil {
			return fault.New(fault.Invalid, "%q: %w", address, err)
		}
		one.Lock() // the session of an asker serves one request at a time
		defer one.Unlock()
		r, err := a.ruling(ctx, o)
		switch {
		case fault.Is(err, fault.Blocked), fault.Is(err, fault.Invalid):
			return nil // the address guard refuses the host, and the request itself
		case err != nil:
			return err
		case r.unknown():
			return r.refused(a.hosts.clock())
		case !r.allows(a.hosts.agent, address):
			return errDisallowed
		}
		return nil
	}
}

// AtOnce returns how many requests a host may have in flight by limits of its own; zero if it has none.
func (a *Asker) AtOnce(host string) int { return a.hosts.atOnce(host) }

// Rendered records what the batch's host has sent while a page was rendered. The requests count
// towards the host's budget, and the pause before its next request grows with them: as many as a
// page may send at once count as one start.
func (a *Asker) Rendered(byHost map[string]int, bytes int64) {
	n := byHost[a.lease.batch.Host]
	if n == 0 {
		return
	}
	a.lease.Received(bytes)
	a.lease.pace.rest(n, (n+render.RequestsAtOne-1)/render.RequestsAtOne, a.hosts.clock())
}

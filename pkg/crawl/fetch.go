package crawl

import (
	"context"
	"errors"
	"net/http"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// fetchPage asks for a page what robots.txt allows to ask for (A11).
func (c *check) fetchPage(ctx context.Context) (got fetched, o outcome, err error) {
	o, err = c.site.allows(ctx, &c.item)
	if err != nil || o.kind == schedule.Failed {
		return got, o, err
	}
	if c.item.HTTPRobotsAllowed = !o.decided(); o.decided() {
		return got, o, nil
	}
	if err = c.reread(ctx); err != nil {
		return got, o, err
	}
	if got, o, err = c.site.get(ctx, &c.item, c.memory); err != nil || o.decided() {
		c.item.HTTPRobotsAllowed = o.kind != schedule.OutOfScope
		return got, o, err
	}
	c.item = noteResponse(c.item, got.resp, c.memory.rules.sources)
	got.raw = snapshot.Hash(got.resp.Body)
	return got, o, nil
}

// allows asks robots.txt. Undecided, the page may be fetched.
func (a *asker) allows(ctx context.Context, it *registry.Item) (outcome, error) {
	o, err := originOf(it.NormalizedSource)
	if err != nil {
		return failed("%v", err), nil
	}
	r, err := a.ruling(ctx, o)
	switch {
	case fault.Is(err, fault.Blocked) || fault.Is(err, fault.Invalid):
		return failed("%v", err), nil // the site may not be asked at all
	case err != nil:
		return outcome{}, err
	case r.unknown():
		o := failed("robots.txt cannot be fetched, so nothing else may be: %s", r.reason)
		o.retryAfter = r.expires.Sub(a.job.w.o.Clock())
		return o, nil
	}
	agent := a.job.w.o.Agent
	if delay, ok := r.rules.CrawlDelay(agent); ok || a.job.lease.CrawlDelay > 0 {
		a.job.slow(delay)
	}
	if !r.allows(agent, fetchURL(it)) {
		return excluded("robots.txt disallows it"), nil
	}
	return outcome{}, nil
}

// get fetches the page, conditionally where the answer "not modified" would do (A8).
func (a *asker) get(ctx context.Context, it *registry.Item, m memory) (got fetched, o outcome, err error) {
	now := a.job.w.o.Clock()
	req, conditional, err := m.request(it, a.job.w.o.Setting, now)
	if err != nil {
		return got, failed("%v", err), nil
	}
	got.conditional = conditional
	if got.conditional && it.HTTPUnconditional {
		if resp, same := a.sameByHead(ctx, req, it); same {
			got.resp = resp
			return got, o, nil
		}
	}
	if err := a.job.wait(ctx); err != nil {
		return got, o, err
	}
	got.resp, err = a.ask(ctx, req)
	switch {
	case err == nil:
		return got, o, nil
	case a.session.ours != nil:
		return got, o, a.session.ours
	case errors.Is(err, errDisallowed):
		return got, excluded("robots.txt disallows where it redirects to"), nil
	}
	o = failed("%v", err)
	o.retryAfter = fault.RetryAfter(err)
	return got, o, nil
}

// sameByHead asks a server that ignores conditions for the head alone, which may save the
// download: its answer then counts as a 304. Only validators count: a length that is the same
// proves nothing.
func (a *asker) sameByHead(ctx context.Context, req fetch.Request, it *registry.Item) (resp fetch.Response, same bool) {
	req.Head = true
	if a.job.wait(ctx) != nil {
		return resp, false
	}
	resp, err := a.ask(ctx, req)
	if err != nil {
		return resp, false // the GET that follows will tell
	}
	resp.NotModified = resp.NotModified || resp.Status == http.StatusOK && resp.FinalURL == it.HTTPFinalURL &&
		resp.Header.Get("ETag") == it.HTTPEtag && resp.Header.Get("Last-Modified") == it.HTTPLastModified
	return resp, resp.NotModified
}

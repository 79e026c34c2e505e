package crawl

import (
	"context"
	"errors"
	"net/http"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// fetchPage asks for a page what robots.txt allows to ask for (A11).
func (c *check) fetchPage(ctx context.Context) (got verdict.Answer, o verdict.Outcome, err error) {
	o, err = c.site.allows(ctx, &c.item)
	if err != nil || o.Kind == schedule.Failed {
		return got, o, err
	}
	if c.item.HTTPRobotsAllowed = !o.Decided(); o.Decided() {
		return got, o, nil
	}
	if err = c.reread(ctx); err != nil {
		return got, o, err
	}
	if got, o, err = c.site.get(ctx, &c.item, c.basis); err != nil || o.Decided() {
		c.item.HTTPRobotsAllowed = o.Kind != schedule.OutOfScope
		return got, o, err
	}
	c.item = verdict.NoteResponse(c.item, got.Response, c.basis.Rules.Sources)
	got.Raw = snapshot.Hash(got.Response.Body)
	return got, o, nil
}

// allows asks robots.txt. Undecided, the page may be fetched.
func (a *asker) allows(ctx context.Context, it *registry.Item) (verdict.Outcome, error) {
	o, err := originOf(it.NormalizedSource)
	if err != nil {
		return verdict.Failed("%v", err), nil
	}
	r, err := a.ruling(ctx, o)
	switch {
	case fault.Is(err, fault.Blocked) || fault.Is(err, fault.Invalid):
		return verdict.Failed("%v", err), nil // the site may not be asked at all
	case err != nil:
		return verdict.Outcome{}, err
	case r.unknown():
		o := verdict.Failed("robots.txt cannot be fetched, so nothing else may be: %s", r.reason)
		o.RetryAfter = r.expires.Sub(a.job.w.o.Clock())
		return o, nil
	}
	agent := a.job.w.o.Agent
	if delay, ok := r.rules.CrawlDelay(agent); ok || a.job.lease.CrawlDelay > 0 {
		a.job.slow(delay)
	}
	if !r.allows(agent, verdict.FetchURL(it)) {
		return verdict.Excluded("robots.txt disallows it"), nil
	}
	return verdict.Outcome{}, nil
}

// get fetches the page, conditionally where the answer "not modified" would do (A8).
func (a *asker) get(
	ctx context.Context, it *registry.Item, b verdict.Basis,
) (got verdict.Answer, o verdict.Outcome, err error) {
	now := a.job.w.o.Clock()
	req, conditional, err := b.Request(it, a.job.w.o.Setting, now)
	if err != nil {
		return got, verdict.Failed("%v", err), nil
	}
	got.Conditional = conditional
	if got.Conditional && it.HTTPUnconditional {
		if resp, same := a.sameByHead(ctx, req, it); same {
			got.Response = resp
			return got, o, nil
		}
	}
	if err := a.job.wait(ctx); err != nil {
		return got, o, err
	}
	got.Response, err = a.ask(ctx, req)
	switch {
	case err == nil:
		return got, o, nil
	case a.session.ours != nil:
		return got, o, a.session.ours
	case errors.Is(err, errDisallowed):
		return got, verdict.Excluded("robots.txt disallows where it redirects to"), nil
	}
	o = verdict.Failed("%v", err)
	o.RetryAfter = fault.RetryAfter(err)
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

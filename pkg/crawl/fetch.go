package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// fetched is what a source answered.
type fetched struct {
	resp        fetch.Response // of a file: as a web server would answer
	raw         string         // sha256:<hex> of the body
	file        *file.Response // of a file
	conditional bool           // validators were sent
}

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
	req, err := request(it, m, a.job.w.o.Setting, now)
	if err != nil {
		return got, failed("%v", err), nil
	}
	got.conditional = !m.knowsUnreadable(it, now) && (req.ETag != "" || req.LastModified != "")
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

// request is what to ask for. A credential goes nowhere but to the origin that its setting names (A24).
func request(it *registry.Item, m memory, setting func(string) string, now time.Time) (req fetch.Request, err error) {
	req.URL = fetchURL(it)
	if it.Credential != "" {
		if req.Secret, err = credential.ForPage(setting, it.Credential, req.URL); err != nil {
			return req, err
		}
	}
	if u := &it.Unreadable; m.knowsUnreadable(it, now) {
		req.ETag, req.LastModified, req.ValidFor = u.ETag, u.LastModified, u.FinalURL
	} else if m.conditional(it) && !headerExcludes(it) && !it.Collapse.Waits() { // then only a body says enough
		req.ETag, req.LastModified, req.ValidFor = it.HTTPEtag, it.HTTPLastModified, it.HTTPFinalURL
	}
	return req, nil
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

// noteResponse keeps what every answer of a web server tells.
func noteResponse(it registry.Item, resp fetch.Response, rules source.Rules) registry.Item {
	it.HTTPStatusCode, it.HTTPRedirectChain = resp.Status, nil
	for _, hop := range resp.Redirects {
		it.HTTPRedirectChain = append(it.HTTPRedirectChain, fmt.Sprintf("%d %s", hop.Status, publicURL(hop.Location)))
	}
	if resp.FinalURL == "" || resp.FinalURL == fetchURL(&it) {
		return it
	}
	// A redirect that only changes the spelling (a trailing slash, say) is taken next time.
	final, err := rules.ParseURL(resp.FinalURL)
	if err != nil || final.Normalized != it.NormalizedSource {
		return it
	}
	if form, err := source.FetchForm(resp.FinalURL); err == nil {
		it.FetchSource = form
	}
	return it
}

// noteValidators keeps what makes the next check cheap. It comes when the body they belong to is known.
func noteValidators(it registry.Item, got fetched) registry.Item {
	before := it.HTTPFinalURL
	it.HTTPFinalURL = finalURL(got.resp)
	if got.file != nil {
		return noteProperties(it, *got.file)
	}
	etag, modified := got.resp.Header.Get("ETag"), got.resp.Header.Get("Last-Modified")
	asked := got.conditional && got.resp.FinalURL == before
	it.HTTPUnconditional = asked && etag == it.HTTPEtag && modified == it.HTTPLastModified
	it.HTTPEtag, it.HTTPLastModified = bounded(etag), bounded(modified)
	it.HTTPContentLength = int64(len(got.resp.Body))
	return it
}

// isPause reports whether a host asks to be left alone (A13).
func isPause(resp fetch.Response) bool {
	return resp.Status == http.StatusTooManyRequests || resp.Status == http.StatusServiceUnavailable
}

// pauseOf is how long such a host is left alone: as long as it asks, or five minutes, at most a day.
func pauseOf(resp fetch.Response) time.Duration {
	const unasked = 5 * time.Minute
	if resp.RetryAfter <= 0 {
		return unasked
	}
	return min(resp.RetryAfter, registry.MaxPause)
}

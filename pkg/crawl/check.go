package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/file/credential"
	"github.com/tidemark/tidemark/pkg/index"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/schedule"
	"github.com/tidemark/tidemark/pkg/source"
)

// check is the work on one item. Its Item becomes the finding.
type check struct {
	*task
	registry.Item
	forced     bool
	rawBefore  string // of the capture that the stored item names
	answered   func() // gives the permit back: the site is not asked any more
	conditions bool   // were sent
	outcome    schedule.Outcome
	retryAfter time.Duration
	unread     error          // why the body cannot be read
	guest      guest          // where redirects lead to other hosts
	file       *file.Response // of an item that is a file
	entry      *index.Entry   // waits to enter the index
	manifest   string         // of the entry
	stale      string         // the manifest that it takes the place of
	unfilled   error          // why the entry is not given to the index
	ended      time.Time
	// paid is a check that asked nobody: it only indexed what was fetched before.
	paid bool
	soon bool // another look is worth it before the schedule says so
	// purged is a check after which nothing is left of the item but its rows.
	purged bool
	// unkept is a debt without a snapshot: another check has to ask the site.
	unkept bool
}

// run follows the steps of the package comment. Its error is our own fault; the item is then
// given back as it was.
func (c *check) run(ctx context.Context) error {
	if c.RemoveRequested || c.o.Schedule.Expired(c.Schedule(), c.o.Clock()) {
		c.answered()
		return c.purge(ctx)
	}
	if (c.IndexPending || c.interrupted()) && !c.forced {
		c.answered()
		return c.payDebt(ctx)
	}
	if c.Type == source.File {
		return c.checkFile(ctx)
	}
	allowed, err := c.robotsAllow(ctx)
	if err != nil || !allowed {
		return err
	}
	resp, answered, err := c.get(ctx)
	if err != nil || !answered {
		return err
	}
	c.noteResponse(resp)
	switch {
	case resp.NotModified:
		return c.notModified(ctx, resp)
	case resp.Status == http.StatusOK:
		c.answered()
		return c.compare(ctx, resp)
	case resp.Status == http.StatusNotFound || resp.Status == http.StatusGone:
		return c.missing(ctx, fmt.Sprintf("HTTP %d", resp.Status))
	case resp.Status == http.StatusTooManyRequests || resp.Status == http.StatusServiceUnavailable:
		return c.throttled(ctx, resp)
	default:
		c.retryAfter = resp.RetryAfter
		c.fail("HTTP %d %s", resp.Status, http.StatusText(resp.Status))
	}
	return nil
}

// interrupted reports whether a worker did not come back that may have changed what the index holds
// of content that we hold: it is written once more, as if the index had been down. Where nothing was
// ever fetched, the check that follows writes or removes everything anyway.
func (c *check) interrupted() bool {
	return c.Interrupted && c.RawHash != ""
}

// robotsAllow asks robots.txt (A11).
func (c *check) robotsAllow(ctx context.Context) (bool, error) {
	o, err := originOf(c.NormalizedSource)
	if err != nil {
		c.fail("%v", err)
		return false, nil
	}
	r, err := c.ruling(ctx, o)
	switch {
	case fault.Is(err, fault.Blocked) || fault.Is(err, fault.Invalid):
		c.fail("%v", err) // the site may not be asked at all
		return false, nil
	case err != nil:
		return false, err
	case r.unknown():
		c.retryAfter = r.expires.Sub(c.o.Clock())
		c.fail("robots.txt cannot be had, so nothing may be fetched: %s", r.reason)
		return false, nil
	}
	if delay, ok := r.rules.CrawlDelay(c.o.Agent); ok || c.batch.CrawlDelay > 0 {
		c.noteCrawlDelay(delay)
	}
	if c.HTTPRobotsAllowed = r.allows(c.o.Agent, c.fetchURL()); c.HTTPRobotsAllowed {
		return true, nil
	}
	return false, c.exclude(ctx, "robots.txt disallows it")
}

func (t *task) noteCrawlDelay(d time.Duration) {
	t.pace.slow(d)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.host.CrawlDelay = d
}

// fetchURL is the form that is requested: the one that last answered, or the identity.
func (c *check) fetchURL() string {
	if c.FetchSource != "" {
		return c.FetchSource
	}
	return c.NormalizedSource
}

// get fetches the page, conditionally where the answer "not modified" would do (A8). A page that
// does not answer is recorded here.
func (c *check) get(ctx context.Context) (resp fetch.Response, answered bool, err error) {
	secret, err := c.secret()
	if err != nil {
		c.fail("%v", err)
		return resp, false, nil
	}
	req := fetch.Request{URL: c.fetchURL(), Secret: secret}
	if u := &c.Unreadable; c.knowsUnreadable() {
		req.ETag, req.LastModified, req.ValidFor = u.ETag, u.LastModified, u.FinalURL
	} else if c.conditional() && !c.headerExcludes() {
		req.ETag, req.LastModified, req.ValidFor = c.HTTPEtag, c.HTTPLastModified, c.HTTPFinalURL
		c.conditions = req.ETag != "" || req.LastModified != ""
		if c.HTTPUnconditional {
			if resp, same := c.sameByHead(ctx, req); same {
				return resp, true, nil
			}
		}
	}
	if err := c.wait(ctx); err != nil {
		return resp, false, err
	}
	resp, err = c.ask(ctx, req)
	switch {
	case err == nil:
		return resp, true, nil
	case c.guest.ours != nil:
		return resp, false, c.guest.ours
	case errors.Is(err, errDisallowed):
		c.HTTPRobotsAllowed = false
		return resp, false, c.exclude(ctx, "robots.txt disallows where it redirects to")
	}
	c.retryAfter = fault.RetryAfter(err)
	c.fail("%v", err)
	return resp, false, nil
}

// secret are the headers that let in to a private page (A24). A credential goes nowhere but to the
// origin that its setting names.
func (c *check) secret() (http.Header, error) {
	if c.Credential == "" {
		return nil, nil
	}
	return credential.ForPage(c.o.Setting, c.Credential, c.fetchURL())
}

// conditional reports whether "not modified" would be a sufficient answer: it is not when
// somebody insists, when the rules of normalization have changed, or when the index lacks, or may
// lack, the content that we hold.
func (c *check) conditional() bool {
	return !c.forced && !c.RebuildPending && c.held() && c.NormalizationVersion == lineage.Current.String()
}

// held reports whether the content of the last fetch is where it belongs: in the index, if there is
// one, or kept out of it on purpose.
func (c *check) held() bool {
	return c.RawHash != "" && (c.Exclusion != "" || c.AliasOf != "" || c.IndexedHash == c.ContentHash || !c.indexes())
}

// sameByHead asks a server that ignores conditions for the head alone, which may save the
// download: its answer then counts as a 304. Only validators count: a length that is the same
// proves nothing.
func (c *check) sameByHead(ctx context.Context, req fetch.Request) (resp fetch.Response, same bool) {
	req.Head = true
	if req.ETag == "" && req.LastModified == "" || c.wait(ctx) != nil {
		return resp, false
	}
	resp, err := c.ask(ctx, req)
	if err != nil {
		return resp, false // the GET that follows will tell
	}
	if resp.Status == http.StatusOK && resp.FinalURL == c.HTTPFinalURL &&
		resp.Header.Get("ETag") == c.HTTPEtag && resp.Header.Get("Last-Modified") == c.HTTPLastModified {
		resp.NotModified = true
	}
	return resp, resp.NotModified
}

// errDisallowed is the gate's word for robots.txt.
var errDisallowed = fault.New(fault.Blocked, "robots.txt disallows it")

// gate lets a redirect through when robots.txt of its target allows it and the target's host can
// bear a request now.
func (c *check) gate(ctx context.Context, target string) error {
	o, err := originOf(target)
	if err != nil {
		return fault.New(fault.Invalid, "redirect to %q: %w", target, err)
	}
	if o.host != c.batch.Host {
		return c.guest.admit(ctx, target)
	}
	r, err := c.rulingFor(ctx, o, c.waitAt)
	switch {
	case err != nil:
		return c.guest.own(err)
	case r.unknown():
		return fault.After(r.expires.Sub(c.o.Clock()), "robots.txt of %s, where it redirects to, cannot be had: %s", o.host, r.reason)
	case !r.allows(c.o.Agent, target):
		return errDisallowed
	}
	return c.guest.own(c.waitAt(ctx, o))
}

// ask sends a request of the batch's host, and follows where it leads.
func (c *check) ask(ctx context.Context, req fetch.Request) (fetch.Response, error) {
	req.Gate = c.gate
	resp, err := c.web.Get(ctx, req)
	if c.guest.pass != nil {
		c.guest.found.Asked.Bytes += resp.WireBytes
	} else {
		c.bytes.Add(resp.WireBytes)
	}
	if left := c.guest.leave(ctx); left != nil {
		c.guest.ours = left
		return resp, left
	}
	return resp, err
}

// ruling is what robots.txt of an origin of the batch's host means now.
func (c *check) ruling(ctx context.Context, o origin) (ruling, error) {
	r, err := c.rulingFor(ctx, o, c.waitAt)
	return r, errors.Join(err, c.guest.leave(ctx))
}

// waitAt waits for the next request to a host: the batch's at its pace, another as a guest.
func (c *check) waitAt(ctx context.Context, o origin) error {
	if o.host != c.batch.Host {
		return c.guest.wait(ctx, o)
	}
	if err := c.guest.leave(ctx); err != nil {
		return err
	}
	return c.wait(ctx)
}

// noteResponse keeps what every answer tells.
func (c *check) noteResponse(resp fetch.Response) {
	c.HTTPStatusCode = resp.Status
	c.HTTPRedirectChain = nil
	for _, hop := range resp.Redirects {
		c.HTTPRedirectChain = append(c.HTTPRedirectChain, fmt.Sprintf("%d %s", hop.Status, publicURL(hop.Location)))
	}
	if resp.FinalURL == "" || resp.FinalURL == c.fetchURL() {
		return
	}
	// A redirect that only changes the spelling (a trailing slash, say) is taken next time.
	final, err := c.o.Rules.ParseURL(resp.FinalURL)
	if err != nil || final.Normalized != c.NormalizedSource {
		return
	}
	if form, err := source.FetchForm(resp.FinalURL); err == nil {
		c.FetchSource = form
	}
}

// noteValidators keeps what makes the next check cheap. It is called once the body they belong to
// is safe.
func (c *check) noteValidators(resp fetch.Response) {
	if c.file != nil {
		c.noteProperties()
		c.HTTPFinalURL = finalURL(resp)
		return
	}
	etag, modified := resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")
	asked := c.conditions && resp.FinalURL == c.HTTPFinalURL
	c.HTTPUnconditional = asked && etag == c.HTTPEtag && modified == c.HTTPLastModified
	c.HTTPEtag, c.HTTPLastModified = bounded(etag), bounded(modified)
	c.HTTPContentLength, c.HTTPFinalURL = int64(len(resp.Body)), finalURL(resp)
}

// throttled leaves the host that answered alone for as long as it asks (A13).
func (c *check) throttled(ctx context.Context, resp fetch.Response) error {
	pause, err := c.pause(ctx, resp)
	c.retryAfter = pause
	c.fail("HTTP %d: the host is left alone for %s", resp.Status, pause.Round(time.Second))
	return err
}

// pauseOf is how long a host that answered 429 or 503 is left alone: as long as it asks, or five
// minutes, at most a day.
func pauseOf(resp fetch.Response) time.Duration {
	const unasked = 5 * time.Minute
	if resp.RetryAfter <= 0 {
		return unasked
	}
	return min(resp.RetryAfter, registry.MaxPause)
}

// pause keeps everybody away from the host that answered.
// It may be another than the batch's, behind a redirect.
func (c *check) pause(ctx context.Context, resp fetch.Response) (time.Duration, error) {
	pause := pauseOf(resp)
	until, why := c.o.Clock().Add(pause), fmt.Sprintf("HTTP %d", resp.Status)
	o, err := originOf(resp.FinalURL)
	if err != nil {
		return pause, nil
	}
	if o.host != c.batch.Host {
		return pause, c.reg.Pause(ctx, c.partition(o), o.host, until, why)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.host.PauseUntil, c.host.PauseWhy = until, why
	return pause, nil
}

package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/source"
)

// Visit is what to fetch that is no item: a sitemap, a feed or a page that lists others.
type Visit struct {
	URL string // absolute, http or https
	// ETag and LastModified are those of an earlier [Visited], FinalURL is what they belong to.
	ETag, LastModified, FinalURL string
	// MaxBytes bounds the body, decoded; the setting's bound when zero.
	MaxBytes int64
}

// Visited is what came of a visit. Requests tells of a visit that failed, too.
type Visited struct {
	Status             int    // any, but never 429 or 503; 304 is NotModified
	NotModified        bool   // what the validators belong to still stands, and there is no body
	Body               []byte // decoded
	ContentType        string
	ETag, LastModified string // empty where they are not fit to be kept
	FinalURL           string // that answered, behind redirects
	Requests           int    // for the page: one, and one for each redirect; robots.txt is not counted
}

// SiteError says that a site, or robots.txt, did not give what a visit wanted. To be recorded: trying
// again is nobody's duty. Its kind is Blocked for robots.txt and the address guard, Invalid for a URL
// that can never work, TooLarge for a bound on bytes or redirects, Unavailable for a site that does
// not answer.
type SiteError struct{ Err error }

func (e *SiteError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *SiteError) Unwrap() error { return e.Err }

// Visit fetches a page under the same rules as items are: address guard, robots.txt, also behind
// redirects, and the pace that all workers of a host keep together. It waits up to 20 seconds for a
// host that is busy.
//
// Errors: a [*SiteError]; Throttled when the host is not to be had, because it is busy or has asked for
// a pause, with the time after which to visit again (see [fault.RetryAfter]), and nothing is spent
// until then; anything else is our own storage, or ctx, and calling again is right.
//
// Beside the requests to the site it costs two reads and two writes; where robots.txt is not known,
// a read and a write more.
func (w *Worker) Visit(ctx context.Context, v Visit) (out Visited, err error) {
	form, err := source.FetchForm(v.URL)
	if err != nil {
		return out, &SiteError{err}
	}
	g := &guest{Worker: w}
	defer func() { err = errors.Join(err, g.leave(ctx)) }()
	if err := g.admit(ctx, form); err != nil {
		return out, g.verdict(ctx, err)
	}
	resp, err := w.web.Get(ctx, fetch.Request{
		URL: form, ETag: v.ETag, LastModified: v.LastModified, ValidFor: v.FinalURL, MaxBytes: v.MaxBytes, Gate: g.admit,
	})
	g.found.Asked.Bytes += resp.WireBytes
	out.Requests = resp.Requests
	if err != nil {
		return out, g.verdict(ctx, err)
	}
	if resp.Status == http.StatusTooManyRequests || resp.Status == http.StatusServiceUnavailable {
		return out, g.pauseFor(resp)
	}
	if resp.Encoding != "" {
		return out, &SiteError{fault.New(fault.Invalid, "the body is in a content encoding that is not known: %.100q", resp.Encoding)}
	}
	return visited(resp), nil
}

// verdict tells whose failure an error of a request is.
func (g *guest) verdict(ctx context.Context, err error) error {
	switch {
	case g.ours != nil:
		return g.ours
	case ctx.Err() != nil:
		return fault.New(fault.Unavailable, "%w", context.Cause(ctx))
	case fault.Is(err, fault.Throttled):
		return err
	}
	return &SiteError{err}
}

// pauseFor keeps everybody away from the host that answered, which is the one the guest is at.
func (g *guest) pauseFor(resp fetch.Response) error {
	pause, why := pauseOf(resp), fmt.Sprintf("HTTP %d", resp.Status)
	g.found.PauseUntil, g.found.PauseWhy = g.o.Clock().Add(pause), why
	return fault.After(pause, "%s: %s is left alone", why, g.pass.Host)
}

func visited(resp fetch.Response) Visited {
	return Visited{
		Status: resp.Status, NotModified: resp.NotModified, Body: resp.Body, ContentType: resp.Header.Get("Content-Type"),
		ETag: bounded(resp.Header.Get("ETag")), LastModified: bounded(resp.Header.Get("Last-Modified")), FinalURL: resp.FinalURL, Requests: resp.Requests,
	}
}

package politeness

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// ResourceRequest is what to fetch that is no item: a sitemap, a feed or a page that lists others.
type ResourceRequest struct {
	URL string // absolute, http or https
	// ETag and LastModified are those of an earlier [Resource], FinalURL is what they belong to.
	ETag, LastModified, FinalURL string
	// MaxBytes bounds the body, decoded; the setting's bound when zero.
	MaxBytes int64
}

// Resource is what was fetched. Requests is also set when that failed.
type Resource struct {
	Status             int    // any, but never 429 or 503; 304 is NotModified
	NotModified        bool   // the validators are still right, and there is no body
	Body               []byte // decoded
	ContentType        string
	ETag, LastModified string // empty where they are not fit to be kept
	FinalURL           string // that answered, behind redirects
	Requests           int    // for the page: one, and one for each redirect; robots.txt is not counted
}

// Refused is why a site did not give what was asked for, by the status: Unavailable if trying again may help.
func (r Resource) Refused() error {
	switch {
	case r.Status >= 500:
		return fault.New(fault.Unavailable, "HTTP %d", r.Status)
	case r.Status != http.StatusOK:
		return fault.New(fault.Invalid, "HTTP %d", r.Status)
	}
	return nil
}

// Missing reports that a site has no such page.
func (r Resource) Missing() bool {
	return r.Status == http.StatusNotFound || r.Status == http.StatusGone
}

// ResourceFetcher asks sites, as politely as a crawl does (E3); see [Hosts.FetchResource].
type ResourceFetcher interface {
	FetchResource(ctx context.Context, v ResourceRequest) (Resource, error)
}

// SiteError says that a site, or robots.txt, did not give a resource. It is to be recorded, not tried
// again. Its kind is Blocked for robots.txt and the address guard, Invalid for a URL
// that can never work, TooLarge for a bound on bytes or redirects, Unavailable for a site that does
// not answer.
type SiteError struct{ Err error }

func (e *SiteError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *SiteError) Unwrap() error { return e.Err }

// FetchResource fetches a page under the same rules as items are: address guard, robots.txt, also behind
// redirects, and the pace that all workers of a host keep together. It waits up to 20 seconds for a
// host that is busy.
//
// Errors: a [*SiteError]; Throttled when the host is busy or has asked for a pause, with the time after
// which to call again (see [fault.RetryAfter]), and nothing is spent until then;
// anything else is our own storage, or ctx, and calling again is right.
//
// Beside the requests to the site it costs two reads and two writes; where robots.txt is not known,
// a read and a write more.
func (h *Hosts) FetchResource(ctx context.Context, v ResourceRequest) (out Resource, err error) {
	form, err := source.FetchForm(v.URL)
	if err != nil {
		return out, &SiteError{err}
	}
	s := &session{hosts: h}
	defer func() { err = errors.Join(err, s.release(ctx)) }()
	if err := s.admit(ctx, form); err != nil {
		return out, s.verdict(ctx, err)
	}
	resp, err := h.web.Get(ctx, fetch.Request{
		URL: form, ETag: v.ETag, LastModified: v.LastModified, ValidFor: v.FinalURL, MaxBytes: v.MaxBytes,
		Gate: s.admit,
	})
	s.found.Asked.Bytes += resp.WireBytes
	out.Requests = resp.Requests
	if err != nil {
		return out, s.verdict(ctx, err)
	}
	if verdict.IsPause(resp) {
		return out, s.pauseFor(resp)
	}
	if resp.Encoding != "" {
		err := fault.New(fault.Invalid, "the body is in a content encoding that is not known: %.100q", resp.Encoding)
		return out, &SiteError{err}
	}
	return resourceOf(resp), nil
}

// verdict separates the site's failures from this program's own.
func (h *session) verdict(ctx context.Context, err error) error {
	switch {
	case h.ours != nil:
		return h.ours
	case ctx.Err() != nil:
		return fault.New(fault.Unavailable, "%w", context.Cause(ctx))
	case fault.Is(err, fault.Throttled):
		return err
	}
	return &SiteError{err}
}

// pauseFor keeps all workers away from the host that answered, which is the one of the lease.
func (h *session) pauseFor(resp fetch.Response) error {
	pause, why := verdict.PauseOf(resp), fmt.Sprintf("HTTP %d", resp.Status)
	h.found.PauseUntil, h.found.PauseWhy = h.hosts.clock().Add(pause), why
	return fault.After(pause, "%s: %s is left alone", why, h.lease.Host)
}

func resourceOf(resp fetch.Response) Resource {
	return Resource{
		Status: resp.Status, NotModified: resp.NotModified, Body: resp.Body,
		ContentType:  resp.Header.Get("Content-Type"),
		ETag:         verdict.Bounded(resp.Header.Get("ETag")),
		LastModified: verdict.Bounded(resp.Header.Get("Last-Modified")),
		FinalURL:     resp.FinalURL, Requests: resp.Requests,
	}
}

package politeness

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// ResourceRequest asks for a resource that is not an item: a sitemap, a feed or a page that lists other pages.
type ResourceRequest struct {
	URL string // absolute, http or https
	// ETag and LastModified come from an earlier [Resource]. FinalURL is the address that sent them.
	ETag, LastModified, FinalURL string
	// MaxBytes bounds the decoded body; zero means the bound of the setting.
	MaxBytes int64
}

// Resource is the result of a fetch. Its Requests field is also set when the fetch failed.
type Resource struct {
	Status             int    // never 429 or 503; 200 for every [fetch.Response.OK]; 304 when NotModified is set
	NotModified        bool   // the validators still match, and there is no body
	Body               []byte // the decoded body
	ContentType        string
	ETag, LastModified string   // empty if they are too long to be stored, or not printable
	Robots             []string // the values of X-Robots-Tag
	FinalURL           string   // the address that answered, after redirects
	Requests           int      // one for the page and one for each redirect; robots.txt does not count
}

// Charset returns the charset of the Content-Type, or "".
func (r Resource) Charset() string {
	_, params, _ := mime.ParseMediaType(r.ContentType)
	return params["charset"]
}

// Refused returns an error when the status shows that the site did not serve the resource. The error's kind is
// Unavailable if a retry may help.
func (r Resource) Refused() error {
	switch {
	case r.Status >= 500:
		return fault.New(fault.Unavailable, "HTTP %d", r.Status)
	case r.Status != http.StatusOK:
		return fault.New(fault.Invalid, "HTTP %d", r.Status)
	}
	return nil
}

// Missing reports whether the site has no such page.
func (r Resource) Missing() bool {
	return r.Status == http.StatusNotFound || r.Status == http.StatusGone
}

// ResourceFetcher fetches resources as politely as a crawl does (E3); see [Hosts.FetchResource].
type ResourceFetcher interface {
	FetchResource(ctx context.Context, v ResourceRequest) (Resource, error)
}

// SiteError means that a site, or its robots.txt, did not serve a resource. Callers should record the error and not
// retry. The kind is Blocked if robots.txt or the address guard forbids the request, Invalid if the URL can never
// work, TooLarge if there were too many bytes or redirects, and Unavailable if the site does not answer.
type SiteError struct{ Err error }

func (e *SiteError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *SiteError) Unwrap() error { return e.Err }

// FetchResource fetches a page under the same rules as items: the address guard, robots.txt (also after redirects),
// and the pace that all workers together keep for a host. It waits up to 20 seconds for a busy host.
//
// Errors: a [*SiteError]; Throttled when the host is busy or has asked for a pause. For a Throttled error,
// [fault.RetryAfter] returns how long to wait before the next call; an earlier call would send nothing. It wraps
// an UnreachedError of package host if robots.txt cannot be fetched. Any other error comes from this program's storage
// or from ctx, and callers may call again.
//
// In addition to the requests to the site, FetchResource makes two reads and two writes of storage, and one more of
// each when robots.txt is not known.
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
	// After a redirect, the lease may be of another host.
	s.found.Answered = resp.Requests == 1 && resp.Unreached(err) == nil
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

// verdict turns an error that the site caused into a [*SiteError]. It returns this program's own errors unchanged.
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

// pauseFor keeps all workers away from the host that answered. The lease is for that host.
func (h *session) pauseFor(resp fetch.Response) error {
	pause, why := verdict.PauseOf(resp), fmt.Sprintf("HTTP %d", resp.Status)
	h.found.PauseUntil, h.found.PauseWhy = h.hosts.clock().Add(pause), why
	return fault.After(pause, "%s: %s is left alone", why, h.lease.Host)
}

func resourceOf(resp fetch.Response) Resource {
	if resp.OK() {
		resp.Status = http.StatusOK
	}
	return Resource{
		Status: resp.Status, NotModified: resp.NotModified, Body: resp.Body,
		ContentType:  resp.Header.Get("Content-Type"),
		ETag:         verdict.Bounded(resp.Header.Get("ETag")),
		LastModified: verdict.Bounded(resp.Header.Get("Last-Modified")),
		FinalURL:     resp.FinalURL, Requests: resp.Requests, Robots: resp.Header.Values("X-Robots-Tag"),
	}
}

package fetch

import (
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// errRedirects is the cause of the error for a chain of redirects that has a loop or is too long.
var errRedirects = errors.New("too many redirects")

// redirect records the target of a redirect and returns it. It returns nil if the response has no target, for example
// if a redirect has no Location. Errors: Blocked for a refused target; TooLarge for a chain that has a loop or is too
// long.
func (x *exchange) redirect(from *url.URL, res *http.Response) (*url.URL, error) {
	location := res.Header.Get("Location")
	if !isRedirect(res.StatusCode) || location == "" {
		return nil, nil
	}
	// A short body is read so that the connection can be reused. A body that is long, or of unknown length, is not
	// worth the wait.
	if res.ContentLength <= 2<<10 && res.ContentLength >= 0 {
		_, _ = io.Copy(io.Discard, res.Body)
	}
	to, err := x.c.guard.resolve(from, location)
	x.record(from, res.StatusCode, to)
	switch {
	case err != nil:
		return nil, fault.New(fault.Blocked, "redirect refused: %w", err)
	case len(x.out.Redirects) > x.redirects:
		return nil, fault.New(fault.TooLarge, "%w: more than %d", errRedirects, max(x.redirects, 0))
	}
	if x.keepCookies(from, res) {
		clear(x.seen) // the same request may get another answer now
	}
	// Some servers redirect the first request of a visitor to the same URL, and answer the second one.
	visits := x.seen[to.String()]
	if visits > 1 || visits == 1 && to.String() != from.String() {
		return nil, fault.New(fault.TooLarge, "%w: a loop", errRedirects)
	}
	return to, nil
}

// resolve returns the URL that a Location means, as browsers resolve it (WHATWG URL standard). Even with an error it
// returns the URL if the URL could be parsed, so that the chain can record it.
func (g *guard) resolve(from *url.URL, location string) (*url.URL, error) {
	if len(location) > maxURL {
		return nil, fault.New(fault.Invalid, "location of %d bytes: want at most %d", len(location), maxURL)
	}
	target, err := source.Redirect(from.String(), location)
	if err != nil {
		return nil, fault.New(fault.Invalid, "malformed location: %w", err)
	}
	to, err := url.Parse(target)
	if err != nil {
		return nil, fault.New(fault.Invalid, "malformed location: %w", withoutURL(err))
	}
	err = g.admit(to)
	if err == nil && len(to.String()) > maxURL {
		err = fault.New(fault.Invalid, "location is too long")
	}
	return to, err
}

// record appends a redirect to the chain, without userinfo.
func (x *exchange) record(from *url.URL, status int, to *url.URL) {
	step := Redirect{URL: from.String(), Status: status}
	if to != nil {
		shown := *to
		shown.User, shown.Fragment, shown.RawFragment = nil, "", ""
		step.Location = shown.String()
	}
	permanent := status == http.StatusMovedPermanently || status == http.StatusPermanentRedirect
	x.out.Permanent = permanent && (x.out.Permanent || len(x.out.Redirects) == 0)
	x.out.Redirects = append(x.out.Redirects, step)
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

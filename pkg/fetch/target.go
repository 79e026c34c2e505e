package fetch

import (
	"cmp"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/percent"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// target parses a URL and checks whether it may be requested. It normalizes the host and drops the default port and
// the fragment. Errors: Invalid if the URL can never work; Blocked if the scheme, the port or a literal address is
// refused. Errors do not repeat the URL, because it may contain secrets.
func (g *guard) target(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, fault.New(fault.Invalid, "url of %d bytes: want at most %d", len(raw), maxURL)
	}
	u, err := url.Parse(clean(raw))
	if err != nil {
		return nil, fault.New(fault.Invalid, "malformed url: %w", withoutURL(err))
	}
	return u, g.admit(u)
}

// admit checks and normalizes a parsed URL.
func (g *guard) admit(u *url.URL) error {
	// "localhost." and localhost are the same host, also for robots.txt and for the pace.
	host, port := strings.TrimSuffix(u.Hostname(), "."), u.Port()
	ascii, known := asciiHost(host)
	if addr, err := netip.ParseAddr(host); err == nil {
		ascii, known = host, addr.Zone() == "" // a zone names an interface of this machine
	}
	switch {
	case u.Scheme == "":
		return fault.New(fault.Invalid, "url without a scheme")
	case !isWeb(u):
		return fault.New(fault.Blocked, "scheme %q: want http or https", u.Scheme)
	case u.User != nil:
		return fault.New(fault.Invalid, "url with userinfo: credentials belong in settings")
	case host == "" || u.Opaque != "":
		return fault.New(fault.Invalid, "url without a host")
	case !known:
		return fault.New(fault.Invalid, "host %q: want a name or an address", host)
	case port != "" && !isPort(port):
		return fault.New(fault.Invalid, "port %q: want 1 to 65535", port)
	}
	u.Path = cmp.Or(u.Path, "/")
	u.Fragment, u.RawFragment = "", ""
	u.Host = joinHost(u.Scheme, ascii, port)
	return g.permit(ascii, effectivePort(u))
}

func isWeb(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

// permit checks ports and literal addresses before a connection is made. Names are checked at dial.
func (g *guard) permit(host, port string) error {
	if g.allow.match(host, port) {
		return nil
	}
	if port != "80" && port != "443" {
		return fault.New(fault.Blocked, "port %s: want 80 or 443", port)
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if err := g.guardian.SafeAddr(addr); err != nil {
			return fault.New(fault.Blocked, "%w", err)
		}
	}
	return nil
}

// joinHost returns a URL's host, with the port unless that is the scheme's default.
func joinHost(scheme, host, port string) string {
	if port == defaultPort(scheme) {
		port = ""
	}
	switch {
	case port != "":
		return net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		return "[" + host + "]"
	default:
		return host
	}
}

func effectivePort(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return defaultPort(u.Scheme)
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// clean escapes the characters that browsers accept in a URL but a request line cannot contain: stray percent signs,
// spaces, quotes, angle brackets and bytes outside ASCII.
func clean(raw string) string {
	return percent.Repair(strings.Trim(raw, " \t\r\n"), func(c byte) bool {
		return c >= 0x80 || strings.IndexByte(` "<>`, c) >= 0
	})
}

// withoutURL removes the URL from an error of url.Parse.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

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

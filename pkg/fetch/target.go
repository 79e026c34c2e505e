package fetch

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/percent"
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

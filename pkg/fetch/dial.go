package fetch

import (
	"cmp"
	"context"
	"net"
	"net/netip"

	"code.dny.dev/ssrf"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Dialer returns a dialer with the same guard for a protocol other than HTTP, such as SMTP, on these ports. Errors:
// Blocked when the guard refuses the address; Unavailable when the server does not answer.
func (c *Client) Dialer(ports ...uint16) func(ctx context.Context, address string) (net.Conn, error) {
	safe := ssrf.New(ssrf.WithDeniedV4Prefixes(wireServer), ssrf.WithPorts(ports...)).Safe
	return func(ctx context.Context, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fault.New(fault.Invalid, "%.80q: want host:port", address)
		}
		var allowed check
		if !c.guard.allow.match(host, port) {
			allowed = safe
		}
		conn, err := c.guard.connect(ctx, "tcp", address, allowed)
		if err != nil {
			return nil, classify(err)
		}
		return conn, nil
	}
}

// AdmitAddress checks whether the guard would let a connection be made to a host and one of these ports. It looks up
// the name but connects to nobody. The answer can change: [Client.Dialer] checks again. Errors: Blocked if all
// addresses of the host are refused; Unavailable if it has none or they cannot be looked up.
func (c *Client) AdmitAddress(ctx context.Context, address string, ports ...uint16) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fault.New(fault.Invalid, "%.80q: want host:port", address)
	}
	g := c.guard
	if g.allow.match(host, port) {
		return nil
	}
	safe := ssrf.New(ssrf.WithDeniedV4Prefixes(wireServer), ssrf.WithPorts(ports...)).Safe
	var found []netip.Addr
	if literal, err := netip.ParseAddr(host); err == nil {
		found = []netip.Addr{literal}
	} else if g.proxy.through(host, port) && g.proxy.resolves && !numeric(host) {
		found = []netip.Addr{anyPublic} // shows whether the port is allowed
	} else if found, err = cmp.Or(g.open.Resolver, net.DefaultResolver).LookupNetIP(ctx, "ip", host); err != nil {
		return fault.New(fault.Unavailable, "the name %s cannot be looked up: %w", host, err)
	}
	for _, ip := range found {
		network := "tcp6"
		if ip = ip.Unmap(); ip.Is4() {
			network = "tcp4"
		}
		if err = safe(network, net.JoinHostPort(ip.String(), port), nil); err == nil {
			return nil
		}
	}
	if err == nil {
		return fault.New(fault.Unavailable, "the name %s has no address", host)
	}
	return classify(err)
}

var anyPublic = netip.MustParseAddr("8.8.8.8")

package fetch

import (
	"context"
	"net"
	"net/netip"
	"time"

	"code.dny.dev/ssrf"
)

// wireServer is Azure's host agent, which every instance can reach. It provides an instance's configuration, and no
// registry of special addresses lists it.
var wireServer = netip.MustParsePrefix("168.63.129.16/32")

// guard decides which addresses connections may be made to.
type guard struct {
	allow    allowList
	guardian *ssrf.Guardian
	strict   net.Dialer // refuses special addresses and ports, after the DNS lookup
	open     net.Dialer // connects to exempt hosts
}

func newGuard(allow allowList, resolver *net.Resolver) *guard {
	g := &guard{allow: allow, guardian: ssrf.New(ssrf.WithDeniedV4Prefixes(wireServer))}
	g.open = net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Resolver: resolver}
	g.strict = g.open
	// Control runs for each address just before the connection, so DNS cannot change the answer between check and
	// use.
	g.strict.Control = g.guardian.Safe
	return g
}

// dial connects to the host that a URL names. The transport pools connections by that name. So a connection that was
// made for an exempt host is never used for another name.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if g.allow.match(host, port) {
		return g.open.DialContext(ctx, network, address)
	}
	return g.strict.DialContext(ctx, network, address)
}

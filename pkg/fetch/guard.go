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
	open     net.Dialer // connects to any address
	proxy    *tunnels
}

func newGuard(allow allowList, resolver *net.Resolver) *guard {
	g := &guard{allow: allow, guardian: ssrf.New(ssrf.WithDeniedV4Prefixes(wireServer))}
	g.open = net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Resolver: resolver}
	return g
}

// dial connects to the host that a URL names. The transport pools connections by that name. So a connection that was
// made for an exempt host is never used for another name.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	var allowed check // of special addresses and ports
	if !g.allow.match(host, port) {
		allowed = g.guardian.Safe
	}
	return g.connect(ctx, network, address, allowed)
}

package fetch

import (
	"context"
	"net"

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

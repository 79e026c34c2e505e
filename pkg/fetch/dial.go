package fetch

import (
	"context"
	"net"

	"code.dny.dev/ssrf"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Dialer is the same way out for a protocol that is not HTTP, such as SMTP, on these ports. What the guard refuses is
// Blocked, what does not answer Unavailable.
func (c *Client) Dialer(ports ...uint16) func(ctx context.Context, address string) (net.Conn, error) {
	strict := c.guard.open
	strict.Control = ssrf.New(ssrf.WithDeniedV4Prefixes(wireServer), ssrf.WithPorts(ports...)).Safe
	return func(ctx context.Context, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fault.New(fault.Invalid, "%.80q: want host:port", address)
		}
		dialer := strict
		if c.guard.allow.match(host, port) {
			dialer = c.guard.open
		}
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, classify(err)
		}
		return conn, nil
	}
}

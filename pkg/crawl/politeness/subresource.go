package politeness

import (
	"context"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/render"
)

// Subresources returns a gate for what a page requests while a browser renders it: robots.txt of each host must allow
// it. Such a request does not keep the pace, because a render is one start; only a robots.txt that is not known yet is
// requested in its host's pace. The gate is safe for concurrent use, but the asker must not be used otherwise while it
// is.
func (a *Asker) Subresources() func(ctx context.Context, address string) error {
	var one sync.Mutex
	return func(ctx context.Context, address string) error {
		o, err := OriginOf(address)
		if err != nil {
			return fault.New(fault.Invalid, "%q: %w", address, err)
		}
		one.Lock() // the session of an asker serves one request at a time
		defer one.Unlock()
		r, err := a.ruling(ctx, o)
		switch {
		case fault.Is(err, fault.Blocked), fault.Is(err, fault.Invalid):
			return nil // the address guard refuses the host, and the request itself
		case err != nil:
			return err
		case r.unknown():
			return fault.After(r.expires.Sub(a.hosts.clock()), "%w", &RobotsError{o.Host, r.reason})
		case !r.allows(a.hosts.agent, address):
			return errDisallowed
		}
		return nil
	}
}

// AtOnce returns how many requests a host may have in flight by limits of its own; zero if it has none.
func (a *Asker) AtOnce(host string) int { return a.hosts.atOnce(host) }

// Rendered records what the batch's host has sent while a page was rendered. The requests count towards the host's
// budget, and the pause before its next request grows with them: as many as a page may send at once count as one start.
func (a *Asker) Rendered(byHost map[string]int, bytes int64) {
	n := byHost[a.lease.batch.Host]
	if n == 0 {
		return
	}
	a.lease.Received(bytes)
	a.lease.pace.rest(n, (n+render.RequestsAtOne-1)/render.RequestsAtOne, a.hosts.clock())
}

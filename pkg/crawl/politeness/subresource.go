package politeness

import (
	"context"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Subresources returns a gate for what a page requests while a browser renders it: robots.txt of each host must allow
// it. Such a request does not keep the pace, because a render is one start; only a robots.txt that is not known yet is
// requested in its host's pace. The gate is safe for concurrent use.
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

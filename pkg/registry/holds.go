package registry

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// certain is how long after its last write under the lock a batch certainly has the lock. An attempt that takes the
// lock over comes later: the host gives a message out again ten seconds after the call for it has failed (host.json).
const certain = 8 * time.Second

// confirm records that the batch has just written under its lock.
func (b *Batch) confirm(now time.Time) { b.confirmed.Store(now.UnixMilli()) }

// Holds returns nil if the batch still has its items. Only another attempt at the same message can take them before
// the lock ends. So Holds costs nothing for a job that came without a message, nor shortly after a commit; otherwise
// it costs one read. Errors: Conflict if another attempt has the items.
func (r *Hosts) Holds(ctx context.Context, b *Batch) error {
	now := r.s.Now()
	if b.attempt == (Attempt{}) || now.Sub(time.UnixMilli(b.confirmed.Load())) < certain {
		return nil
	}
	host, err := r.s.LoadHost(ctx, b.Partition, b.Host)
	if err != nil {
		return err
	}
	if !host.Policy.Has(b.owner) {
		return fault.New(fault.Conflict, "another attempt has taken over the items of %s", b.Host)
	}
	b.confirm(now)
	return nil
}

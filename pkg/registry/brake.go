package registry

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/schedule"
)

// A document leaves the index before its item is said to be Gone, so a tombstone is reserved in the
// batch's lease before the document leaves: batches side by side share the room of their host, and
// what one that dies had reserved is free again when its lease runs out. It costs two requests, for
// each page that goes.

// TakeRoom reserves one tombstone for a batch, if the brake leaves its host any. The losses are those
// of the host without it.
func (r *Registry) TakeRoom(ctx context.Context, b *Batch, brake schedule.Config) (l schedule.Losses, taken bool, err error) {
	err = r.onHost(ctx, b.Partition, b.Host, func(ctx context.Context) error {
		taken = false
		host, err := r.loadHost(ctx, b.Partition, b.Host)
		if err != nil {
			return err
		}
		mine := slices.IndexFunc(host.Leases, func(l lease) bool { return l.Owner == b.owner })
		if l = host.losses(r.now()); mine < 0 || brake.Room(l) <= 0 {
			return nil // whose lease is lost can commit nothing
		}
		host.Leases[mine].Room++
		_, err = r.items.Transact(ctx, host.op())
		taken = err == nil
		return asConflict(err)
	})
	return l, taken, err
}

// lose counts a tombstone for the brake, and takes it from what its owner has reserved.
func (h *hostState) lose(now time.Time, owner string) {
	if now.Sub(h.LossesFrom) >= schedule.LossWindow {
		h.LossesFrom, h.Losses = now, 0
	}
	h.Losses++
	h.Leases = slices.Clone(h.Leases)
	for i := range h.Leases {
		if l := &h.Leases[i]; l.Owner == owner {
			l.Room = max(0, l.Room-1)
		}
	}
}

// losses is what the host has lost in the present window of the brake, what it may lose by the
// batches that have begun, and of how many items.
func (h *hostState) losses(now time.Time) (l schedule.Losses) {
	if now.Sub(h.LossesFrom) < schedule.LossWindow {
		l.Gone = h.Losses
	}
	for _, lease := range h.Leases {
		l.Reserved += lease.Room
	}
	l.Items = l.Gone - h.Revisited
	for status, n := range h.Counts {
		if status != Gone {
			l.Items += n
		}
	}
	return l
}

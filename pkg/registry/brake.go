package registry

import (
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/schedule"
)

// A document leaves the index before its item is said to be Gone, so a batch must know before it
// commits how many tombstones its host has room for. Begin, which writes the host's row anyway,
// reserves them in the batch's lease: batches side by side share the room, and what one that dies
// had reserved is free again when its lease runs out.

// reserveRoom gives the batch that was begun last as many tombstones as its items can need and the
// host has left.
func (h *hostState) reserveRoom(now time.Time, items []*Item, brake schedule.Config) int {
	n := 0
	for _, it := range items {
		// What never was there is no loss, and what is gone already is no new one.
		if it.ContentHash != "" && it.GoneSince.IsZero() && brake.Miss(it.Schedule(), 1, now) == schedule.Gone {
			n++
		}
	}
	mine := &h.Leases[len(h.Leases)-1]
	mine.Room = max(0, min(n, brake.Room(h.losses(now))))
	return mine.Room
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

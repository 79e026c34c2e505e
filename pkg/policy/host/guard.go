package host

import (
	"time"

	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// Window is what a host has lost lately, for the mass-removal guard. A document leaves the index before
// its item is said to be Gone, so a tombstone is reserved in the batch's lease before the document
// leaves: batches side by side share the room of their host, and what one that dies had reserved is free
// again when its lease runs out.
type Window struct {
	From  time.Time `col:"lossesFrom"`
	Count int       `col:"losses"` // tombstones in it
}

// Lost is what the host has lost in the present window, what it may lose by the batches that have begun, and
// of how many items: those that are there now and those that it has lost.
func (s *State) Lost(now time.Time, there int) (l schedule.Losses) {
	if now.Sub(s.Losses.From) < schedule.LossWindow {
		l.Gone = s.Losses.Count
	}
	for _, lease := range s.Leases {
		l.Reserved += lease.Losses
	}
	l.Items = l.Gone + there
	return l
}

// ReserveLoss reserves one tombstone for a lease, if the guard leaves room for any. Who has lost its lease
// gets none: it can commit nothing.
func (s *State) ReserveLoss(owner string, lost schedule.Losses, guard schedule.Config) (reserved bool) {
	l := s.lease(owner)
	if l == nil || guard.Room(lost) <= 0 {
		return false
	}
	l.Losses++
	return true
}

// CountLoss counts a tombstone, and takes it from what its owner has reserved.
func (s *State) CountLoss(now time.Time, owner string) {
	if now.Sub(s.Losses.From) >= schedule.LossWindow {
		s.Losses = Window{From: now}
	}
	s.Losses.Count++
	if l := s.lease(owner); l != nil {
		l.Losses = max(0, l.Losses-1)
	}
}

package host

import (
	"time"

	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// Window counts the recent losses of a host, for the mass-removal guard. A document is removed from the index before
// its item becomes Gone. So a tombstone is reserved in the batch's lease before the document is removed. Thus
// concurrent batches share the losses that are allowed for their host, and when a batch dies, its reservations end
// with its lease.
type Window struct {
	From  time.Time `col:"lossesFrom"`
	Count int       `col:"losses"` // number of tombstones
}

// Lost returns the host's losses in the present window, the losses that active batches have reserved, and the number
// of items at the start of the window. The number of items that exist now must be given.
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

// ReserveLoss reserves one tombstone for a lease, if the guard allows it. An owner without a lease gets no
// reservation, because it cannot commit.
func (s *State) ReserveLoss(owner string, lost schedule.Losses, guard schedule.Config) (reserved bool) {
	l := s.lease(owner)
	if l == nil || guard.Room(lost) <= 0 {
		return false
	}
	l.Losses++
	return true
}

// CountLoss counts a tombstone, and removes it from the owner's reservation.
func (s *State) CountLoss(now time.Time, owner string) {
	if now.Sub(s.Losses.From) >= schedule.LossWindow {
		s.Losses = Window{From: now}
	}
	s.Losses.Count++
	if l := s.lease(owner); l != nil {
		l.Losses = max(0, l.Losses-1)
	}
}

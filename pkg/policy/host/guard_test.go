package host

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// TestA14LossesOfAHost checks that tombstones are reserved by leases, counted for a day, and taken from the
// reservation of their lease (A14).
func TestA14LossesOfAHost(t *testing.T) {
	guard := schedule.Defaults()
	h := State{Leases: []Lease{{Owner: "a"}, {Owner: "b"}}}
	there := 20 // of which four may go
	reserve := func(now time.Time, owner string, want bool) {
		t.Helper()
		if have := h.ReserveLoss(owner, h.Lost(now, there), guard); have != want {
			t.Fatalf("%s reserves one: %v, want %v", owner, have, want)
		}
	}
	lost := func(now time.Time, want schedule.Losses) {
		t.Helper()
		if have := h.Lost(now, there); have != want {
			t.Fatalf("lost %+v, want %+v", have, want)
		}
	}
	reserve(noon, "a", true)
	reserve(noon, "b", true)
	reserve(noon, "a", true)
	reserve(noon, "nobody", false)
	lost(noon, schedule.Losses{Reserved: 3, Items: 20})
	h.CountLoss(noon, "a")
	there--
	lost(noon, schedule.Losses{Gone: 1, Reserved: 2, Items: 20})
	reserve(noon, "b", true)
	reserve(noon, "b", false)
	h.Leases = h.Leases[:1] // b died
	reserve(noon, "a", true)
	h.CountLoss(noon.Add(time.Hour), "nobody") // it is counted without a reservation, too
	there--
	lost(noon.Add(time.Hour), schedule.Losses{Gone: 2, Reserved: 2, Items: 20})
	lost(noon.Add(schedule.LossWindow), schedule.Losses{Reserved: 2, Items: 18})
	h.CountLoss(noon.Add(schedule.LossWindow), "a")
	lost(noon.Add(schedule.LossWindow), schedule.Losses{Gone: 1, Reserved: 1, Items: 19})
}

package feed

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// TestChangesOfAnItem checks that the changes of an item are found by their times, in several segments, also when
// another writer's clock differs, and that nothing is found of another item or another time.
func TestChangesOfAnItem(t *testing.T) {
	c := newClock()
	f := Open(mem.New(c.now), c.now)
	must(t, f.Create(t.Context()))
	var lamp []time.Time
	for i := range 300 {
		id, at := fmt.Sprint("other", i), c.t
		if i%50 == 7 {
			id = "lamp"
			lamp = append(lamp, at)
		}
		if i%10 == 3 {
			at = at.Add(-30 * time.Second)
		}
		must(t, f.Publish(t.Context(), Group{ID: fmt.Sprint("g", i), Changes: []Change{{ItemID: id, At: at, Kind: Content}}}))
		c.t = c.t.Add(17 * time.Minute)
	}
	if all, err := f.segments(t.Context()); err != nil || len(all) < 3 {
		t.Fatalf("%d segments: %v", len(all), err)
	}
	found, err := f.OfItem(t.Context(), []string{"lamp"}, append(lamp, lamp[2]))
	must(t, err)
	if len(found) != len(lamp) {
		t.Fatalf("%d changes, want %d", len(found), len(lamp))
	}
	for i, c := range found {
		if want := lamp[len(lamp)-1-i]; c.ItemID != "lamp" || !c.At.Equal(want) {
			t.Errorf("change %d is %s at %s, want that at %s", i, c.ItemID, c.At, want)
		}
	}
	found, err = f.OfItem(t.Context(), []string{"lamp"},
		[]time.Time{lamp[0].Add(16 * time.Hour), c.t.AddDate(1, 0, 0), {}})
	if must(t, err); len(found) != 0 {
		t.Errorf("found %d changes of another time", len(found))
	}
}

package registry

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// TestA23DueAtLeast checks that the number of due items is exact up to the most that are counted, also beside claimed
// ones, and that it is told as a lower bound above that.
func TestA23DueAtLeast(t *testing.T) {
	b := openMem(t, Options{})
	b.register(t, RegisterOptions{}, "https://a.example/claimed")
	b.clock.Advance(time.Minute)
	due := func(from, to int) {
		var ops []storage.Op
		for i := from; i < to; i++ {
			ops = append(ops, storage.Op{Kind: storage.Insert, Entity: storage.Entity{
				Key:   storage.Key{Partition: "a.example", Row: dueRow(b.clock.Now(), fmt.Sprintf("%064d", i))},
				Props: storage.Properties{"host": "a.example"}}})
		}
		for some := range slices.Chunk(ops, storage.MaxOps) {
			if _, err := b.s.Items.Transact(t.Context(), some...); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, step := range []struct {
		from, rows int
		unread     bool
	}{{0, maxDueCount, false}, {maxDueCount, maxDueCount + 1, true}} {
		due(step.from, step.rows)
		stats, err := b.Hosts.Stats(t.Context(), "a.example")
		if err != nil || len(stats) != 1 || stats[0].Due != maxDueCount || stats[0].InFlight != 1 ||
			stats[0].Unread != step.unread || !stats[0].NextDueAt.IsZero() {
			t.Errorf("%d due: %+v (%v)", step.rows, stats, err)
		}
	}
}

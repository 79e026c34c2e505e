package watch_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// W25: TestW25SeenEntries checks that an entry is fresh exactly if no earlier reading had it, as long as not more are
// remembered than the bound, and that then those are forgotten that were not shown for the longest time.
func TestW25SeenEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var seen watch.Seen
		known := map[string]bool{}
		for range rapid.IntRange(1, 6).Draw(t, "readings") {
			ids := rapid.SliceOfNDistinct(rapid.StringMatching("[a-h]{1,2}"), 0, 12, rapid.ID).Draw(t, "ids")
			next, fresh, forgotten := seen.See(ids)
			for i, id := range ids {
				if slices.Contains(fresh, i) == known[id] {
					t.Errorf("%s is fresh: %v", id, !known[id])
				}
				known[id] = true
			}
			if seen = next; forgotten != 0 || seen.Len() != len(known) {
				t.Errorf("%d of %d, %d are forgotten", seen.Len(), len(known), forgotten)
			}
		}
	})
	var seen watch.Seen
	lost := 0
	for from := 0; from < watch.MaxSeen+100; from += 100 {
		ids := []string{"sticky"}
		for i := range 100 {
			ids = append(ids, fmt.Sprint(from+i))
		}
		next, _, forgotten := seen.See(ids)
		seen, lost = next, lost+forgotten
	}
	_, fresh, _ := seen.See([]string{"sticky", "0", "100", "2099"})
	if seen.Len() != watch.MaxSeen || lost != 101 || !slices.Equal(fresh, []int{1, 2}) && !slices.Equal(fresh, []int{1}) {
		t.Errorf("%d entries, %d forgotten, fresh: %v", seen.Len(), lost, fresh)
	}
}

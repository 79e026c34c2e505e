package soaktest

import (
	"fmt"
	"testing"
)

// TestShare checks that a share has the step that a test asks for, that all of it is taken by the tests together, and
// that -soak takes everything.
func TestShare(t *testing.T) {
	defer func(was bool) { *soak = was }(*soak)
	*soak = false
	seen := map[int]bool{}
	for n := range 100 {
		t.Run(fmt.Sprint("case ", n), func(t *testing.T) {
			first, next := Share(t, 7)
			if again, _ := Share(t, 7); next != 7 || first < 0 || first > 6 || again != first {
				t.Errorf("%d, then %d, then each %d", first, again, next)
			}
			seen[first] = true
		})
	}
	if len(seen) != 7 || Count(3, 8) != 3 {
		t.Errorf("%v begin a share, %d times", seen, Count(3, 8))
	}
	*soak = true
	if first, next := Share(t, 7); first != 0 || next != 1 || Count(3, 8) != 8 {
		t.Errorf("%d, each %d, %d times", first, next, Count(3, 8))
	}
}

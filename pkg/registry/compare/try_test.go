package compare

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// W23: TestW23LargeCaptures checks that a trial reads a limited number of bytes, that it reads at least one capture,
// and that the others are known.
func TestW23LargeCaptures(t *testing.T) {
	for name, tt := range map[string]struct {
		sizes []int64
		read  int
	}{
		"none":           {nil, 0},
		"small":          {[]int64{1000, 1000, 1000}, 3},
		"up to the size": {[]int64{maxRead / 2, maxRead / 2, 1}, 2},
		"a large one":    {[]int64{2 * maxRead, 1}, 1},
	} {
		var all []snapshot.Capture
		for _, n := range tt.sizes {
			all = append(all, snapshot.Capture{Bytes: n})
		}
		if read, large := affordable(all); len(read) != tt.read || len(large) != len(all)-tt.read {
			t.Errorf("%s: reads %d, leaves %d", name, len(read), len(large))
		}
	}
}

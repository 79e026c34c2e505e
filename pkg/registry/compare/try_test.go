package compare

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/content/pick"
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

// W23: TestW23WhatIsNotListed checks that a list says all that is missing of a page.
func TestW23WhatIsNotListed(t *testing.T) {
	if cut := cutOf("", Elements{Total: maxElementLines, Lines: []pick.Line{{}}}); cut != "" {
		t.Error(cut)
	}
	cut := cutOf("only 1 MiB is read", Elements{Total: maxElementLines + 1, Lines: []pick.Line{{More: true}}})
	want := "only 1 MiB is read; the first 300 of 301 texts are listed; of some texts, only the first 12 parts are listed"
	if cut != want {
		t.Errorf("%s\nwant %s", cut, want)
	}
}

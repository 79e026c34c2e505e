package snapshot

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/storage"
)

// TestA21Pages checks that captures and edges are listed completely in pages of any size, each once and in order
// (A21, B4).
func TestA21Pages(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		p := newPast(t, open(t, empty()))
		for i := range 12 {
			name := fmt.Sprint(i)
			p.run(shot{"p", "p", name, name, "v1"}, shot{"q", "q", name + "q", name + "q", "v1"})
		}
		all, err := p.s.List(t.Context(), idOf("p"))
		must(t, err)
		edges, err := p.s.Edges(t.Context(), idOf("p"), 100)
		must(t, err)
		if len(all) != 12 || len(edges) != 11 {
			t.Fatalf("%d captures, %d edges", len(all), len(edges))
		}
		for _, size := range []int{1, 5, 6, 11, 12, 999} {
			var captures []Capture
			for after := "start"; after != ""; {
				page, next, err := p.s.Page(t.Context(), idOf("p"), strings.TrimPrefix(after, "start"), size)
				must(t, err)
				if len(page) > size || len(page) == 0 {
					t.Fatalf("a page of %d, want %d at most", len(page), size)
				}
				captures, after = append(captures, page...), next
			}
			if diff := cmp.Diff(all, captures); diff != "" ||
				!slices.IsSortedFunc(captures, func(a, b Capture) int { return strings.Compare(a.RawHash, b.RawHash) }) {
				t.Errorf("pages of %d:\n%s", size, diff)
			}
			var listed []lineage.Edge
			for after := "start"; after != ""; {
				page, next, err := p.s.EdgesAfter(t.Context(), idOf("p"), strings.TrimPrefix(after, "start"), size)
				must(t, err)
				listed, after = append(listed, page...), next
			}
			if diff := cmp.Diff(edges, listed); diff != "" {
				t.Errorf("pages of %d edges:\n%s", size, diff)
			}
		}
		for _, place := range []string{"x", "0|1", strings.Repeat("9", 13) + "-" + strings.Repeat("g", 64)} {
			if _, _, err := p.s.EdgesAfter(t.Context(), idOf("p"), place, 5); !fault.Is(err, fault.Invalid) {
				t.Errorf("%q: %v, want Invalid", place, err)
			}
		}
	})
}

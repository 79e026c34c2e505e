package searchtest

import (
	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// inventory checks that an audit sees the pages that were put.
func (s *suite) inventory() {
	ix := s.ix.(search.Inventory)
	a := page("a", "Basin", "the basin", "another basin")
	a.Images = []search.Image{{ID: "img_a", Src: "https://port.example/a.jpg"}}
	s.put(a, page("b-1", "Quay", "the quay"), page("c", "Mole"))
	stored, err := ix.Inspect(s.Context(), "a")
	if err != nil {
		s.Fatal(err)
	}
	want := search.Stored{Chunks: a.Contents().Chunks, Images: map[string]bool{"img_a": true}}
	if diff := cmp.Diff(want, stored); diff != "" {
		s.Errorf("-want +have\n%s", diff)
	}
	if _, err := ix.Inspect(s.Context(), "nobody"); !fault.Is(err, fault.NotFound) {
		s.Errorf("a page that is not there: %v", err)
	}
	texts, err := s.ix.Texts(s.Context(), "a", []string{uid("a", 1), "of nobody"})
	if diff := cmp.Diff(map[string]string{uid("a", 1): "another basin"}, texts); diff != "" || err != nil {
		s.Errorf("texts: %v, -want +have\n%s", err, diff)
	}
	if texts, err := s.ix.Texts(s.Context(), "nobody", []string{uid("a", 1)}); err != nil || len(texts) > 0 {
		s.Errorf("texts of a page that is not there: %v, %v", texts, err)
	}
	for _, tc := range []struct {
		after string
		top   int
		want  []string
	}{{"", 10, []string{"a", "b-1", "c"}}, {"a", 1, []string{"b-1"}}, {"b-1", 10, []string{"c"}}, {"c", 10, nil},
		{"b", 10, []string{"b-1", "c"}}} {
		ids, err := ix.IDs(s.Context(), tc.after, tc.top)
		if diff := cmp.Diff(tc.want, ids); diff != "" || err != nil {
			s.Errorf("after %q: %v, -want +have\n%s", tc.after, err, diff)
		}
	}
}

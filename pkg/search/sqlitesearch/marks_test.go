package sqlitesearch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/search"
)

func TestReadMarks(t *testing.T) {
	for _, tc := range []struct {
		name, marked, text string
		want               []search.Range
	}{
		{"none", "a b", "a b", nil},
		{"two", "\ufdd0a\ufdd1 \ufdd0é\ufdd1", "a é", []search.Range{{From: 0, To: 1}, {From: 2, To: 4}}},
		{"stray", "a \ufdd1b\ufdd0 c", "a b c", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text, ranges := readMarks(tc.marked)
			if diff := cmp.Diff(tc.want, ranges); diff != "" || text != tc.text {
				t.Errorf("%q: -want +have\n%s", text, diff)
			}
		})
	}
}

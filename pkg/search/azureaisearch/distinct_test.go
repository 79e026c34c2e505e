package azureaisearch

import (
	"fmt"
	"testing"

	"github.com/tidemark/tidemark/pkg/search"
)

// S14: a search requests the documents of pages only if two of one group were found. The requests are bounded when a
// site gives one canonical address for thousands of pages.
func TestS14RequestsOfASearch(t *testing.T) {
	ix, server := created(t, 0)
	put := func(id, group string) {
		p := page(id, "the tide of "+id)
		p.Group, p.Content = group, "content"
		must(t, ix.Put(t.Context(), p))
		server.Refresh()
	}
	requests := func() int {
		server.Requests()
		found(t, ix, search.Query{Text: "tide"})
		return len(server.Requests())
	}
	put("a", "g")
	alone := requests()
	put("b", "h")
	if have := requests(); have != alone {
		t.Errorf("%d requests for pages of two groups, %d for one page", have, alone)
	}
	put("c", "g")
	if have := requests(); have != alone+1 {
		t.Errorf("%d requests for two pages of a group, %d for one page", have, alone)
	}
	var many []group
	for i := range 3 * maxCompared {
		many = append(many, group{page: fmt.Sprint("p", i), hits: []row{{Group: "g"}}})
	}
	if left, err := ix.distinct(t.Context(), many); err != nil || len(left) != len(many) {
		t.Errorf("%d of %d are left: %v", len(left), len(many), err)
	}
	if have := len(server.Requests()); have != maxCompared/idsPerFilter {
		t.Errorf("%d requests for %d pages of a group", have, len(many))
	}
}

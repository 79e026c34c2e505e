package history

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Z1: captures and edges of all ids that an item has had are listed in pages without gaps.
func TestZ1PastInPages(t *testing.T) {
	ids := []source.ID{"url_a", "url_b", "url_c", "url_d"}
	kept := map[source.ID][]string{"url_a": {"1", "2", "3"}, "url_b": nil, "url_c": {"4"}, "url_d": {"5", "6"}}
	list := func(id source.ID, after string, top int) (page []string, next string, err error) {
		for _, v := range kept[id] {
			if v <= after {
				continue
			}
			if len(page) == top {
				return page, page[top-1], nil
			}
			page = append(page, v)
		}
		return page, "", nil
	}
	for top := 1; top < 8; top++ {
		all, after := "", ""
		for range 10 {
			got, next, err := page(ids, after, top, list)
			if err != nil {
				t.Fatal(err)
			}
			if all += strings.Join(got, ""); len(got) > top {
				t.Errorf("a page of %d has %d", top, len(got))
			}
			if after = next; next == "" {
				break
			}
		}
		if all != "123456" {
			t.Errorf("in pages of %d: %s", top, all)
		}
	}
	if _, _, err := page(ids, "url_x.1", 2, list); err == nil {
		t.Error("a place under the id of somebody else is taken")
	}
}

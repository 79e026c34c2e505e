package sqlitesearch

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/search"
)

// readMarks takes the marks out of a highlighted text.
func readMarks(marked string) (text string, ranges []search.Range) {
	var out strings.Builder
	from := -1
	for _, r := range marked {
		switch {
		case r == markOpen:
			from = out.Len()
		case r == markClose && from >= 0:
			ranges = append(ranges, search.Range{From: from, To: out.Len()})
			from = -1
		case r != markClose:
			out.WriteRune(r)
		}
	}
	return out.String(), ranges
}

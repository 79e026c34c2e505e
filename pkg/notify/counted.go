package notify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

// became has, for each kind of change, the words for what happened to the pages.
var became = []struct {
	words string
	kinds []api.ChangeKind
}{
	{"added", []api.ChangeKind{api.ChangeNew}},
	{"gone", []api.ChangeKind{api.ChangeGone}},
	{"back", []api.ChangeKind{api.ChangeBack}},
	{"failing", []api.ChangeKind{api.ChangeFailing}},
	{"read again", []api.ChangeKind{api.ChangeRecovered}},
}

// counted returns the numbers of pages by kind of change, for example: 312 pages were added, 4 changed.
func counted(kinds map[string]int) string {
	rest := 0
	for _, n := range kinds {
		rest += n
	}
	var out []string
	add := func(n int, words string) {
		switch {
		case n == 0:
		case len(out) == 0 && n == 1 && words == "changed":
			out = append(out, "1 page changed")
		case len(out) == 0 && n == 1:
			out = append(out, "1 page was "+words)
		case len(out) == 0 && words == "changed":
			out = append(out, fmt.Sprintf("%d pages changed", n))
		case len(out) == 0:
			out = append(out, fmt.Sprintf("%d pages were %s", n, words))
		default:
			out = append(out, fmt.Sprintf("%d %s", n, words))
		}
	}
	for _, b := range became {
		n := 0
		for kind, count := range kinds {
			if slices.Contains(b.kinds, api.ChangeKind(kind)) {
				n += count
			}
		}
		rest -= n
		add(n, b.words)
	}
	add(rest, "changed")
	return strings.Join(out, ", ")
}

package notify

import (
	"fmt"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

// inDigest is the number of changes that a digest lists.
const inDigest = 20

// lineText returns a line of a digest: a headline and the address, and of equal changes the difference and the pages.
func lineText(l api.ChangeLine) string {
	first := l.Changes[0]
	if l.Count == 1 {
		return Headline(first) + "\n" + first.URL + "\n"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "on %d pages of %s – %s\n", l.Count, first.Host, first.Kind)
	fmt.Fprintf(&out, "%s\n", passagesText(first.Passages))
	for i, c := range l.Changes {
		if i == inDigest {
			break
		}
		out.WriteString(c.URL + "\n")
	}
	if more := l.Count - inDigest; more > 0 {
		fmt.Fprintf(&out, "and %d more pages\n", more)
	}
	return out.String()
}

// alikeJSON returns the lines of several equal changes in the API's form.
func alikeJSON(l api.ChangeLines) (out []api.AlikeChanges) {
	for _, line := range l.All {
		if line.Count == 1 {
			continue
		}
		first := line.Changes[0]
		a := api.AlikeChanges{Host: first.Host, Kind: first.Kind, Count: line.Count, Passages: first.Passages}
		for _, c := range line.Changes {
			a.URLs = append(a.URLs, c.URL)
		}
		out = append(out, a)
	}
	return out
}

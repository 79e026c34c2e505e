package notify

import (
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// inDigest is the number of changes that a digest lists.
const inDigest = 20

// partsOf returns the lines of a message as its parts.
func partsOf(lines api.ChangeLines) (out []letter.Part) {
	for _, line := range lines.All {
		p := letter.Part{Change: line.Changes[0], Count: line.Count}
		if p.Count > 1 {
			p.Pages = line.Changes
		}
		out = append(out, p)
	}
	return out
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

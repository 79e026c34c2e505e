package frame

import (
	"cmp"

	"github.com/tidemark/tidemark/pkg/api"
)

// ItemTitle returns the title of an item, or the address of its source if it has none.
func ItemTitle(it api.Item) string { return cmp.Or(it.Title, itemSource(it)) }

// itemSource returns the address of an item's source.
func itemSource(it api.Item) string { return cmp.Or(it.DisplaySource, it.NormalizedSource) }

// Bodies returns, of all captures with the same bytes, only the one that was read last. The others would add nothing
// to a comparison of texts, because stored bytes are always read by today's rules.
func Bodies(captures []api.Capture) (out []api.Capture) {
	seen := map[string]bool{}
	for _, c := range captures {
		if !seen[c.SHA256] {
			out = append(out, c)
		}
		seen[c.SHA256] = true
	}
	return out
}

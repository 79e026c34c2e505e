package show

import "github.com/tidemark/tidemark/pkg/api"

// ItemTitle returns a title for an item, made from the address of its source.
func ItemTitle(it api.Item) string {
	if it.DisplaySource != "" {
		return it.DisplaySource
	}
	return it.NormalizedSource
}

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

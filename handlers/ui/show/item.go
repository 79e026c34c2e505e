package show

import "github.com/tidemark/tidemark/pkg/api"

// ItemTitle returns a title for an item, made from the address of its source.
func ItemTitle(it api.Item) string {
	if it.DisplaySource != "" {
		return it.DisplaySource
	}
	return it.NormalizedSource
}

// Bodies keeps only one of the captures with the same bytes: the one that was read last. To compare texts, the stored
// bytes are read by today's rules anyway.
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

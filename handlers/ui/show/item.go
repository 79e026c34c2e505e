package show

import "github.com/tidemark/tidemark/pkg/api"

// ItemTitle names an item by its source.
func ItemTitle(it api.Item) string {
	if it.DisplaySource != "" {
		return it.DisplaySource
	}
	return it.NormalizedSource
}

// Bodies keeps one capture of each body, the one that was read last, because texts are compared as they are read
// today.
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

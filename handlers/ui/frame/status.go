package frame

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

// tone returns the CSS class for the colour of a status.
func tone(s api.Status) string {
	switch s {
	case api.StatusIndexed:
		return "good"
	case api.StatusError:
		return "bad"
	case api.StatusPending, api.StatusCrawled:
		return "wait"
	}
	return "quiet"
}

// meaning explains a status.
func meaning(s api.Status) string {
	return map[api.Status]string{
		api.StatusIndexed: "found by searches", api.StatusCrawled: "fetched and stored, not indexed yet",
		api.StatusPending:    "registered, not fetched yet",
		api.StatusError:      "the last check failed; it will be retried",
		api.StatusOutOfScope: "excluded by robots.txt, noindex or a rule, or another item stands for it",
		api.StatusGone:       "missing on several checks in a row; still checked occasionally",
	}[s]
}

// stateTone returns the CSS class for the colour of a state. The state is that of a run, a source, a rebuild, a
// batch, an import or one of its lines.
func stateTone(state string) string {
	switch strings.ToLower(state) {
	case "completed", "done", "enriched", "sent":
		return "good"
	case "failed":
		return "bad"
	case "cancelled", "skipped":
		return "quiet"
	}
	return "wait"
}

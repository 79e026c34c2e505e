package client

import (
	"strings"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// renderedFields says what a browser showed of an item, what that cost, and what may be missing.
func renderedFields(now time.Time, it api.ItemDetail) []field {
	r := it.Rendered
	if it.LacksBrowser() {
		return []field{{"in a browser", "not read, because none is set up: see `tidemark start --browser` or " +
			"RENDER_ENDPOINT"}}
	}
	if r == nil {
		return nil
	}
	how := "read " + terminal.Moment(now, r.At) + ", because " + r.Why
	if it.StaysThin() {
		how = "read " + terminal.Moment(now, r.At) + ", and it said no more there"
	} else if r.Needless {
		how = "needs none: it said the same in one " + terminal.Moment(now, r.At)
	}
	var refused []string
	for _, f := range r.Refused {
		refused = append(refused, f.Words())
	}
	cost := terminal.Join(", ", r.Seconds(), words.Count(r.Requests, "request"),
		words.Thousands(int(r.Bytes))+" bytes", r.Browser)
	return []field{{"in a browser", how}, {"may be missing", r.Lacks()}, {"refused", strings.Join(refused, "; ")},
		{"led to", r.URL}, {"render cost", cost},
		{"picture", terminal.When(r.PictureOnly, "it shows a picture, and hardly any text")},
		{"data", terminal.When(r.DataChanges, "changes while its own HTML stays the same, so each check renders it")}}
}

// renderedPages says what browsers cost, and how often none was needed.
func renderedPages(r api.Renders) string {
	text := "since the server started: " + words.Count(r.Pages, "page") + " rendered"
	text += terminal.When(r.Pages > 0, ", %.1f s each on average, %s failed", r.MeanSeconds,
		words.Thousands(r.Failed))
	return text + "; " + percent(r.SparedShare()) + " of the checks of pages that may be rendered used no browser"
}

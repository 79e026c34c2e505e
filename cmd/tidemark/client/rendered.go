package client

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// addRendering adds the flags that say whether a page is read in a browser, and how.
func addRendering(f *pflag.FlagSet, r *api.Rendering) {
	f.StringVar(&r.Render, "render", "", "`WHEN` to read it in a browser: never, thin (if it has little text without "+
		"its scripts) or always")
	f.StringVar(&r.RenderInterval, "render-interval", "", "how often it is rendered while its own HTML stays the same: "+
		"`6h`")
	f.StringVar(&r.WaitFor, "wait-for", "", "in a browser, wait until an element matches this CSS `SELECTOR`")
	f.StringVar(&r.Viewport, "viewport", "", "width and height of the browser's window in pixels: `1280x1024`")
	f.StringVar(&r.AcceptLanguage, "accept-language", "", "languages that the browser asks for: `de-DE,de`; en by default")
	f.StringVar(&r.ColorScheme, "color-scheme", "", "colours that the browser asks for: `light` or dark")
	f.StringArrayVar(&r.PostHosts, "post-host", nil, "another `HOST` to which the page may send a POST; may be repeated")
}

// renderingTexts returns the settings of a browser as texts, by their names in the API.
func renderingTexts(r api.Rendering) []field {
	return []field{{"render", r.Render}, {"renderInterval", r.RenderInterval}, {"waitFor", r.WaitFor},
		{"viewport", r.Viewport}, {"acceptLanguage", r.AcceptLanguage}, {"colorScheme", r.ColorScheme},
		{"postHosts", strings.Join(r.PostHosts, ", ")}}
}

// renderingNames are the names of settings of a browser where they are shown, by their names in the API.
var renderingNames = map[string]string{"render": "renders", "renderInterval": "renders every", "waitFor": "waits for",
	"viewport": "viewport", "acceptLanguage": "language", "colorScheme": "colours", "postHosts": "may POST to"}

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
	out := []field{{"in a browser", how}, {"may be missing", r.Lacks()}, {"refused", strings.Join(refused, "; ")},
		{"led to", r.URL}, {"render cost", renderCost(*r)}}
	if r.PictureOnly {
		out = append(out, field{"picture", "it shows a picture, and hardly any text"})
	}
	if r.DataChanges {
		out = append(out, field{"data", "changes while its own HTML stays the same, so each check renders it"})
	}
	return out
}

func renderCost(r api.Rendered) string {
	cost := r.Seconds() + ", " + words.Count(r.Requests, "request") + ", " + words.Thousands(int(r.Bytes)) + " bytes"
	if r.Browser != "" {
		cost += ", " + r.Browser
	}
	return cost
}

// renderedPages says what browsers cost, and how often none was needed.
func renderedPages(r api.Renders) string {
	text := "since the server started: " + words.Count(r.Pages, "page") + " rendered"
	if r.Pages > 0 {
		text += fmt.Sprintf(", %.1f s each on average, %s failed", r.MeanSeconds, words.Thousands(r.Failed))
	}
	return text + "; " + percent(r.SparedShare()) + " of the checks of pages that may be rendered used no browser"
}

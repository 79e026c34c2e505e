package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/openapi"
)

// service are the operations that tell of the app itself.
func service() []operation {
	return []operation{
		{
			route: "GET health", id: "getHealth", tag: tagService, open: true,
			summary: "Tell whether the app can work",
			gives: []answer{
				{status: http.StatusOK, about: "Everything that it depends on answers.", types: []any{api.Health{}}},
				{status: http.StatusServiceUnavailable, about: "Something does not; the answer says what.", types: []any{api.Health{}}},
			},
			fails: []int{http.StatusServiceUnavailable},
			shown: []string{"health", "health during a rebuild"},
		},
		{
			route: "GET config", id: "getConfig", tag: tagService,
			summary: "Tell how the app was set",
			about:   "Of what may be secret no more than that it is set.",
			gives:   ok(http.StatusOK, "The settings by name.", api.Config{}),
			shown:   []string{"D5 settings"},
		},
		{
			route: "GET metrics", id: "getMetrics", tag: tagService,
			summary: "Read counters and histograms",
			about:   "For Prometheus, in its text format, of the one instance that answers, since it started. Where there are several, each scrape may meet another: there, ask the log and `activity`.",
			gives:   []answer{{status: http.StatusOK, about: "The text format, version 0.0.4.", media: "text/plain"}},
		},
		{
			route: "GET activity", id: "getActivity", tag: tagService,
			summary: "Tell what was done in the last hours",
			about:   "By all instances together, hour by hour for up to 30 days; rows are kept for 90. Where so many instances wrote that not all can be added up, `from` is later than was asked for.",
			params:  []openapi.Parameter{query("hours", "How many, the present one included.", number(api.DefaultHours, 1, api.MaxHours))},
			gives:   ok(http.StatusOK, "Sums, in total and by hour.", api.Activity{}),
			shown:   []string{"A23 activity"},
		},
		{
			route: "GET openapi.json", id: "getOpenAPI", tag: tagService,
			summary: "Read this document",
			gives:   ok(http.StatusOK, "An OpenAPI 3.1 document.", map[string]any{}),
		},
		{
			route: "GET docs", id: "getDocs", tag: tagService,
			summary: "Read this document as a page",
			about:   "For browsers, with the key as `?code=`. The page has no scripts and takes nothing from elsewhere.",
			gives:   []answer{{status: http.StatusOK, about: "A page.", media: "text/html"}},
		},
	}
}

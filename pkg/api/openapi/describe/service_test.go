package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// service are the operations that tell of the app itself.
func service() []operation {
	return []operation{
		{
			of: api.GetHealth.Endpoint, id: "getHealth", tag: tagService, open: true,
			summary: "Tell whether the app can work",
			gives:   "Everything that it depends on answers, and can be written.",
			other:   "Something does not, is damaged, or its disk is full; the answer says what, and what to do.",
			fails:   []int{http.StatusServiceUnavailable},
			shown:   []string{"health", "health during a rebuild"},
		},
		{
			of: api.GetConfig.Endpoint, id: "getConfig", tag: tagService,
			summary: "Tell how the app was set",
			about:   "Of what may be secret no more than that it is set.",
			gives:   "The settings by name.",
			shown:   []string{"D5 settings"},
		},
		{
			of: api.ListKeys.Endpoint, id: "listKeys", tag: tagService,
			summary: "List the keys",
			about:   "Those that were added, and those of the file and of the environment; of none the key itself.",
			gives:   "The keys, by name.",
			shown:   []string{"the keys"},
		},
		{
			of: api.AddKey.Endpoint, id: "addKey", tag: tagService,
			summary: "Make a key",
			about: "What is kept of it is a hash. 409 when the name is taken. A key may be used for what its scope says, and " +
				"for what the scopes before it do: feed, read, write, admin.",
			gives: "The key, this once.",
			fails: []int{http.StatusConflict},
			shown: []string{"a key is added"},
		},
		{
			of: api.RemoveKey.Endpoint, id: "removeKey", tag: tagService,
			summary: "End a key, and the sessions that were begun with it",
			about:   "Other instances refuse it within five seconds.",
			gives:   "The key that was.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"a key is removed"},
		},
		{
			of: api.GetMetrics.Endpoint, id: "getMetrics", tag: tagService,
			summary: "Read counters and histograms",
			about: "For Prometheus, in its text format, of the one instance that answers, since it started. Where there are " +
				"several, each scrape may meet another: there, ask the log and `activity`.",
			gives: "The text format, version 0.0.4.", media: "text/plain",
		},
		{
			of: api.GetActivity.Endpoint, id: "getActivity", tag: tagService,
			summary: "Tell what was done in the last hours",
			about: "By all instances together, hour by hour for up to 30 days; rows are kept for 90. Where so many " +
				"instances wrote that not all can be added up, `from` is later than was asked for.",
			gives: "Sums, in total and by hour.",
			shown: []string{"A23 activity"},
		},
		{
			of: api.GetOpenAPI.Endpoint, id: "getOpenAPI", tag: tagService,
			summary: "Read this document",
			gives:   "An OpenAPI 3.1 document.",
		},
		{
			of: api.CallTool.Endpoint, id: "callTool", tag: tagService,
			summary: "Speak the Model Context Protocol",
			about: "Its streamable HTTP, without sessions and streams: each request has a JSON-RPC message and `Accept: " +
				"application/json, text/event-stream`, the answer is JSON. The tools may do what the key may. A notification is " +
				"answered by 202, a request for a stream by 405.",
			gives: "The answer to the message.",
			shown: []string{"J7 an assistant says hello"},
		},
		{
			of: api.GetDocs.Endpoint, id: "getDocs", tag: tagService,
			summary: "Read this document as a page",
			about: "For browsers; `ui/docs` is the same page for whoever signed in. The page has no scripts and takes nothing " +
				"from elsewhere.",
			gives: "A page.", media: "text/html",
		},
	}
}

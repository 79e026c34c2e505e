package openapitest

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// service describes the operations about the app itself.
func service() []operation {
	return []operation{
		{
			of: api.GetHealth.Endpoint, id: "getHealth", tag: tagService, open: true,
			summary: "Check whether the app works",
			gives:   "Everything that the app depends on answers and can be written.",
			other: "Something does not answer, is damaged, or its disk is full; the answer says what, and what " +
				"to do.",
			fails: []int{http.StatusServiceUnavailable},
			shown: []string{"health", "health during a rebuild"},
		},
		{
			of: api.GetConfig.Endpoint, id: "getConfig", tag: tagService,
			summary: "Show the settings",
			about:   "Of settings that may be secret, it only shows that they are set.",
			gives:   "The settings by name.",
			shown:   []string{"D5 settings"},
		},
		{
			of: api.GetSettings.Endpoint, id: "getSettings", tag: tagService,
			summary: "Show the settings, where each comes from, and what it may be",
			about: "From the environment, else from the settings file, else the default. `tidemark settings set` changes " +
				"the file; where `restart` is false, a running server takes over a change within a minute.",
			gives: "The settings, in the order of the documentation.",
			shown: []string{"L10 settings"},
		},
		{
			of: api.PatchSettings.Endpoint, id: "patchSettings", tag: tagService,
			summary: "Change settings while the program runs",
			about: "They are checked as at a start, written into the settings file, and applied at once. 409: the environment " +
				"sets one of them, or the file cannot be written.",
			gives: "The settings, as they are now.",
			fails: []int{http.StatusConflict},
			shown: []string{"L11 a setting is changed", "L11 it is taken out of the file"},
		},
	}
}

// keying describes the operations on keys, and those about the description of the API.
func keying() []operation {
	return []operation{
		{
			of: api.ListKeys.Endpoint, id: "listKeys", tag: tagService,
			summary: "List the keys",
			about: "Keys that were added, and keys from the file and the environment. The keys themselves are " +
				"not shown.",
			gives: "The keys, by name.",
			shown: []string{"the keys"},
		},
		{
			of: api.AddKey.Endpoint, id: "addKey", tag: tagService,
			summary: "Create a key",
			about: "Only a hash of it is stored. 409 when the name is taken. A key allows what its scope and the " +
				"scopes before it allow: feed, read, write, admin.",
			gives: "The key, this once.",
			fails: []int{http.StatusConflict},
			shown: []string{"a key is added"},
		},
		{
			of: api.RemoveKey.Endpoint, id: "removeKey", tag: tagService,
			summary: "Remove a key, and end the sessions that were started with it",
			about:   "Other instances refuse the key within five seconds.",
			gives:   "The removed key.",
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"a key is removed"},
		},
		{
			of: api.GetMetrics.Endpoint, id: "getMetrics", tag: tagService,
			summary: "Read metrics",
			about:   "In the Prometheus text format, of the instance that answers. With several, use log and `activity`.",
			gives:   "The text format, version 0.0.4.", media: "text/plain",
		},
		{
			of: api.GetActivity.Endpoint, id: "getActivity", tag: tagService,
			summary: "Show the activity of the last hours",
			about: "Of all instances together, hour by hour for up to 30 days; rows are kept for 90 days. If so " +
				"many instances wrote that they cannot all be added up, `from` is later than requested.",
			gives: "Sums, in total and by hour.",
			shown: []string{"A23 activity"},
		},
		{
			of: api.CallTool.Endpoint, id: "callTool", tag: tagService,
			summary: "Call tools by the Model Context Protocol",
			about: "Streamable HTTP, without sessions and streams: each request is one JSON-RPC message with " +
				"`Accept: application/json, text/event-stream`, and the answer is JSON. The tools may do what " +
				"the key allows. A notification is answered with 202, a request for a stream with 405.",
			gives: "The answer to the message.",
			shown: []string{"J7 an assistant says hello"},
		},
	}
}

// documents describes the operations that serve descriptions.
func documents() []operation {
	return []operation{
		{
			of: api.GetOpenAPI.Endpoint, id: "getOpenAPI", tag: tagService,
			summary: "Read this document",
			gives:   "An OpenAPI 3.1 document.",
		},
		{
			of: api.GetSchema.Endpoint, id: "getSchema", tag: tagService, open: true,
			summary: "Read the schema of a file that people write",
			about: "For editors, which send no key: of the file of rules and channels (`rules`), or of the site " +
				"file (`sites`).",
			gives: "A JSON Schema, draft 2020-12.",
			fails: []int{http.StatusNotFound},
		},
		{
			of: api.GetDocs.Endpoint, id: "getDocs", tag: tagService,
			summary: "Read this document as a page",
			about: "For browsers. `ui/docs` is the same page for people who are signed in. The page has no " +
				"scripts and loads nothing from elsewhere.",
			gives: "A page.", media: "text/html",
		},
	}
}

package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/openapi"
)

// searching are the operations that read the index and the counts.
func searching() []operation {
	return []operation{
		{
			route: "GET Search", id: "search", tag: tagSearch,
			summary: "Search",
			about:   "As POST, with the same names in the query.",
			reads:   api.SearchRequest{},
			gives:   ok(http.StatusOK, "The pages found, best first.", api.SearchResponse{}),
			fails:   []int{http.StatusServiceUnavailable},
			shown:   []string{"search", "search finds nothing"},
		},
		{
			route: "POST Search", id: "searchByPost", tag: tagSearch,
			summary: "Search, with the question in the body",
			about:   "What people look for stays out of logs of addresses.",
			takes:   []any{api.SearchRequest{}},
			gives:   ok(http.StatusOK, "The pages found, best first.", api.SearchResponse{}),
			fails:   []int{http.StatusServiceUnavailable},
			shown:   []string{"search by POST"},
		},
		{
			route: "GET SearchStatus", id: "getStatus", tag: tagSearch,
			summary: "Count what is indexed, waits and fails",
			about:   "Read from counters: it costs the same however many items there are.",
			params:  []openapi.Parameter{query("host", "Only this host.", text())},
			gives:   ok(http.StatusOK, "The counts of all hosts together, and of each.", api.SearchStatus{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A23 status of a host", "A23 status during a rebuild"},
		},
		{
			route: "GET hosts/{host}", id: "getHost", tag: tagSearch,
			summary: "Show how a host is treated, and why",
			about:   "With its counts, its pauses and what its robots.txt says.",
			gives:   ok(http.StatusOK, "The host.", api.HostDetail{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A23 a host"},
		},
	}
}

// rebuilds are the operations that have many items indexed anew.
func rebuilds() []operation {
	return []operation{
		{
			route: "POST RebuildIndex", id: "startRebuild", tag: tagRebuilds,
			summary: "Index everything, or a host, anew; or audit it",
			takes:   []any{api.RebuildRequest{}},
			gives:   ok(http.StatusAccepted, "The rebuild, which goes on by itself.", api.Rebuild{}),
			fails:   []int{http.StatusNotFound, http.StatusConflict},
			shown:   []string{"A19 rebuild a host"},
		},
		{
			route: "GET RebuildIndex", id: "getRebuild", tag: tagRebuilds,
			summary: "Show how far a rebuild is",
			params:  required(query("id", "The rebuild.", text())),
			gives:   ok(http.StatusOK, "The rebuild.", api.Rebuild{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"A19 how far the rebuild is"},
		},
	}
}

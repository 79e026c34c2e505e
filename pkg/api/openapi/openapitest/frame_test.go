package openapitest

import "github.com/tidemark/tidemark/pkg/api/openapi"

// The areas of the API, in the order of the documentation.
const (
	tagSources   = "Sources"
	tagSearch    = "Search"
	tagChanges   = "Changes"
	tagNotify    = "Notifications"
	tagRebuilds  = "Rebuilds"
	tagEntries   = "Entries"
	tagEnriching = "Enrichment"
	tagBackfill  = "Backfill"
	tagSites     = "Sites"
	tagService   = "Service"
)

const introduction = "Tidemark watches sources, reports changes, and keeps a search index up to date: register pages " +
	"and files, or push messages, mails and texts." +
	"\n\nRequests and answers are JSON. Requests are decoded strictly: a field or " +
	"parameter that is not described here, or that is given twice, is rejected. Answers may get more fields; " +
	"existing names do not change. Times are RFC 3339 in UTC; values that are unknown or do not apply are left out. " +
	"Paths are matched without regard to case. They begin with `/api`. On one machine, `tidemark start` also " +
	"accepts paths without `/api`, as in `/db/insert`. An app in Azure does not, so a client that works with both " +
	"must send `/api`.\n\nEvery error is a problem document (RFC 9457) that says what was wrong, with which field, " +
	"and what to do. Lists are paged: while an answer has a `continuation`, send it with the same request to get " +
	"the next page.\n\nIn Azure every operation except health and schemas needs a function key. On a server " +
	"of your own, each operation needs one of Tidemark's keys with the scope that `x-tidemark-scope` states, unless " +
	"health and schemas are asked for, or its operator wants no keys. The answer is 401 without a valid key, " +
	"and 403 if the scope of the key is not sufficient."

// frame returns the parts of the document that are not generated.
func frame() openapi.Document {
	return openapi.Document{
		OpenAPI: openapi.Version,
		Info: openapi.Info{
			Title: "Tidemark", Version: "0.1.0", Summary: "A search index that stays true to its sources",
			Description: introduction, License: openapi.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Servers: []openapi.Server{
			{URL: "/api", Description: "Where this document was read"},
			{URL: "http://localhost:7071/api", Description: "On this machine"},
		},
		Security: []openapi.Requirement{{"header": {}}, {"bearer": {}}, {"query": {}}},
		Tags: []openapi.Tag{
			{Name: tagSources, Description: "Pages and files: registered, checked, shown and removed."},
			{Name: tagSearch, Description: "Searches, and the state of the registry."},
			{Name: tagChanges, Description: "Changes, as a list to read or to follow."},
			{Name: tagNotify, Description: "Notifications of changes: rules, channels and deliveries."},
			{Name: tagRebuilds, Description: "Everything, or a host, indexed anew; the generations of the index."},
			{Name: tagEntries, Description: "Content that is pushed in: normalized to one identity, and stored once."},
			{Name: tagBackfill, Description: "Registering the pages that sites already have, within limits."},
			{Name: tagSites,
				Description: "New pages of sites: found by daily polls, or announced by the sites themselves."},
			{Name: tagEnriching, Description: "Descriptions of entries by a language model."},
			{Name: tagService, Description: "The app itself."},
		},
	}
}

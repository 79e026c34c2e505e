package describe

import "github.com/tidemark/tidemark/pkg/api/openapi"

// The areas of the API, as people read them.
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

const introduction = "Tidemark keeps a search index true to sources that change: register pages and files, or push " +
	"messages, mails and texts.\n\n" +
	"Requests and answers are JSON. Requests are read strictly: a field or parameter that is not described here, or one " +
	"that is given twice, is refused. " +
	"Answers may get more fields; those that stand here keep their names. Times are RFC 3339 in UTC; what is never or " +
	"unknown is left out. " +
	"Paths are matched without regard to case. They are below `/api`: on one machine `tidemark start` takes them " +
	"without it, too, as in `/db/insert`, " +
	"but an app in Azure does not, so clients that are to work with both send it.\n\n" +
	"Every error is a problem document (RFC 9457) that says what was wrong, with which field, and what to do. " +
	"Lists come in pages: as long as an answer has `continuation`, send it with the same request for the next one.\n\n" +
	"In Azure every operation but the health needs a function key. A server of your own needs none while only its " +
	"machine can reach it; beyond, each operation needs a key of Tidemark's, with the scope that `x-tidemark-scope` " +
	"says: 401 without a valid one, 403 when its scope is not enough."

// frame is the document without what is built.
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
			{Name: tagSearch, Description: "What the index answers, and how far it is from being true."},
			{Name: tagChanges, Description: "What has changed, as a list to read or to follow."},
			{Name: tagNotify, Description: "Who is told of changes: rules, channels and deliveries."},
			{Name: tagRebuilds, Description: "Everything, or a host, indexed anew."},
			{Name: tagEntries, Description: "What is pushed in: given an identity, and kept once."},
			{Name: tagBackfill, Description: "The pages that sites already have, registered within caps."},
			{Name: tagSites,
				Description: "What sites publish from now on: polled each day, and pushed by the sites themselves."},
			{Name: tagEnriching, Description: "What a language model says of entries."},
			{Name: tagService, Description: "The app itself."},
		},
	}
}

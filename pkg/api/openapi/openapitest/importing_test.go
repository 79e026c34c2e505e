package openapitest

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// importing describes the operations that import many entries from a file.
func importing() []operation {
	return []operation{
		{
			of: api.ImportList.Endpoint, id: "importList", tag: tagSources,
			summary: "Register the addresses of a list",
			about: "The list is a feed reader's OPML, a browser's bookmarks, CSV or JSON Lines. Send it in JSON, " +
				"or as a body of another type that is the file itself. Each address is registered once; existing " +
				"items are left unchanged. From OPML, pages (`htmlUrl`) are registered; feeds without a page are " +
				"rejected, since they belong in the site file.",
			gives: "The import. It continues in the background.",
			fails: []int{http.StatusConflict},
			shown: []string{"import bookmarks"},
		},
		{
			of: api.GetListImport.Endpoint, id: "getListImport", tag: tagSources,
			summary: "Show the progress of a list import",
			gives:   "The import.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"how far it is"},
		},
		{
			of: api.ExportItems.Endpoint, id: "exportItems", tag: tagSources,
			summary: "Export all items that match a filter",
			about: "As CSV, in which texts that a spreadsheet would execute begin with an apostrophe, or with " +
				"`format=jsonl` as JSON Lines, each an item as in `GET items`. The file is streamed; if the " +
				"connection breaks, the answer is visibly incomplete. `POST import` accepts both formats.",
			gives: "The file.", media: "text/csv, application/jsonl",
			shown: []string{"W12 items as CSV"},
		},
		{
			of: api.ExportChanges.Endpoint, id: "exportChanges", tag: tagChanges,
			summary: "Export all changes that match a filter",
			about: "As CSV or JSON Lines, each a change as in `GET changes`; see `GET export/items`. 410: " +
				"changes after that cursor are no longer kept.",
			gives: "The file.", media: "text/csv, application/jsonl",
			fails: []int{http.StatusGone},
			shown: []string{"W12 changes as CSV"},
		},
		{
			of: api.ImportMbox.Endpoint, id: "importMbox", tag: tagEntries,
			summary: "Import the mails of an mbox file",
			about: "Each mail is stored once, like a mail that is sent alone. Broken mails are listed and " +
				"skipped. The import continues in the background even if processes die, and importing a file " +
				"again does no harm.",
			gives: "The import. It continues in the background.", other: "The import, which ended while the request lasted.",
			fails: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown: []string{"D6 import", "D6 import again"},
		},
		{
			of: api.ListImports.Endpoint, id: "listImports", tag: tagEntries,
			summary: "List the latest imports",
			about:   "Imports of the last 90 days, newest first, without their failures.",
			gives:   "The imports.",
			shown:   []string{"D6 the latest imports"},
		},
		{
			of: api.GetImport.Endpoint, id: "getImport", tag: tagEntries,
			summary: "Show the progress of an import",
			gives:   "The import.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"D6 how far it is"},
		},
	}
}

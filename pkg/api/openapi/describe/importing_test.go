package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// importing are the operations that bring in many entries from a file.
func importing() []operation {
	return []operation{
		{
			of: api.ImportList.Endpoint, id: "importList", tag: tagSources,
			summary: "Register the addresses of a list",
			about: "A feed reader's OPML, a browser's bookmarks, CSV or JSON Lines, as JSON, or as a body of another type, " +
				"which is the file itself. Each address is registered once; items that there are stay as they are. Of OPML " +
				"the pages are taken (`htmlUrl`); feeds without one are refused, for they belong in the site file.",
			gives: "The import, which goes on by itself.",
			fails: []int{http.StatusConflict},
			shown: []string{"import bookmarks"},
		},
		{
			of: api.GetListImport.Endpoint, id: "getListImport", tag: tagSources,
			summary: "Tell how far the import of a list is",
			gives:   "The import.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"how far it is"},
		},
		{
			of: api.ExportItems.Endpoint, id: "exportItems", tag: tagSources,
			summary: "All items of a filter as a file",
			about: "As CSV, of which texts that a spreadsheet would calculate begin with an apostrophe, or with " +
				"`format=jsonl` as JSON Lines, each an item as in `GET items`. It goes out as it is read, and a connection " +
				"that breaks off says that it is not whole. `POST import` takes either.",
			gives: "The file.", media: "text/csv, application/jsonl",
			shown: []string{"W12 items as CSV"},
		},
		{
			of: api.ExportChanges.Endpoint, id: "exportChanges", tag: tagChanges,
			summary: "All changes of a filter as a file",
			about: "As CSV or JSON Lines, each a change as in `GET changes`; see `GET export/items`. 410: what came after " +
				"that cursor is not kept any more.",
			gives: "The file.", media: "text/csv, application/jsonl",
			fails: []int{http.StatusGone},
			shown: []string{"W12 changes as CSV"},
		},
		{
			of: api.ImportMbox.Endpoint, id: "importMbox", tag: tagEntries,
			summary: "Import the mails of an mbox file",
			about: "Each mail is kept once, like one that is sent alone; broken ones are listed and passed over. " +
				"The import goes on by itself, " +
				"whatever dies, and importing a file again does no harm.",
			gives: "The import, which goes on by itself.", other: "The import, which ended while the request lasted.",
			fails: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown: []string{"D6 import", "D6 import again"},
		},
		{
			of: api.ListImports.Endpoint, id: "listImports", tag: tagEntries,
			summary: "List the latest imports",
			about:   "Those that began within the last 90 days, the newest first, without what was broken in them.",
			gives:   "The imports.",
			shown:   []string{"D6 the latest imports"},
		},
		{
			of: api.GetImport.Endpoint, id: "getImport", tag: tagEntries,
			summary: "Tell how far an import is",
			gives:   "The import.",
			fails:   []int{http.StatusNotFound},
			shown:   []string{"D6 how far it is"},
		},
	}
}

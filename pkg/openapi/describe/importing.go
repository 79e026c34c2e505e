package describe

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/openapi"
)

// importing are the operations that bring in many entries from a file.
func importing() []operation {
	return []operation{
		{
			route: "POST import/email/mbox", id: "importMbox", tag: tagEntries,
			summary: "Import the mails of an mbox file",
			about: "Each mail is kept once, like one that is sent alone; broken ones are listed and passed over. The import goes on by itself, " +
				"whatever dies, and importing a file again does no harm.",
			takes: []any{api.ImportRequest{}},
			gives: []answer{
				{status: http.StatusOK, about: "The import, which ended while the request lasted.", types: []any{api.Import{}}},
				{status: http.StatusAccepted, about: "The import, which goes on by itself.", types: []any{api.Import{}}},
			},
			fails: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
			shown: []string{"D6 import", "D6 import again"},
		},
		{
			route: "GET import/email", id: "listImports", tag: tagEntries,
			summary: "List the latest imports",
			about:   "Those that began within the last 90 days, the newest first, without what was broken in them.",
			params:  []openapi.Parameter{query("top", "At most so many.", number(20, 1, 100))},
			gives:   ok(http.StatusOK, "The imports.", api.Imports{}),
			shown:   []string{"D6 the latest imports"},
		},
		{
			route: "GET import/email/{id}", id: "getImport", tag: tagEntries,
			summary: "Tell how far an import is",
			gives:   ok(http.StatusOK, "The import.", api.Import{}),
			fails:   []int{http.StatusNotFound},
			shown:   []string{"D6 how far it is"},
		},
	}
}

package ui

import (
	"html/template"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// This file is the part of the dashboard about content that is not crawled but pushed in by other programs:
// entries, the batches in which a model describes them, and imports of mailboxes and of lists of addresses.

// pushedFuncs are the functions that the templates of this part call.
var pushedFuncs = template.FuncMap{"entryTitle": entryTitle, "importBar": importBar, "listBar": listBar}

// pushedArea is this part of the dashboard.
type pushedArea struct{ client *api.Client }

// pushedViews returns the pages of this part and the actions of their forms, by pattern.
func pushedViews(client *api.Client) map[string]frame.View {
	a := pushedArea{client}
	return map[string]frame.View{
		"GET /entries":              a.entries,
		"GET /entries/{id}":         a.entry,
		"GET /entries/batches":      a.batches,
		"GET /entries/batches/{id}": a.batch,
		"GET /entries/imports":      a.imports,
		"GET /entries/imports/{id}": a.mailbox,
		"GET /import":               a.importForm,
		"GET /import/{id}":          a.listImport,

		"POST /entries/{id}":         a.actEntry,
		"POST /entries/batches/{id}": a.actBatch,
		"POST /import":               a.importList,
	}
}

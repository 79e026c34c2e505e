// Package pushed is the part of the dashboard about content that is not crawled but pushed in by other programs:
// entries, the batches in which a model describes them, and imports of mailboxes and of lists of addresses.
package pushed

import (
	"html/template"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// Funcs are the functions that the templates of this part call.
var Funcs = template.FuncMap{"entryTitle": entryTitle, "importBar": importBar, "listBar": listBar}

// area is this part of the dashboard.
type area struct{ client *api.Client }

// Views returns the pages of this part and the actions of their forms, by pattern.
func Views(client *api.Client) map[string]frame.View {
	a := area{client}
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

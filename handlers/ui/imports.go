package ui

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// importsShown is how many imports a page lists.
const importsShown = 50

// imports lists the latest imports of mailboxes.
func imports(o Options, r *http.Request) (page, error) {
	list, err := api.ListImports.Call(r.Context(), o.Client, api.ImportQuery{Top: importsShown})
	return page{name: "imports", title: "Imports", data: list}, err
}

// mailbox shows one import.
func mailbox(o Options, r *http.Request) (page, error) {
	im, err := api.GetImport.Call(r.Context(), o.Client, api.ImportID{ID: r.PathValue("id")})
	return page{name: "import", title: "Import of " + im.MboxPath, data: im}, err
}

// importBar is how much of an import's file is through.
func importBar(im api.Import) bar {
	return newBar(int(im.Bytes), max(1, int(im.Size)), "of the file processed")
}

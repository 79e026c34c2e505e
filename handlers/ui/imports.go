package ui

import (
	"net/http"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// importsShown is the number of imports that a page lists.
const importsShown = 50

// imports lists the latest imports of mailboxes.
func (a pushedArea) imports(r *http.Request) (frame.Page, error) {
	list, err := api.ListImports.Call(r.Context(), a.client, api.ImportQuery{Top: importsShown})
	return frame.Page{Name: "imports", Title: "Imports", Data: list}, err
}

// mailbox shows the import of one mailbox.
func (a pushedArea) mailbox(r *http.Request) (frame.Page, error) {
	im, err := api.GetImport.Call(r.Context(), a.client, api.ImportID{ID: r.PathValue("id")})
	return frame.Page{Name: "import", Title: "Import of " + im.MboxPath, Data: im}, err
}

// importBar returns the progress of an import: how much of its mailbox file has been processed.
func importBar(im api.Import) frame.Bar {
	return frame.NewBar(int(im.Bytes), max(1, int(im.Size)), "of the file processed")
}

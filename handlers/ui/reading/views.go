// Package reading is the part of the dashboard for finding and reading texts: the search, present and past versions
// of pages, two versions side by side, and the documentation.
//
// Texts are Markdown. They are shown as HTML without scripts and forms.
package reading

import (
	"html/template"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// Funcs are the functions that the templates of this part call.
var Funcs = template.FuncMap{"found": foundAs, "marked": marked}

// area is this part of the dashboard.
type area struct{ client *api.Client }

// Views returns the pages of this part, by pattern.
func Views(client *api.Client) map[string]frame.View {
	a := area{client}
	return map[string]frame.View{
		"GET /search":                            a.search,
		"GET /items/{id}/read":                   a.reading,
		"GET /items/{id}/captures/{sha256}/read": a.reading,
		"GET /items/{id}/rendered":               a.rendered,
		"GET " + helpPath:                        a.help,
		"GET " + helpPath + "/{page}":            a.help,
	}
}

package ui

import (
	"html/template"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// This file is the part of the dashboard for finding and reading texts: the search, present and past versions
// of pages, two versions side by side, and the documentation.
//
// Texts are Markdown. They are shown as HTML without scripts and forms.

// readingFuncs are the functions that the templates of this part call.
var readingFuncs = template.FuncMap{"found": foundAs, "marked": marked}

// readingArea is this part of the dashboard.
type readingArea struct{ client *api.Client }

// readingViews returns the pages of this part, by pattern.
func readingViews(client *api.Client) map[string]frame.View {
	a := readingArea{client}
	return map[string]frame.View{
		"GET /search":                            a.search,
		"GET /items/{id}/read":                   a.reading,
		"GET /items/{id}/captures/{sha256}/read": a.reading,
		"GET /items/{id}/rendered":               a.rendered,
		"GET " + helpPath:                        a.help,
		"GET " + helpPath + "/{page}":            a.help,
	}
}

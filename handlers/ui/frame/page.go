// Package frame turns what a page shows into an HTTP answer: one layout, one policy of what a browser may do with the
// page, and one way to read and refuse forms.
//
// A part of the dashboard is a set of views. A [View] reads a request and gives a [Page]; a [Server] renders it with
// the template of its name, inside the layout that all pages have.
package frame

import (
	"net/http"
	"net/url"
)

// Root is where the dashboard is found.
const Root = "/api/ui"

// View makes what a page shows. Its errors are those of the API.
type View func(r *http.Request) (Page, error)

// Page is the name of a template and what it shows.
type Page struct {
	Name, Title string
	Data        any
	Status      int    // 200 when zero
	Pictures    bool   // pictures of other sites may be loaded
	To          string // go there instead; a path with its query below [Root]
}

// GoTo sends the browser to a path below [Root], which may have a query.
func GoTo(to string) Page { return Page{To: to} }

// Address is a path with a query, if it has one.
func Address(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// Package frame turns a page's data into an HTTP answer: with one layout, one policy for what a browser may do with
// the page, and one way to read and refuse forms.
//
// A part of the dashboard is a set of views. A [View] reads a request and returns a [Page]; a [Server] renders the
// page with the template that it names, inside the common layout.
package frame

import (
	"net/http"
	"net/url"
)

// Root is the path of the dashboard.
const Root = "/api/ui"

// View makes the data of a page. Its errors are those of the API.
type View func(r *http.Request) (Page, error)

// Page is the name of a template and its data.
type Page struct {
	Name, Title string
	Data        any
	Status      int    // 200 when zero
	Pictures    bool   // pictures of other sites may be loaded
	To          string // redirect there instead; a path with its query below [Root]
}

// GoTo redirects the browser to a path below [Root], which may have a query.
func GoTo(to string) Page { return Page{To: to} }

// Address joins a path and a query, which may be empty.
func Address(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

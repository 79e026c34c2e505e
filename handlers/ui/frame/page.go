// Package frame turns a page's data into an HTTP answer. All pages have the same layout and the same policy for what
// a browser may do, and all forms are read and refused in the same way.
//
// A part of the dashboard is a set of views. A [View] reads a request and returns a [Page], which has the name of a
// template; a [Server] renders the page with that template, inside the common layout.
package frame

import (
	"net/http"
	"net/url"
)

// AllChanges is the address of the feed of all changes.
const AllChanges = "/api/changes.atom"

// Root is the path of the dashboard.
const Root = "/api/ui"

// View makes the data of a page. The errors that it returns are errors of the API.
type View func(r *http.Request) (Page, error)

// Page is the name of a template and its data.
type Page struct {
	Name, Title string
	Data        any
	Status      int    // 200 when zero
	Pictures    bool   // whether the browser may load pictures of other sites
	Feed        string // address of the feed of what the page lists; that of all changes when empty
	To          string // if set, redirect to this path below [Root], which may have a query
}

// GoTo redirects the browser to a path below [Root], which may have a query.
func GoTo(to string) Page { return Page{To: to} }

// Address joins a path and a query. The query may be empty.
func Address(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

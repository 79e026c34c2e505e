// Package ui is the dashboard: pages that show the API's answers to people, and that stay safe whatever unknown hosts
// have written.
//
// The dashboard is a client of the API and calls it in the same process, so it can show nothing that another client
// could not. Pages are made on the server and work without JavaScript. With JavaScript, pages update themselves and
// searches answer while a person types.
//
// Each part of the dashboard is an area. It provides views, and the functions that its templates call. Package frame
// turns the result of a view into an answer, and formats values for people. The areas know the API but not each other,
// with one exception: all use the [tally], which counts the problems that need attention.
//
// # Safety
//
// Crawled text is hostile. html/template escapes the text as its position in the page requires. Links to crawled
// addresses are made only for http and https, and send no referrer. The content security policy allows only the
// embedded script, and allows pictures of other sites only on request. Forms are refused when they come from another
// site (see net/http.CrossOriginProtection) and, where people sign in, when they lack the token of the session.
//
// Package handlers checks access before it requests a page from this package. This package shows the sign-in form.
// Pages are not cached and send no referrer.
package ui

import (
	"embed"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
)

//go:embed templates static
var files embed.FS

// templates are the templates of all parts.
var templates = sync.OnceValue(func() templateSet {
	return parse(files, funcs, itemsFuncs, pushedFuncs, readingFuncs, rulesFuncs, sitesFuncs,
		statusFuncs)
})

// Options configure the dashboard.
type Options struct {
	Client *api.Client      // a client of the API whose answers the dashboard shows
	API    http.Handler     // the same API, for documents that are passed on unchanged
	Clock  func() time.Time // the system's clock when nil
	Log    *slog.Logger     // messages are discarded when nil
}

// New makes the dashboard. It panics if a template is broken, but a test would have found that before.
func New(o Options) http.Handler {
	defaults.Clock(&o.Clock)
	defaults.Log(&o.Log)
	tally := newTally(o.Client, o.Clock)
	s := &server{Templates: templates(), Client: o.Client, Clock: o.Clock, Log: o.Log, Acted: tally.forget}
	mux := http.NewServeMux()
	for _, part := range []map[string]viewFunc{
		changesViews(o.Client, tally), itemsViews(o.Client, o.Clock), pushedViews(o.Client), readingViews(o.Client),
		rulesViews(o.Client), sitesViews(o.Client, o.Clock, tally), statusViews(o.Client, o.Clock, tally),
	} {
		for pattern, view := range part {
			mux.Handle(pattern, s.serve(view))
		}
	}
	mux.Handle("GET /static/{name}", static(files))
	for _, document := range []string{"/items/{id}/captures/{sha256}", "/export/items", "/docs", "/openapi.json"} {
		mux.Handle("GET "+document, pass(o.API))
	}
	mux.Handle("GET /items/{id}/csv/{name...}", passField(o.API))
	mux.HandleFunc("GET "+signInPath, func(w http.ResponseWriter, r *http.Request) { SignIn(w, r, http.StatusOK, "") })
	mux.Handle("/", s.serve(func(*http.Request) (Page, error) {
		return Page{}, notFound("the dashboard has no such page")
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if FromElsewhere(r) {
			http.Error(w, "refused: the request came from a page of another site", http.StatusForbidden)
			return
		}
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = "/"+strings.Trim(strings.TrimPrefix(r.URL.Path, Root), "/"), ""
		mux.ServeHTTP(w, r)
	})
}

// pass answers with a document of the API, unchanged. Pages link to the document at a path below [Root], because
// sessions are accepted only there.
func pass(to http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path = "/api" + r.URL.Path
		to.ServeHTTP(w, r)
	})
}

// passField answers with the history of a field as CSV. The name of a field may be any text.
func passField(to http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, name := r.PathValue("id"), r.PathValue("name")
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawQuery = "/api/items/"+id+"/fields/"+name, "format=csv"
		r.URL.RawPath = "/api/items/" + url.PathEscape(id) + "/fields/" + url.PathEscape(name)
		to.ServeHTTP(w, r)
	})
}

// Package ui is the dashboard: pages that show the API's answers to people, and that stay safe
// whatever unknown hosts have written.
//
// The dashboard is a client of the API and calls it in the same process, so it can show nothing
// that another client could not. Pages are made on the server and work without JavaScript. With
// JavaScript, pages update themselves and searches answer while a person types.
//
// The [views] of the dashboard know the API, but not each other. One [server] turns the result of every view into an
// answer. All use the [tally], which counts the problems that need attention.
//
// # Safety
//
// Crawled text is hostile. html/template escapes the text as its position in the page requires.
// Links to crawled addresses are made only for http and https, and send no referrer. The content
// security policy allows only the embedded script, and allows pictures of other sites only on
// request. Forms are refused when they come from another site (see net/http.CrossOriginProtection)
// and, where people sign in, when they lack the token of the session.
//
// Package handlers checks access before it requests a page from this package. This package shows
// the sign-in form. Pages are not cached and send no referrer.
package ui

import (
	"cmp"
	"embed"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/notify"
)

//go:embed templates static
var files embed.FS

// templates are the templates of all parts.
var templates = sync.OnceValue(func() templateSet { return parse(files, funcs) })

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
	s := &server{area: area{client: o.Client, clock: o.Clock, tally: newTally(o.Client, o.Clock),
		positions: newPositions(o.Client, o.Clock)}, templates: templates(), log: o.Log}
	mux := http.NewServeMux()
	for pattern, view := range views {
		mux.Handle(pattern, s.serve(view))
	}
	mux.Handle("GET /static/{name}", static(files))
	for _, document := range []string{"/items/{id}/captures/{sha256}", "/export/items", "/docs", "/openapi.json"} {
		mux.Handle("GET "+document, pass(o.API))
	}
	mux.Handle("GET /items/{id}/csv/{name...}", passField(o.API))
	mux.HandleFunc("GET "+signInPath, func(w http.ResponseWriter, r *http.Request) { SignIn(w, r, http.StatusOK, "") })
	mux.Handle("/", s.serve(func(v *visit) page { return v.fail(notFound("the dashboard has no such page")) }))
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

// pass answers with a document of the API, unchanged. Pages link to the document at a path below
// [Root], because sessions are accepted only there.
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

const (
	signInPath = "/sign-in"
	linkPath   = "/link"
)

// TokenField is the name of the form field that holds [Visitor.Token].
const TokenField = "token"

// ReadForm reads a form, which may carry files, into [http.Request.PostForm]. It returns nil, or
// the reason why the form cannot be read.
func ReadForm(r *http.Request) *api.Problem { return refusal(readForm(r)) }

// RefuseForm shows why a form was not read.
func RefuseForm(w http.ResponseWriter, r *http.Request, why *api.Problem) {
	templates().Write(w, r, slog.Default(), page{Name: "problem", Refused: why}, shownPage{Title: why.Title,
		Path: strings.TrimPrefix(r.URL.Path, Root), Now: time.Now().UTC(), Data: refused{Problem: why}})
}

// signInData is the data of the sign-in page.
type signInData struct {
	Why string // why the last attempt failed
	To  string // the page to show after the sign-in, below Root
}

// SignIn shows the sign-in page with a status and the reason why the last attempt failed. The page
// reveals nothing else.
func SignIn(w http.ResponseWriter, r *http.Request, status int, why string) {
	to := cmp.Or(r.PostForm.Get("to"), strings.TrimPrefix(r.URL.RequestURI(), Root))
	if strings.HasPrefix(to, signInPath) || strings.HasPrefix(to, linkPath) ||
		r.Method == http.MethodPost && r.PostForm.Get("to") == "" {
		to = ""
	}
	templates().Write(w, r, slog.Default(), page{Name: "signin", Status: status},
		shownPage{Title: "Sign in", Path: signInPath, Now: time.Now().UTC(), Data: signInData{why, Below(to)}})
}

// SignInLink shows the page that a link opens that signs in, with the link's token.
func SignInLink(w http.ResponseWriter, r *http.Request, token string) {
	templates().Write(w, r, slog.Default(), page{Name: "signinlink"},
		shownPage{Title: "Sign in", Path: signInPath, Now: time.Now().UTC(), Data: token})
}

var sameSite = http.NewCrossOriginProtection()

// FromElsewhere reports whether a page of another site made the browser send this request. If the
// browser sends no Sec-Fetch-Site header, FromElsewhere compares the Origin header with the host's
// name as the browser knows it. Behind a Functions host, that name is not in the Host header but in
// X-Forwarded-Host, which a form cannot set.
func FromElsewhere(r *http.Request) bool {
	outer := *r
	outer.Host = wire.OuterHost(r)
	return sameSite.Check(&outer) != nil
}

// LinkedMute is the data of the page that a link opens that mutes or stops.
type LinkedMute struct {
	notify.LinkedMute

	Action string // path to which the form is sent
	Done   string // what the form has asked for
}

// MuteLink shows the page of such a link. It has no navigation: its reader may not have signed in.
func MuteLink(w http.ResponseWriter, r *http.Request, d LinkedMute) {
	templates().Write(w, r, slog.Default(), page{Name: "mutelink"}, shownPage{Title: "Messages about a page",
		Path: signInPath, Now: time.Now().UTC(), Data: d})
}

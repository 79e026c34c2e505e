package ui

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
)

// Root is where the dashboard is found.
const Root = "/api/ui"

//go:embed templates static
var files embed.FS

// Options adjust the dashboard.
type Options struct {
	Client *api.Client      // the API that it shows
	API    http.Handler     // the same, for documents that are passed on as they are
	Clock  func() time.Time // the wall clock when nil
	Log    *slog.Logger     // discarded when nil

	tally *tally
}

type server struct{ Options }

// view makes what a page shows. Its errors are those of the API.
type view func(o Options, r *http.Request) (page, error)

// page is the name of a template and what it shows.
type page struct {
	name, title string
	data        any
	status      int    // 200 when zero
	pictures    bool   // those of strangers may be loaded
	to          string // where to go instead; a path with its query below Root
}

// views are the pages, and what their forms lead to.
var views = map[string]view{
	"GET /{$}":                               changes,
	"POST /read":                             markRead,
	"POST /filters":                          saveFilter,
	"GET /changes/{id}":                      change,
	"GET /attention":                         attention,
	"GET /machine":                           machine,
	"GET /items":                             items,
	"GET /items/bulk":                        bulk,
	"POST /items/bulk":                       startBulk,
	"GET /items/{id}/settings":               settings,
	"POST /items/{id}/settings":              saveSettings,
	"GET /import":                            importForm,
	"POST /import":                           importList,
	"GET /import/{id}":                       listImport,
	"GET /tags":                              tags,
	"GET /tags/{tag}":                        tag,
	"POST /tags/{tag}":                       actTag,
	"GET /items/{id}":                        item,
	"GET /items/{id}/captures/{sha256}/read": reading,
	"GET /items/{id}/read":                   reading,
	"GET /items/{id}/diff":                   diff,
	"GET /items/{id}/rendered":               rendered,
	"GET /search":                            search,
	"GET /entries":                           entries,
	"GET /entries/{id}":                      entry,
	"GET /entries/batches":                   batches,
	"GET /entries/batches/{id}":              batch,
	"GET /entries/imports":                   imports,
	"GET /entries/imports/{id}":              mailbox,
	"GET /items/{id}/images":                 images,
	"GET /notifications":                     notifications,
	"POST /notifications":                    actNotifications,
	"GET /notifications/new-rule":            newRule,
	"POST /notifications/new-rule":           saveRule,
	"GET /notifications/rules/{id}":          rule,
	"POST /notifications/rules/{id}":         saveRule,
	"GET /notifications/new-channel":         newChannel,
	"POST /notifications/new-channel":        saveChannel,
	"GET /notifications/channels/{name}":     channel,
	"POST /notifications/channels/{name}":    saveChannel,
	"GET /hosts":                             hosts,
	"GET /hosts/{host}":                      host,
	"GET /backfill":                          backfill,
	"GET /backfill/{id}":                     run,
	"GET /index":                             index,
	"GET " + helpPath:                        help,
	"GET " + helpPath + "/{page}":            help,
	"GET /index/run":                         rebuild,
	"POST /add":                              add,
	"POST /sites":                            addSite,
	"POST /sites/{slug}":                     actSite,
	"POST /items/{id}":                       act,
	"POST /items/{id}/ignore":                ignore,
	"POST /test-mode":                        setTestMode,
	"POST /entries/{id}":                     actEntry,
	"POST /entries/batches/{id}":             actBatch,
	"POST /backfill":                         startBackfill,
	"POST /backfill/{id}":                    actRun,
	"POST /index":                            startRebuild,
}

// New makes the dashboard. It panics if a template is broken, which a test would have found.
func New(o Options) http.Handler {
	defaults.Clock(&o.Clock)
	defaults.Log(&o.Log)
	templates() // now, so that a broken one is found
	o.tally = &tally{}
	s := &server{o}
	mux := http.NewServeMux()
	for pattern, v := range views {
		mux.Handle(pattern, s.serve(v))
	}
	mux.Handle("GET /static/{name}", s.static())
	for _, document := range []string{"/items/{id}/captures/{sha256}", "/export/items", "/docs", "/openapi.json"} {
		mux.HandleFunc("GET "+document, s.pass)
	}
	mux.HandleFunc("GET "+signInPath, func(w http.ResponseWriter, r *http.Request) { SignIn(w, r, http.StatusOK, "") })
	mux.Handle("/", s.serve(func(Options, *http.Request) (page, error) {
		return page{}, &api.Problem{Title: "Not Found", Status: http.StatusNotFound, Detail: "the dashboard has no such page"}
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

// templates are those of the pages, each with what all have in common.
var templates = sync.OnceValue(func() map[string]*template.Template {
	common := template.Must(template.New("").Funcs(helpers).ParseFS(files, "templates/common/*.html"))
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err)
	}
	out := map[string]*template.Template{}
	for _, name := range names {
		base := strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".html")
		out[base] = template.Must(template.Must(common.Clone()).ParseFS(files, name))
	}
	return out
})

// shown is what every template has.
type shown struct {
	Title    string
	Path     string // of this page, below Root
	Now      time.Time
	TestMode bool
	Flash    string // what the last action did
	Data     any
	Visitor
}

// Link is a path below Root with parameters in pairs, empty ones left out.
func (v shown) Link(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return withQuery(Root+path, q)
}

// On says whether this page is part of a section, for the navigation.
func (v shown) On(section string) bool {
	return v.Path == section || section != "/" && strings.HasPrefix(v.Path, section+"/")
}

func withQuery(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

func (s *server) serve(v view) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := page{}, readForm(r)
		if err == nil {
			p, err = v(s.Options, r)
		}
		if r.Method == http.MethodPost {
			s.tally.forget()
		}
		if err != nil {
			p = s.failed(r, err)
		}
		if p.to != "" {
			w.Header().Set("Location", Root+p.to)
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		out := shown{Title: p.title, Path: r.URL.Path, Now: s.Clock().UTC(), Data: p.data,
			Flash: flashes[r.URL.Query().Get("done")], Visitor: visitorOf(r)}
		if mode, err := api.GetTestMode.Call(r.Context(), s.Client, api.None{}); err == nil {
			out.TestMode = mode.IsTestMode
		}
		s.write(w, p, out)
	})
}

func (s *server) write(w http.ResponseWriter, p page, out shown) { writePage(w, s.Log, p, out) }

func writePage(w http.ResponseWriter, log *slog.Logger, p page, out shown) {
	var body bytes.Buffer
	if err := templates()[p.name].ExecuteTemplate(&body, "page", out); err != nil {
		log.Error("page not made", "page", p.name, "err", err)
		http.Error(w, "the page could not be rendered", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	secure(h, p.pictures)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(cmp.Or(p.status, http.StatusOK))
	_, _ = w.Write(body.Bytes()) // the caller has gone: nobody to tell
}

// secure forbids everything that the pages do not need.
func secure(h http.Header, pictures bool) {
	images := "'self' data:"
	if pictures {
		images += " https: http:"
	}
	h.Set("Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src "+images+
			"; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
}

// failed is the page of an error.
func (s *server) failed(r *http.Request, err error) page {
	problem, ok := errors.AsType[*api.Problem](err)
	if !ok {
		s.Log.Error("dashboard failed", "path", r.URL.Path, "err", err)
		problem = &api.Problem{Title: "Something went wrong", Status: http.StatusInternalServerError,
			Detail: "the API gave an unexpected answer; see the log"}
	}
	return page{name: "problem", title: problem.Title, data: problem, status: problem.Status}
}

// pass gives a document of the API as it is: what a page links to is below [Root], where sessions count.
func (s *server) pass(w http.ResponseWriter, r *http.Request) {
	r = r.Clone(r.Context())
	r.URL.Path = "/api" + r.URL.Path
	s.API.ServeHTTP(w, r)
}

// badRequest refuses what a form says.
func badRequest(detail string) error {
	return &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest, Detail: detail}
}

// readForm reads the form of a POST, for [http.Request.PostForm].
func readForm(r *http.Request) error {
	if r.Method != http.MethodPost {
		return nil
	}
	err := ParseForm(r)
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &api.Problem{Title: http.StatusText(http.StatusRequestEntityTooLarge),
			Status: http.StatusRequestEntityTooLarge,
			Detail: fmt.Sprintf("the form has more than %d MiB: send it in parts", large.Limit>>20)}
	}
	if err != nil {
		return badRequest("the form cannot be read: " + err.Error())
	}
	return nil
}

// formMemory is how much of a form is held in memory: all of it, because bodies are bounded below that.
const formMemory = 16 << 20

// ParseForm reads a form into [http.Request.PostForm], also one that carries files.
func ParseForm(r *http.Request) error {
	err := r.ParseMultipartForm(formMemory)
	if errors.Is(err, http.ErrNotMultipart) {
		return nil
	}
	return err
}

// refusal is what the API refused a form for; nil when it is an error of another kind, or none.
func refusal(err error) *api.Problem {
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Status < http.StatusInternalServerError {
		return p
	}
	return nil
}

// static serves the style and the script. They change only with the program.
func (s *server) static() http.Handler {
	types := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
		".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		body, err := fs.ReadFile(files, "static/"+name)
		dot := strings.LastIndex(name, ".")
		if err != nil || dot < 0 {
			http.NotFound(w, r)
			return
		}
		secure(w.Header(), false)
		w.Header().Set("Content-Type", types[name[dot:]])
		w.Header().Set("Cache-Control", "private, max-age=600")
		_, _ = w.Write(body) // the caller has gone: nobody to tell
	})
}

// Raw is the address of a capture's bytes, which are saved and not shown.
func (v shown) Raw(id, digest string) string {
	return v.Link("/items/"+url.PathEscape(id)+"/captures/"+url.PathEscape(digest), "raw", "true")
}

// Found is the page about what was found.
func (v shown) Found(r api.SearchResult) string {
	if r.Type == api.TypeEntry {
		return v.Entry(r.ID)
	}
	return v.Link("/items/" + url.PathEscape(r.ID))
}

// About is the page about what has changed.
func (v shown) About(c api.FeedChange) string {
	if c.EntryID != "" {
		return v.Entry(c.EntryID)
	}
	return v.Link("/items/" + url.PathEscape(c.ItemID))
}

// Earlier is the same list from a place on.
func (v shown) Earlier(q url.Values, after string) string {
	q = maps.Clone(q)
	q.Set("after", after)
	q.Del("done")
	return withQuery(Root+v.Path, q)
}

// Entry is the page of an entry, whatever was sent as its id.
func (v shown) Entry(id string) string { return v.Link("/entries/" + url.PathEscape(id)) }

// Tag is the page of a tag.
func (v shown) Tag(name string) string { return v.Link("/tags/" + url.PathEscape(name)) }

// Finding is the page about what an audit found.
func (v shown) Finding(f api.Finding) string {
	if strings.HasPrefix(f.ID, "entry_") {
		return v.Entry(f.ID)
	}
	return v.Link("/items/" + url.PathEscape(f.ID))
}

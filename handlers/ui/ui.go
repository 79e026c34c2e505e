package ui

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// Root is where the dashboard is found.
const Root = "/api/ui"

//go:embed templates static
var files embed.FS

// Options adjust the dashboard.
type Options struct {
	Client *api.Client      // the API that it shows
	Clock  func() time.Time // the wall clock when nil
	Log    *slog.Logger     // discarded when nil
}

type server struct {
	Options
	pages map[string]*template.Template
}

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

// New makes the dashboard. It panics if a template is broken, which a test would have found.
func New(o Options) http.Handler {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{Options: o, pages: parse()}
	mux := http.NewServeMux()
	for pattern, v := range map[string]view{
		"GET /{$}":                   overview,
		"GET /items":                 items,
		"GET /items/{id}":            item,
		"GET /items/{id}/diff":       diff,
		"GET /search":                search,
		"GET /entries":               entries,
		"GET /entries/{id}":          entry,
		"GET /entries/batches":       batches,
		"GET /entries/batches/{id}":  batch,
		"GET /entries/imports":       imports,
		"GET /entries/imports/{id}":  mailbox,
		"GET /items/{id}/images":     images,
		"GET /hosts":                 hosts,
		"GET /hosts/{host}":          host,
		"GET /backfill":              backfill,
		"GET /backfill/{id}":         run,
		"GET /index":                 index,
		"GET /index/run":             rebuild,
		"POST /add":                  add,
		"POST /items/{id}":           act,
		"POST /test-mode":            setTestMode,
		"POST /entries/{id}":         actEntry,
		"POST /entries/batches/{id}": actBatch,
		"POST /backfill":             startBackfill,
		"POST /backfill/{id}":        actRun,
		"POST /index":                startRebuild,
	} {
		mux.Handle(pattern, s.serve(v))
	}
	mux.Handle("GET /static/{name}", s.static())
	mux.Handle("/", s.serve(func(Options, *http.Request) (page, error) {
		return page{}, &api.Problem{Title: "Not Found", Status: http.StatusNotFound, Detail: "the dashboard has no such page"}
	}))
	same := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = "/"+strings.Trim(strings.TrimPrefix(r.URL.Path, Root), "/"), ""
		// Behind a host the Host is this process's own. Browsers that send no Sec-Fetch-Site are judged by
		// their Origin, which is the outer one. A page cannot forge this header: it is no form's to send.
		r.Host = cmp.Or(r.Header.Get("X-Forwarded-Host"), r.Host)
		same.ServeHTTP(w, r)
	})
}

// parse reads the templates: each page with what all have in common.
func parse() map[string]*template.Template {
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
}

// shown is what every template has.
type shown struct {
	Title    string
	Path     string // of this page, below Root
	Now      time.Time
	TestMode bool
	Flash    string // what the last action did
	Data     any
	code     string
}

// Link is a path below Root with parameters in pairs, empty ones left out, and the function key.
func (v shown) Link(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if v.code != "" {
		q.Set("code", v.code)
	}
	return withQuery(Root+path, q)
}

// Code is the function key of this page's address, for forms.
func (v shown) Code() string { return v.code }

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
		code := r.URL.Query().Get("code")
		p, err := page{}, readForm(r)
		if err == nil {
			p, err = v(s.Options, r)
		}
		if err != nil {
			p = s.failed(r, err)
		}
		if p.to != "" {
			w.Header().Set("Location", follow(p.to, code))
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		out := shown{Title: p.title, Path: r.URL.Path, Now: s.Clock().UTC(), Data: p.data, code: code,
			Flash: flashes[r.URL.Query().Get("done")]}
		if mode, err := api.GetTestMode.Call(r.Context(), s.Client, api.None{}); err == nil {
			out.TestMode = mode.IsTestMode
		}
		s.write(w, p, out)
	})
}

// follow is a path below Root as a Location.
func follow(path, code string) string {
	path, query, _ := strings.Cut(path, "?")
	q, _ := url.ParseQuery(query) // of our own making
	if code != "" {
		q.Set("code", code)
	}
	return withQuery(Root+path, q)
}

func (s *server) write(w http.ResponseWriter, p page, out shown) {
	var body bytes.Buffer
	if err := s.pages[p.name].ExecuteTemplate(&body, "page", out); err != nil {
		s.Log.Error("page not made", "page", p.name, "err", err)
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
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
			"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
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
			Detail: "the API did not answer as it should; the log says more"}
	}
	return page{name: "problem", title: problem.Title, data: problem, status: problem.Status}
}

// badRequest refuses what a form says.
func badRequest(detail string) error {
	return &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest, Detail: detail}
}

// readForm reads the form of a POST, for [http.Request.PostForm].
func readForm(r *http.Request) error {
	if r.Method == http.MethodPost {
		if err := r.ParseForm(); err != nil {
			return badRequest("the form cannot be read: " + err.Error())
		}
	}
	return nil
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
		".svg": "image/svg+xml"}
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
	q := url.Values{"raw": {"true"}}
	if v.code != "" {
		q.Set("code", v.code)
	}
	return withQuery("/api/items/"+url.PathEscape(id)+"/captures/"+url.PathEscape(digest), q)
}

// Found is the page about what was found.
func (v shown) Found(r api.SearchResult) string {
	if r.Type == api.TypeEntry {
		return v.Entry(r.ID)
	}
	return v.Link("/items/" + url.PathEscape(r.ID))
}

// Entry is the page of an entry, whatever was sent as its id.
func (v shown) Entry(id string) string { return v.Link("/entries/" + url.PathEscape(id)) }

// Finding is the page about what an audit found.
func (v shown) Finding(f api.Finding) string {
	if strings.HasPrefix(f.ID, "entry_") {
		return v.Entry(f.ID)
	}
	return v.Link("/items/" + url.PathEscape(f.ID))
}

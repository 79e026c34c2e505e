package ui

import (
	"bytes"
	"context"
	"html/template"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// shownPage is the data that every template receives.
type shownPage struct {
	Title    string
	Path     string // the path of this page, below [Root]
	Query    url.Values
	Back     string // the same with its query, without what is said of the last action
	Now      time.Time
	TestMode bool
	Flash    string // the message about the last action
	Doubtful bool   // whether the message asks for attention
	Undo     string // the id that takes the last action back; empty if nothing can
	Body     string // classes of the page: acting has its actions at the foot of a phone, drawer has a part chooser
	Feed     string // address of the feed of what the page lists; empty for a page without one
	Data     any
	Visitor
}

// Link returns a path below [Root] with parameters. The strings in pairs are names and values in
// turn; parameters with empty values are left out.
func (s shownPage) Link(path string, pairs ...string) string {
	return linkTo(Root+path, params(pairs...))
}

// Block returns the data of a block of a page: the page and data of the block's own.
func (s shownPage) Block(data any) any {
	return struct {
		Page shownPage
		Data any
	}{s, data}
}

// On reports whether this page is at or below a path.
func (s shownPage) On(path string) bool {
	return s.Path == path || path != "/" && strings.HasPrefix(s.Path, path+"/")
}

// A section is an entry of the navigation, with the first parts of the paths that belong to it.
type section struct {
	Name, Path, Icon string
	paths            []string
}

// Sections are what people come for. On a phone, they stand at the foot of the screen.
func (shownPage) Sections() []section {
	return []section{
		{"Changes", "/", "changes", []string{"/", "/changes", "/added"}},
		{"Pages", "/items", "pages", []string{"/items", "/tags", "/import", "/tell"}},
		{"Search", "/search", "search", []string{"/search"}},
		{"Alerts", "/notifications", "bell", []string{"/notifications"}},
	}
}

// MoreSections are in the menu of every page.
func (shownPage) MoreSections() []section {
	return []section{
		{"Whole sites", "/hosts", "site", []string{"/hosts", "/sites", "/backfill"}},
		{"Machine", "/machine", "machine", []string{"/machine", "/index", "/keys", "/settings", "/entries"}},
		{"Help", "/help", "help", []string{"/help"}},
	}
}

// MachineSections are about the machine and the whole of its work.
func (shownPage) MachineSections() []section {
	return []section{
		{"Machine", "/machine", "", []string{"/machine"}},
		{"Sites", "/hosts", "", []string{"/hosts", "/sites"}},
		{"Entries", "/entries", "", []string{"/entries"}},
		{"Runs", "/backfill", "", []string{"/backfill"}},
		{"Index", "/index", "", []string{"/index"}},
		{"Keys", "/keys", "", []string{"/keys"}},
		{"Settings", "/settings", "", []string{"/settings"}},
	}
}

// Adds reports whether the page has the button that watches a page.
func (s shownPage) Adds() bool { return s.MayWrite() && !s.On("/tell") }

// In reports whether this page belongs to a section.
func (s shownPage) In(section section) bool { return slices.ContainsFunc(section.paths, s.On) }

// InMachine reports whether this page belongs to one of the sections of the machine.
func (s shownPage) InMachine() bool { return slices.ContainsFunc(s.MachineSections(), s.In) }

// Raw returns the address from which a browser downloads the bytes of a capture without showing them.
func (s shownPage) Raw(id, digest string) string {
	return s.Link(itemPath(id)+"/captures/"+url.PathEscape(digest), "raw", "true")
}

// Plain does the same for the bytes that the source sent, of a page that was rendered.
func (s shownPage) Plain(id, digest string) string {
	return s.Link(itemPath(id)+"/captures/"+url.PathEscape(digest), "raw", "true", "plain", "true")
}

// Found returns the address of the page about a search result.
func (s shownPage) Found(r api.SearchResult) string {
	if r.Type == api.TypeEntry {
		return s.Entry(r.ID)
	}
	return s.Link(itemPath(r.ID))
}

// About returns the address of the page about the item or entry that has changed.
func (s shownPage) About(c api.FeedChange) string {
	if c.EntryID != "" {
		return s.Entry(c.EntryID)
	}
	return s.Link(itemPath(c.ItemID))
}

// Earlier returns the address of the next part of this list, which begins at a cursor.
func (s shownPage) Earlier(q url.Values, after string) string {
	q = maps.Clone(q)
	q.Set("after", after)
	q.Del("done")
	return linkTo(Root+s.Path, q)
}

// Entry returns the address of an entry's page. The program that pushed the entry chose its id, so
// the id may be any text.
func (s shownPage) Entry(id string) string { return s.Link("/entries/" + url.PathEscape(id)) }

// Tag returns the address of a tag's page.
func (s shownPage) Tag(name string) string { return s.Link("/tags/" + url.PathEscape(name)) }

// Finding returns the address of the page about the item or entry of an audit's finding.
func (s shownPage) Finding(f api.Finding) string {
	if strings.HasPrefix(f.ID, "entry_") {
		return s.Entry(f.ID)
	}
	return s.Link(itemPath(f.ID))
}

// versions is the data of the template that lets a person choose two versions.
type versions struct {
	Page               shownPage
	ID, From, To, Part string
	Captures           []api.Capture
}

// Versions returns the data for the template that lets a person choose two versions of an item.
func (s shownPage) Versions(id string, all []api.Capture, from, to, part string) any {
	return versions{s, id, from, to, part, all}
}

// Visitor is the person or program that requests a page.
type Visitor struct {
	Name  string    // the name of the visitor's key; empty where no key is needed
	Token string    // the token that forms must carry; empty without a session
	Scope api.Scope // what the visitor may do; empty where no key is needed, and everybody may do everything
	// ByProxy is true if a proxy has signed the visitor in. Then only the proxy can sign the visitor out.
	ByProxy bool
}

// MayWrite reports whether the visitor may add, change and remove things.
func (v Visitor) MayWrite() bool { return v.Scope == "" || v.Scope.Covers(api.ScopeWrite) }

// Limits names what the visitor cannot do, as the style sheet knows it: it hides the controls for that.
func (v Visitor) Limits() string {
	switch {
	case v.Scope == "" || v.Scope.Covers(api.ScopeAdmin):
		return ""
	case v.MayWrite():
		return "no-admin"
	default:
		return "no-write no-admin"
	}
}

type visitorKey struct{}

// WithVisitor adds the visitor to a request for a page.
func WithVisitor(r *http.Request, v Visitor) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), visitorKey{}, v))
}

func visitorOf(r *http.Request) Visitor {
	v, _ := r.Context().Value(visitorKey{}).(Visitor)
	return v
}

// templateSet has the template of each page, by name. Each template includes the common parts.
type templateSet map[string]*template.Template

// parse reads the templates of the folder "templates". Each file there is a page, and may use the
// templates defined by the files of the folder "common" within it. Parse panics if a template is
// broken, but a test would have found that before.
func parse(files fs.FS, funcs template.FuncMap) templateSet {
	common := template.New("").Funcs(funcs)
	template.Must(common.ParseFS(files, "templates/common/*.html"))
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err)
	}
	out := templateSet{}
	for _, name := range names {
		base := strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".html")
		out[base] = template.Must(template.Must(common.Clone()).ParseFS(files, name))
	}
	return out
}

// ownAddress matches the addresses of the app in the attributes of a page. Text that others have written matches
// nowhere, because its quotation marks are escaped.
var ownAddress = regexp.MustCompile(`\b(href|src|action|formaction|data-load)="/api/`)

// Write renders a page. This is where addresses of the app get the path below which the visitor reaches it.
func (t templateSet) Write(w http.ResponseWriter, r *http.Request, log *slog.Logger, p page, out shownPage) {
	var body bytes.Buffer
	if err := t[p.Name].ExecuteTemplate(&body, "page", out); err != nil {
		log.Error("page not made", "page", p.Name, "err", err)
		http.Error(w, "the page could not be rendered", http.StatusInternalServerError)
		return
	}
	content := body.Bytes()
	if prefix := wire.Prefix(r.Context()); prefix != "" {
		content = ownAddress.ReplaceAll(content, []byte(`${1}="`+prefix+`/api/`))
	}
	h := w.Header()
	secure(h, p.Pictures)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(p.status())
	_, _ = w.Write(content) // an error means that the browser has disconnected
}

// secure sets headers that forbid everything that the pages do not need.
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

// static serves the files of the folder "static", which are built into the program.
func static(files fs.FS) http.Handler {
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
		wire.Tagged(w, r, body)
	})
}

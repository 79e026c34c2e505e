package ui

import (
	"bytes"
	"cmp"
	"context"
	"html/template"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
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
	Now      time.Time
	TestMode bool
	Flash    string // the message about the last action
	Doubtful bool   // whether the message asks for attention
	Feed     string // address of the feed of what the page lists; empty for a page without one
	Data     any
	Visitor
}

// Link returns a path below [Root] with parameters. The strings in pairs are names and values in
// turn; parameters with empty values are left out.
func (s shownPage) Link(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return linkTo(Root+path, q)
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
	Name, Path string
	paths      []string
}

// Sections are what people come for. On a phone, they stand at the foot of the screen.
func (shownPage) Sections() []section {
	return []section{
		{"Changes", "/", []string{"/", "/changes", "/added"}},
		{"Search", "/search", []string{"/search"}},
		{"Pages", "/items", []string{"/items", "/tags", "/import"}},
		{"Notifications", "/notifications", []string{"/notifications"}},
		{"Help", "/help", []string{"/help"}},
	}
}

// MachineSections are about the machine and the whole of its work.
func (shownPage) MachineSections() []section {
	return []section{
		{"Machine", "/machine", []string{"/machine"}},
		{"Entries", "/entries", []string{"/entries"}},
		{"Hosts", "/hosts", []string{"/hosts", "/sites"}},
		{"Runs", "/backfill", []string{"/backfill"}},
		{"Index", "/index", []string{"/index"}},
		{"Keys", "/keys", []string{"/keys"}},
	}
}

// In reports whether this page belongs to a section.
func (s shownPage) In(section section) bool { return slices.ContainsFunc(section.paths, s.On) }

// InMachine reports whether this page belongs to one of the sections of the machine.
func (s shownPage) InMachine() bool { return slices.ContainsFunc(s.MachineSections(), s.In) }

// Raw returns the address from which a browser downloads the bytes of a capture without showing them.
func (s shownPage) Raw(id, digest string) string {
	return s.Link("/items/"+url.PathEscape(id)+"/captures/"+url.PathEscape(digest), "raw", "true")
}

// Plain does the same for the bytes that the source sent, of a page that was rendered.
func (s shownPage) Plain(id, digest string) string {
	return s.Link("/items/"+url.PathEscape(id)+"/captures/"+url.PathEscape(digest), "raw", "true", "plain", "true")
}

// Found returns the address of the page about a search result.
func (s shownPage) Found(r api.SearchResult) string {
	if r.Type == api.TypeEntry {
		return s.Entry(r.ID)
	}
	return s.Link("/items/" + url.PathEscape(r.ID))
}

// About returns the address of the page about the item or entry that has changed.
func (s shownPage) About(c api.FeedChange) string {
	if c.EntryID != "" {
		return s.Entry(c.EntryID)
	}
	return s.Link("/items/" + url.PathEscape(c.ItemID))
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
	return s.Link("/items/" + url.PathEscape(f.ID))
}

// hunks is the data of the template that shows the differences between two versions.
type hunks struct {
	api.Diff
	Page     shownPage
	ID, Part string
}

// numberedHunk is the data of a template about one hunk.
type numberedHunk struct {
	hunks
	N int
}

// At returns the data of the template about the hunk with a number, from 1.
func (h hunks) At(n int) any { return numberedHunk{h, n} }

// Hunks returns the data for the template that shows the differences between two versions of an item.
func (s shownPage) Hunks(id string, d api.Diff, part string) any { return hunks{d, s, id, part} }

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

// act is a link of a menu.
type act struct {
	Text, To string
	Away     bool // leads to another site
}

// acts is the data of the menu with what can be done with a page that is watched.
type acts struct {
	Page            shownPage
	ID, Title, Back string
	More            []act
}

// Acts returns the data for the actions on the page of an item or a change, with "Mail me" beside
// the menu. After an action, the browser goes back to the given path.
func (s shownPage) Acts(id, title, back string) any {
	return acts{Page: s, ID: id, Title: title, Back: back}
}

// ChangeActs returns the data for the menu of a change.
func (s shownPage) ChangeActs(c api.FeedChange, title, back, page string) any {
	a := acts{Page: s, ID: c.ItemID, Title: title, Back: back}
	add := func(text, path string) { a.More = append(a.More, act{Text: text, To: s.Link(path)}) }
	if c.To != "" {
		add("View this version", "/items/"+c.ItemID+"/captures/"+c.To)
	}
	add("Watch only a part", "/items/"+c.ItemID+"/pick")
	add("Who was notified", "/changes/"+c.ID)
	if page != "" {
		a.More = append(a.More, act{"Open the page", page, true})
	}
	return a
}

// muted is the data of a list of mutes.
type muted struct {
	Page  shownPage
	Back  string
	Mutes []api.Mute
}

// Muted returns the data for a list of mutes. After an action, the browser goes back to the given path.
func (s shownPage) Muted(all []api.Mute, back string) any { return muted{s, back, all} }

// undoes is the data of the form that removes rules for lines.
type undoes struct {
	Page  shownPage
	ID    string
	Rules []string
}

// Undoes returns the data for the form that removes rules for lines of an item.
func (s shownPage) Undoes(id string, rules []string) any { return undoes{s, id, rules} }

// templateSet has the template of each page, by name. Each template includes the common parts.
type templateSet map[string]*template.Template

// parse reads the templates of the folder "templates". Each file there is a page, and may use the
// templates defined by the files of the folder "common" within it. Parse panics if a template is
// broken, but a test would have found that before.
func parse(files fs.FS, funcs ...template.FuncMap) templateSet {
	common := template.New("").Funcs(template.FuncMap{"said": fieldMessage})
	for _, f := range funcs {
		common.Funcs(f)
	}
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

// Write renders a page.
func (t templateSet) Write(w http.ResponseWriter, log *slog.Logger, p page, out shownPage) {
	var body bytes.Buffer
	if err := t[p.Name].ExecuteTemplate(&body, "page", out); err != nil {
		log.Error("page not made", "page", p.Name, "err", err)
		http.Error(w, "the page could not be rendered", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	secure(h, p.Pictures)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(cmp.Or(p.Status, http.StatusOK))
	_, _ = w.Write(body.Bytes()) // an error means that the browser has disconnected
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

// cannotData is why a rule cannot fire, for a template.
type cannotData struct {
	Page   shownPage
	Cannot []api.CannotFire
	More   int // pages that are not named
}

// Cannot returns why a rule cannot fire, for a template.
func (s shownPage) Cannot(all []api.CannotFire, more int) any { return cannotData{s, all, more} }

package ui

import (
	"bytes"
	"cmp"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
)

// templateSet has the template of each page, by name. Each template includes the common parts.
type templateSet map[string]*template.Template

// parse reads the templates of the folder "templates". Each file there is a page, and may use the templates defined
// by the files of the folder "common" within it. Parse panics if a template is broken, but a test would have found
// that before.
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
func (t templateSet) Write(w http.ResponseWriter, log *slog.Logger, p Page, out Shown) {
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

package ui

import (
	"cmp"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/ui/frame"
)

const signInPath = "/sign-in"

// TokenField is the field of a form that holds [Visitor.Token].
const TokenField = "token"

// Visitor is who asks for a page.
type Visitor = frame.Visitor

// WithVisitor tells the pages who asks for them.
func WithVisitor(r *http.Request, v Visitor) *http.Request { return frame.WithVisitor(r, v) }

// ParseForm reads a form into [http.Request.PostForm], also one that carries files.
func ParseForm(r *http.Request) error { return frame.ParseForm(r) }

// signInData is what the page for signing in shows.
type signInData struct {
	Why string // why the last try failed
	To  string // where to go after that, below Root
}

// SignIn shows the page for signing in, with a status and what was wrong, and nothing else that Tidemark knows.
func SignIn(w http.ResponseWriter, r *http.Request, status int, why string) {
	to := cmp.Or(r.PostForm.Get("to"), strings.TrimPrefix(r.URL.RequestURI(), Root))
	if strings.HasPrefix(to, signInPath) || r.Method == http.MethodPost && r.PostForm.Get("to") == "" {
		to = ""
	}
	templates().Write(w, slog.Default(), frame.Page{Name: "signin", Status: status},
		frame.Shown{Title: "Sign in", Path: signInPath, Now: time.Now().UTC(), Data: signInData{why, Below(to)}})
}

// Below makes sure that an address is one of the dashboard, as a path below [Root] with its query; "/" if it is not.
func Below(to string) string {
	at, query, _ := strings.Cut(to, "?")
	if !strings.HasPrefix(at, "/") || path.Clean(at) != at || strings.ContainsAny(to, "\\\r\n#") || len(to) > 2000 {
		return "/"
	}
	if query != "" {
		return at + "?" + query
	}
	return at
}

var sameSite = http.NewCrossOriginProtection()

// FromElsewhere reports whether a page of another site made the browser send this request. Browsers that send no
// Sec-Fetch-Site are judged by their Origin, which names the host that they know: behind a Functions host that is not
// the Host of this request, but X-Forwarded-Host, which a form cannot set.
func FromElsewhere(r *http.Request) bool {
	outer := *r
	outer.Host = cmp.Or(r.Header.Get("X-Forwarded-Host"), r.Host)
	return sameSite.Check(&outer) != nil
}

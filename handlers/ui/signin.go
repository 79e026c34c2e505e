package ui

import (
	"cmp"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify"
)

const signInPath = "/sign-in"

// TokenField is the name of the form field that holds [Visitor.Token].
const TokenField = "token"

// ReadForm reads a form, which may carry files, into [http.Request.PostForm]. It returns nil, or the reason why the
// form cannot be read.
func ReadForm(r *http.Request) *api.Problem { return refusal(readForm(r)) }

// RefuseForm shows why a form was not read.
func RefuseForm(w http.ResponseWriter, r *http.Request, why *api.Problem) {
	templates().Write(w, slog.Default(), Page{Name: "problem", Status: why.Status}, Shown{Title: why.Title,
		Path: strings.TrimPrefix(r.URL.Path, Root), Now: time.Now().UTC(), Data: why})
}

// signInData is the data of the sign-in page.
type signInData struct {
	Why string // why the last attempt failed
	To  string // the page to show after the sign-in, below Root
}

// SignIn shows the sign-in page with a status and the reason why the last attempt failed. The page reveals nothing
// else.
func SignIn(w http.ResponseWriter, r *http.Request, status int, why string) {
	to := cmp.Or(r.PostForm.Get("to"), strings.TrimPrefix(r.URL.RequestURI(), Root))
	if strings.HasPrefix(to, signInPath) || r.Method == http.MethodPost && r.PostForm.Get("to") == "" {
		to = ""
	}
	templates().Write(w, slog.Default(), Page{Name: "signin", Status: status},
		Shown{Title: "Sign in", Path: signInPath, Now: time.Now().UTC(), Data: signInData{why, Below(to)}})
}

// Below returns the path of an address below [Root], with its query. It returns "/" for an address outside the
// dashboard.
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

// FromElsewhere reports whether a page of another site made the browser send this request. If the browser sends no
// Sec-Fetch-Site header, FromElsewhere compares the Origin header with the host's name as the browser knows it.
// Behind a Functions host, that name is not in the Host header but in X-Forwarded-Host, which a form cannot set.
func FromElsewhere(r *http.Request) bool {
	outer := *r
	outer.Host = wire.OuterHost(r)
	return sameSite.Check(&outer) != nil
}

// LinkedMute is the data of the page that a mute link opens.
type LinkedMute struct {
	notify.LinkedMute

	Action string // path to which the form is sent
	Done   string // what the form has asked for
}

// MuteLink shows the page of a mute link. It has no navigation: its reader may not have signed in.
func MuteLink(w http.ResponseWriter, _ *http.Request, d LinkedMute) {
	templates().Write(w, slog.Default(), Page{Name: "mutelink"}, Shown{Title: "Mute this page",
		Path: signInPath, Now: time.Now().UTC(), Data: d})
}

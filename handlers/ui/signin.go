package ui

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"
)

const signInPath = "/sign-in"

// TokenField is the field of a form that holds [Visitor.Token].
const TokenField = "token"

// Visitor is who looks at a page.
type Visitor struct {
	Name  string // of the key; empty where nobody needs one
	Token string // that forms have to carry; empty without a session
}

type visitorKey struct{}

// WithVisitor says who asks for a page.
func WithVisitor(r *http.Request, v Visitor) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), visitorKey{}, v))
}

func visitorOf(r *http.Request) Visitor {
	v, _ := r.Context().Value(visitorKey{}).(Visitor)
	return v
}

// signInData is what the page for signing in shows.
type signInData struct {
	Why string // the last try was in vain
	To  string // where to go then, below Root
}

// SignIn shows the page for that, with a status and what was wrong, and nothing of Tidemark's.
func SignIn(w http.ResponseWriter, r *http.Request, status int, why string) {
	to := cmp.Or(r.PostForm.Get("to"), strings.TrimPrefix(r.URL.RequestURI(), Root))
	if strings.HasPrefix(to, signInPath) || r.Method == http.MethodPost && r.PostForm.Get("to") == "" {
		to = ""
	}
	writePage(w, slog.Default(), page{name: "signin", status: status},
		shown{Title: "Sign in", Path: signInPath, Now: time.Now().UTC(), Data: signInData{why, Below(to)}})
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

// FromElsewhere reports whether a page of another site makes a browser send this. Behind a host the Host is this
// process's own. Browsers that send no Sec-Fetch-Site are judged by their Origin, which is the outer one. A page cannot
// forge this header: it is no form's to send.
func FromElsewhere(r *http.Request) bool {
	outer := *r
	outer.Host = cmp.Or(r.Header.Get("X-Forwarded-Host"), r.Host)
	return sameSite.Check(&outer) != nil
}

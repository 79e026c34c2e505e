package handlers

import (
	"crypto/subtle"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// sessionCookie holds the token of a session. Only pages of the dashboard accept it. The API
// accepts only keys, so another site cannot use a visitor's session to call it. Over HTTPS, the
// name has the prefix __Host-: browsers take such a cookie from this host only, and not from
// another host of its domain.
const sessionCookie = "tidemark_session"

// maxSessions bounds the cookies that are looked up for one request. There are several when another
// program on the host has set a cookie of the same name.
const maxSessions = 5

// sessionsOf returns the tokens that a request carries.
func sessionsOf(r *http.Request) (tokens []string) {
	for _, c := range r.CookiesNamed(sessionCookieOf(r)) {
		if len(tokens) < maxSessions {
			tokens = append(tokens, c.Value)
		}
	}
	return tokens
}

func sessionCookieOf(r *http.Request) string {
	switch {
	case !wire.Encrypted(r):
		return sessionCookie
	case wire.Prefix(r.Context()) != "": // other paths of the host belong to other programs, which must not get the cookie
		return "__Secure-" + sessionCookie
	}
	return "__Host-" + sessionCookie
}

const (
	signInPath  = "/sign-in"
	signOutPath = "/sign-out"
	signInLink  = "/link"
)

// feedKey is the message for a visitor whose key opens only feeds, and no page.
const feedKey = "This key is for feeds alone and cannot sign in. That takes a key with the scope read, write or admin."

// servePage shows the dashboard to people who signed in, and to programs with a key.
func (d *door) servePage(w http.ResponseWriter, r *http.Request, page string) {
	if strings.HasPrefix(page, "/static/") && path.Clean(page) == page && r.Method == http.MethodGet {
		d.next.ServeHTTP(w, wire.WithCaller(r, wire.Caller{})) // the sign-in page needs its style and its script
		return
	}
	switch {
	case page == signInLink:
		d.serveSignInLink(w, r)
		return
	case page == signInPath && r.Method == http.MethodPost:
		d.signIn(w, r)
		return
	}
	k, token, err := d.visitor(r)
	if err == nil && !k.Scope.Covers(api.ScopeRead) {
		d.askToSignIn(w, r, http.StatusForbidden, feedKey)
		return
	}
	switch {
	case err == errNoKey:
		d.askToSignIn(w, r, http.StatusUnauthorized, "")
	case err != nil:
		d.refuse(w, r, err)
	case token != "" && r.Method != http.MethodGet && r.Method != http.MethodHead && !d.ownForm(w, r, token):
	case page == signOutPath && r.Method == http.MethodPost:
		d.signOut(w, r, token)
	default:
		r = wire.WithCaller(r, wire.Caller{Name: k.Name, Scope: k.Scope})
		form := ""
		if token != "" {
			form = keys.FormToken(token)
		}
		name, byProxy := strings.CutPrefix(k.Name, wire.UserPrefix)
		d.next.ServeHTTP(w, ui.WithVisitor(r, ui.Visitor{Name: name, Token: form, Scope: k.Scope, ByProxy: byProxy}))
	}
}

// visitor identifies the caller of a page: by the key of the request, by the session that its
// cookie gives, or else as the user whom a proxy has signed in.
func (d *door) visitor(r *http.Request) (k keys.Key, token string, err error) {
	user, byProxy := d.userOf(r)
	given := credentials(r, nil)
	if byProxy { // the proxy may add credentials of its own for the user
		given = slices.DeleteFunc(given, isNoKey)
	}
	if k, token, err = d.holder(r, given); err == errNoKey && byProxy {
		token = d.Secret + " " + user // takes the place of a session's token; only this process knows it
		return keys.Key{Name: wire.UserPrefix + user, Scope: d.UserScope}, token, nil
	}
	return k, token, err
}

// holder returns the key that was given, or the key of the request's session.
func (d *door) holder(r *http.Request, given []string) (k keys.Key, token string, err error) {
	tokens := sessionsOf(r)
	if len(given) > 0 || len(tokens) == 0 {
		k, err = d.check(r, given)
		return k, "", err
	}
	services, err := d.open(r.Context())
	if err != nil {
		return k, "", d.unavailable(r, err)
	}
	for _, token = range tokens {
		k, ok, err := services.keys.Session(r.Context(), token)
		if ok || err != nil {
			return k, token, err
		}
	}
	return k, "", errNoKey
}

// maxUser bounds the name of a user in bytes.
const maxUser = 100

// userOf returns the user whom a proxy has signed in. The host reports users only of trusted proxies.
func (d *door) userOf(r *http.Request) (name string, ok bool) {
	name = strings.TrimSpace(r.Header.Get(api.HostUserHeader))
	ok = d.Secret != "" && d.Access == OwnKeys && name != "" && len(name) <= maxUser && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) })
	return name, ok
}

// ownForm reports whether a form carries the token of the visitor's session, which only pages of
// that session know. If not, ownForm answers with the reason why the form is refused.
func (d *door) ownForm(w http.ResponseWriter, r *http.Request, token string) bool {
	if why := ui.ReadForm(r); why != nil {
		ui.RefuseForm(w, r, why)
		return false
	}
	said, want := r.PostForm.Get(ui.TokenField), keys.FormToken(token)
	if subtle.ConstantTimeCompare([]byte(said), []byte(want)) != 1 {
		d.askToSignIn(w, r, http.StatusForbidden, "This form was not sent by a page of this session. Open the page again.")
		return false
	}
	return true
}

// askToSignIn shows the sign-in page instead of the requested page.
func (d *door) askToSignIn(w http.ResponseWriter, r *http.Request, status int, why string) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="Tidemark"`)
	}
	ui.SignIn(w, r, status, why)
}

// signIn begins a session. The session is always a new one, so that nobody else can have chosen its
// token. A right key is accepted whatever the limit on wrong keys says: callers may share an
// address, and the wrong keys of some must not keep out the others.
func (d *door) signIn(w http.ResponseWriter, r *http.Request) {
	if ui.FromElsewhere(r) {
		d.askToSignIn(w, r, http.StatusForbidden, "This form was sent by another site.")
		return
	}
	services, err := d.open(r.Context())
	if err != nil {
		d.refuse(w, r, d.unavailable(r, err))
		return
	}
	if why := ui.ReadForm(r); why != nil {
		d.askToSignIn(w, r, why.Status, "This cannot be done: "+why.Detail+".")
		return
	}
	k, ok, err := services.keys.Find(r.Context(), strings.TrimSpace(r.PostForm.Get("key")))
	switch {
	case err != nil:
		d.refuse(w, r, err)
		return
	case !ok:
		d.refuseSignIn(w, r)
		return
	case !k.Scope.Covers(api.ScopeRead):
		d.askToSignIn(w, r, http.StatusForbidden, feedKey)
		return
	}
	token, err := services.keys.SignIn(r.Context(), k)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	d.begin(w, r, services.keys, k, token)
}

// begin sends a browser the cookie of its session, in place of those it had.
func (d *door) begin(w http.ResponseWriter, r *http.Request, ring *keys.Ring, k keys.Key, token string) {
	for _, old := range sessionsOf(r) {
		_ = ring.SignOut(r.Context(), old) // if this fails, the old session expires
	}
	d.Log.InfoContext(r.Context(), "signed in", "key", k.Name, "from", address(r))
	http.SetCookie(w, d.cookie(r, token, int(keys.SessionLife/time.Second)))
	redirect(w, ui.Root+ui.Below(r.PostForm.Get("to")))
}

// refuseSignIn answers a wrong key.
func (d *door) refuseSignIn(w http.ResponseWriter, r *http.Request) {
	if wait := d.wrongKey(r, &d.tried); wait > 0 {
		wire.RetryAfter(w, wait)
		d.askToSignIn(w, r, http.StatusTooManyRequests, "This key is not valid, and there were too many wrong keys from "+
			"this address. A valid key is accepted at once.")
		return
	}
	d.askToSignIn(w, r, http.StatusUnauthorized, "This key is not valid.")
}

func (d *door) signOut(w http.ResponseWriter, r *http.Request, token string) {
	services, err := d.open(r.Context())
	if err == nil {
		err = services.keys.SignOut(r.Context(), token)
	}
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	http.SetCookie(w, d.cookie(r, "", -1))
	redirect(w, ui.Root+signInPath)
}

// cookie returns the cookie of a session.
func (d *door) cookie(r *http.Request, token string, age int) *http.Cookie {
	c := &http.Cookie{
		Name: sessionCookieOf(r), Value: token, Path: wire.Prefix(r.Context()) + ui.Root, MaxAge: age, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: wire.Encrypted(r),
	}
	if strings.HasPrefix(c.Name, "__Host-") {
		c.Path = "/" // this beginning of the name demands it
	}
	return c
}

func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

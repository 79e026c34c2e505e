package handlers

import (
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// Access says who checks the keys of requests.
type Access int

// Kinds of access.
const (
	// Open is without keys: the host listens on this machine alone.
	Open Access = iota
	// HostKeys is as in Azure: the host has checked its own keys, but for functions whose level is anonymous. The health
	// takes none; the dashboard and feeds, which are the other such functions, take Tidemark's.
	HostKeys
	// OwnKeys is where the host checks nothing and strangers may come: all but the health needs one of Tidemark's keys.
	OwnKeys
)

// hostKeyName is who calls with a key that the host has checked, and of which it does not say the name.
const hostKeyName = "function key"

// keyNeeded is said to everybody whose key is not taken: whether it is missing, wrong or removed is nobody's business.
const keyNeeded = "a key is needed that is valid: as the header x-functions-key or as Authorization: Bearer KEY, on " +
	"the command line with --key or TIDEMARK_KEY. `tidemark keys add NAME --scope read` makes one"

// door lets in who has a key.
type door struct {
	*server
	mux    *http.ServeMux // of all routes
	routes map[string]*api.Endpoint
	next   http.Handler
	failed keys.Limiter // keys that are none
	tried  keys.Limiter // sign-ins
}

func (s *server) newDoor(mux *http.ServeMux, next http.Handler) *door {
	d := &door{server: s, mux: mux, routes: map[string]*api.Endpoint{}, next: next}
	for _, e := range api.Routes() {
		d.routes[muxPattern(e)] = e
	}
	return d
}

// ServeHTTP implements [http.Handler].
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.Access == Open {
		d.next.ServeHTTP(w, wire.WithCaller(r, wire.Caller{Scope: api.ScopeAdmin}))
		return
	}
	w.Header().Set("Cache-Control", "private, no-store") // what one may see is for no cache on the way
	wanted := folded(r)
	_, pattern := d.mux.Handler(wanted)
	e := d.routes[pattern]
	switch at := wanted.URL.Path; {
	case at == ui.Root || strings.HasPrefix(at, ui.Root+"/"):
		d.servePage(w, r, strings.TrimPrefix(at, ui.Root))
	case d.isHosts(r, pattern) || e == api.GetHealth.Endpoint && at == path.Clean(at):
		d.next.ServeHTTP(w, wire.WithCaller(r, wire.Caller{}))
	default:
		d.serveAPI(w, r, e)
	}
}

// isHosts reports whether a request is the host's own, the question whether we are up or a trigger, and none that it
// passes on.
func (d *door) isHosts(r *http.Request, pattern string) bool {
	_, at, _ := strings.Cut(pattern, " ")
	own := at == "/{$}" && r.URL.Path == "/" || isTrigger(at) && strings.EqualFold(r.URL.Path, at)
	return own && r.Header.Get(forwardedFor) == ""
}

// forwardedFor is where the host says whom it passes a request on for.
const forwardedFor = "X-Forwarded-For"

func isTrigger(path string) bool {
	for _, name := range triggerNames {
		if path == "/"+strings.ToLower(name) {
			return true
		}
	}
	return false
}

func (d *door) serveAPI(w http.ResponseWriter, r *http.Request, e *api.Endpoint) {
	given := credentials(r, e)
	if d.Access == HostKeys && (e == nil || !e.Anonymous) {
		// The host has checked a key. A key of ours beside it says who it is.
		given = slices.DeleteFunc(given, func(s string) bool { return !strings.HasPrefix(s, keys.Prefix) })
		if len(given) == 0 {
			d.next.ServeHTTP(w, wire.WithCaller(r, wire.Caller{Name: hostKeyName, Scope: api.ScopeAdmin}))
			return
		}
	}
	k, err := d.check(r, given)
	if err == nil && e != nil && e.Scope == api.ScopeFeed && r.URL.Query().Has("key") &&
		!api.ScopeRead.Covers(k.Scope) {
		err = errNoKey // addresses are read by many, so none may have a key that can change something
	}
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	d.next.ServeHTTP(w, wire.WithCaller(r, wire.Caller{Name: k.Name, Scope: k.Scope}))
}

// errNoKey is a request without a key that is taken.
var errNoKey = fault.New(fault.Blocked, "%s", keyNeeded)

// check finds the one key of a request.
func (d *door) check(r *http.Request, given []string) (keys.Key, error) {
	if len(given) != 1 {
		return keys.Key{}, errNoKey
	}
	services, err := d.open(r.Context())
	if err != nil {
		return keys.Key{}, d.unavailable(r, err)
	}
	k, ok, err := services.keys.Find(r.Context(), given[0])
	switch {
	case err != nil:
		return k, err
	case ok:
		return k, nil
	}
	now, from := time.Now(), address(r)
	wait := d.failed.Wait(now, from)
	if d.failed.Failed(now, from) {
		d.Log.WarnContext(r.Context(), "a key is not taken", "from", from, "path", r.URL.Path)
	}
	if wait > 0 {
		return k, fault.After(wait, "too many wrong keys from this address; wait, then use one that is valid")
	}
	return k, errNoKey
}

// refuse answers why nobody comes in.
func (d *door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if err != errNoKey {
		d.answerError(w, r, err)
		return
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="Tidemark"`)
	wire.Problem(w, http.StatusUnauthorized, keyNeeded)
}

// credentials are the different texts that a request gives as keys. In an address only feeds take one, because their
// readers can send no headers, and addresses are written to logs.
func credentials(r *http.Request, e *api.Endpoint) (given []string) {
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" && !slices.Contains(given, text) {
			given = append(given, text)
		}
	}
	for _, text := range r.Header.Values("X-Functions-Key") {
		add(text)
	}
	for _, text := range r.Header.Values("Authorization") {
		if scheme, key, ok := strings.Cut(strings.TrimSpace(text), " "); ok && strings.EqualFold(scheme, "Bearer") {
			add(key)
		}
	}
	if e != nil && e.Scope == api.ScopeFeed {
		for _, text := range r.URL.Query()["key"] {
			add(text)
		}
	}
	return given
}

// address is where a request comes from, as the host says: it appends to what it was told itself. Azure adds a port.
func address(r *http.Request) string {
	said := r.Header.Values(forwardedFor)
	if len(said) == 0 {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		return host
	}
	list := said[len(said)-1]
	last := strings.TrimSpace(list[strings.LastIndex(list, ",")+1:])
	if host, _, err := net.SplitHostPort(last); err == nil {
		return host
	}
	return strings.Trim(last, "[]")
}

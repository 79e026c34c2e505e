package handlers

import (
	"net"
	"net/http"
	"net/netip"
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

// Access says who checks the keys of requests: nobody, the Functions host, or this program.
type Access int

// Kinds of access.
const (
	// Open requires no keys. It is for a host that listens on this machine only, and whose user wants no keys.
	Open Access = iota
	// HostKeys is the mode in Azure: the host has already checked its own keys, except for functions
	// whose level is anonymous. Among the anonymous functions, the health check and the schemas need
	// no key; the dashboard and feeds need one of Tidemark's own keys.
	HostKeys
	// OwnKeys is for a host that checks nothing: every request except those for the health check, the
	// schemas and what carries its own signature needs one of Tidemark's own keys.
	OwnKeys
)

// hostKeyName is the caller's name when the host has checked its key. The host does not pass on the key's own name.
const hostKeyName = "function key"

// keyNeeded answers every request whose key is not accepted. It does not reveal whether the key is
// missing, wrong or removed.
const keyNeeded = "a key is needed that is valid: as the header x-functions-key or as Authorization: Bearer KEY, on " +
	"the command line with --key or TIDEMARK_KEY. `tidemark keys add NAME --scope read` makes one; " +
	"API_KEYS=\"NAME SCOPE KEY\", set for the start, brings one; API_KEYS_REQUIRED=false, set for a start that only " +
	"this machine reaches, wants none"

// A door passes on each request that its key allows, and refuses all others.
type door struct {
	*server
	mux    *http.ServeMux // all routes
	routes map[string]*api.Endpoint
	next   http.Handler
	failed keys.Limiter // counts wrong keys in requests
	tried  keys.Limiter // counts wrong keys typed in the sign-in form
	forged keys.Limiter // counts requests for links of messages that nobody has signed, by address
	muting keys.Limiter // counts requests for the other links, by what they are about
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
	if isAbused(r) {
		wire.Problem(w, http.StatusForbidden, "A page of another site sent this request, which would have an effect.")
		return
	}
	below, token, linked := linkToken(r)
	if d.Access == Open {
		if r = wire.WithCaller(r, wire.Caller{Scope: api.ScopeAdmin}); linked {
			d.serveLink(w, r, below, token)
			return
		}
		if folded(r).URL.Path == ui.Root+signInLink {
			d.serveOpenLink(w, r)
			return
		}
		d.next.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Cache-Control", "private, no-store") // caches must not store content that needs a key
	if d.Access == HostKeys {
		r.Header.Set(wire.ForwardedProto, "https") // public addresses in Azure use https, although the host may report http
	}
	if wire.Encrypted(r) && !isLocal(wire.OuterHost(r)) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
	}
	wanted := folded(r)
	_, pattern := d.mux.Handler(wanted)
	e := d.routes[pattern]
	switch at := wanted.URL.Path; {
	case linked:
		d.serveLink(w, r, below, token)
	case at == ui.Root || strings.HasPrefix(at, ui.Root+"/"):
		d.servePage(w, r, strings.TrimPrefix(at, ui.Root))
	case d.isHosts(r, pattern) || isOpen(e) && at == path.Clean(at):
		d.next.ServeHTTP(w, wire.WithCaller(r, wire.Caller{}))
	default:
		d.serveAPI(w, r, e)
	}
}

// isOpen reports whether a route needs no key at all.
func isOpen(e *api.Endpoint) bool { return e != nil && e.Anonymous && e.Scope == "" }

// isAbused reports whether a page of another site made a browser send a GET request that has an
// effect: a search that has old pages checked again, or a notice of IndexNow. Other programs send
// no Sec-Fetch-Site.
func isAbused(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false // package http refuses other methods from other sites; see front
	}
	site := r.Header.Get("Sec-Fetch-Site")
	if site == "" || site == "none" || site == "same-origin" {
		return false
	}
	return r.URL.Query().Get("stale") == api.StaleRecheck || strings.EqualFold(path.Base(r.URL.Path), "IndexNow")
}

// isLocal reports whether a host is this machine. Browsers must not be told to use only HTTPS for
// it, because other programs on this machine may use HTTP.
func isLocal(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	addr, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return strings.EqualFold(name, "localhost") || err == nil && addr.IsLoopback()
}

// isHosts reports whether the host itself sent a request, to check that the process is up or to
// call a trigger. For a request that the host passes on, isHosts returns false.
func (d *door) isHosts(r *http.Request, pattern string) bool {
	_, at, _ := strings.Cut(pattern, " ")
	own := at == "/{$}" && r.URL.Path == "/" || isTrigger(at) && strings.EqualFold(r.URL.Path, at)
	return own && r.Header.Get(forwardedFor) == ""
}

// forwardedFor is the header in which the host gives the address that a request came from.
const forwardedFor = "X-Forwarded-For"

func isTrigger(path string) bool {
	return slices.ContainsFunc(triggerNames, func(name string) bool {
		return path == "/"+strings.ToLower(name)
	})
}

func (d *door) serveAPI(w http.ResponseWriter, r *http.Request, e *api.Endpoint) {
	given := credentials(r, e)
	if d.Access == HostKeys && (e == nil || !e.Anonymous) {
		// The host has checked its own key. If the request also carries one of Tidemark's keys, that key
		// identifies the caller.
		given = slices.DeleteFunc(given, isNoKey)
		if len(given) == 0 {
			d.next.ServeHTTP(w, wire.WithCaller(r, wire.Caller{Name: hostKeyName, Scope: api.ScopeAdmin}))
			return
		}
	}
	k, err := d.check(r, given)
	if err == nil && e != nil && e.Scope == api.ScopeFeed && r.URL.Query().Has("key") &&
		!api.ScopeRead.Covers(k.Scope) {
		err = errNoKey // many people see addresses, so a key in an address must not allow changes
	}
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	d.next.ServeHTTP(w, wire.WithCaller(r, wire.Caller{Name: k.Name, Scope: k.Scope}))
}

// errNoKey refuses a request without a key, or with a key that is not accepted.
var errNoKey = fault.New(fault.Blocked, "%s", keyNeeded)

// check looks up the key of a request. It refuses a request that does not have exactly one key.
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
	if wait := d.wrongKey(r, &d.failed); wait > 0 {
		return k, fault.After(wait, "too many wrong keys from this address; use one that is valid")
	}
	return k, errNoKey
}

// wrongKey counts a wrong key. It returns how much longer the sender's address should have waited
// before this try, or 0 if it waited long enough. Right keys are neither counted nor delayed.
func (d *door) wrongKey(r *http.Request, count *keys.Limiter) (wait time.Duration) {
	now, from := time.Now(), address(r)
	wait = count.Wait(now, from)
	if count.Failed(now, from) {
		d.Log.WarnContext(r.Context(), "a key is not taken", "from", from, "path", r.URL.Path)
	}
	return wait
}

// isNoKey reports whether a string cannot be one of Tidemark's keys.
func isNoKey(s string) bool { return !strings.HasPrefix(s, keys.Prefix) }

// refuse answers a request with the reason for its refusal.
func (d *door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if err != errNoKey {
		d.answerError(w, r, err)
		return
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="Tidemark"`)
	wire.Problem(w, http.StatusUnauthorized, keyNeeded)
}

// credentials returns the distinct strings that a request presents as keys. Addresses are written
// to logs, so a key in an address is accepted only for feeds, whose readers cannot send headers.
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

// address returns the network address of a request's sender, as far as it is known. The host sets
// [forwardedFor] to the address of the program that connected to the host. In Azure that program
// may be the front end. All callers may then share one address, so the address alone is no reason
// to refuse a right key. On this machine, that program is the caller itself or a proxy. For a proxy
// in TRUSTED_PROXIES, the header has the address of the proxy's client. If a host appends to the
// header instead, only the last element is used, because callers may have written the earlier ones.
// If the element includes a port, address removes it.
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

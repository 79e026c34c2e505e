package funchost

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

// A front answers all HTTP requests: first the management API, then the functions by name, then the home page.
type front struct {
	opt         Options
	routePrefix string
	functions   []*function
	gate        gate
	admin       *admin
	proxy       *proxy
}

// ServeHTTP implements [http.Handler].
func (p *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	paced(w, r, p.opt.BodyIdle)
	if r.ContentLength > maxBody {
		refuse(w, http.StatusRequestEntityTooLarge, tooLargeDetail)
		return
	}
	r, why := p.gate.pass(r)
	if why != "" {
		refuse(w, http.StatusForbidden, why)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if isAdmin(r.URL.Path) && !p.opt.Keys {
		p.admin.serve(w, r)
		return
	}
	if p.opt.BarePaths {
		r = withPrefix(r, p.routePrefix)
	}
	f, needsKey := p.find(r)
	switch {
	case f == nil:
		p.serveHome(w, r)
	case needsKey:
		w.WriteHeader(http.StatusUnauthorized)
	default:
		p.proxy.serve(w, r, f)
	}
}

// A gate decides who may call functions.
type gate struct {
	sameSite *http.CrossOriginProtection
	keys     bool // whether the app requires keys
	proxies  proxies
	user     string // the header in which a trusted proxy reports the user; may be empty
}

// pass returns a request as the outermost trusted proxy received it, and the reason to refuse the request, or "" if
// there is none.
func (g gate) pass(r *http.Request) (out *http.Request, why string) {
	out, forwarded := g.proxies.behind(r)
	user := g.userOf(r)
	out.Header.Del(g.user)
	out.Header.Del(api.HostUserHeader)
	if user != "" {
		out.Header.Set(api.HostUserHeader, user)
	}
	switch {
	case g.sameSite.Check(out) != nil:
		// Without keys, any web page could make the browser of a user of this machine call functions.
		why = "cross-origin request refused"
	case g.keys:
	case forwarded:
		why = "refused: this host runs without keys, and a proxy lets others in; name the proxy in TRUSTED_PROXIES, which " +
			"demands keys"
	case !isLocal(out.Host):
		// A web page whose own host name resolves to this machine may not call functions, either.
		why = "refused: this host runs without keys and is called localhost; LISTEN lets others in, with keys"
	}
	return out, why
}

// userOf returns the user that a trusted proxy reports. Two values are no report: the client may have sent one of them.
func (g gate) userOf(r *http.Request) string {
	said := r.Header.Values(g.user)
	if g.user == "" || len(said) != 1 || !g.proxies.trust(hostOf(r.RemoteAddr)) {
		return ""
	}
	return said[0]
}

// isLocal reports whether a Host header names this machine itself.
func isLocal(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// find returns the first function, by name, whose route and methods match the request. If no function accepts the
// method, find returns nil: this host never answers 405.
//
// The result needsKey is true if an earlier function with a matching route is anonymous but does not list the method,
// and the function found demands a key of the host. Clients of anonymous functions have no such key, so the real host
// answers 401. Other requests for functions that demand a key are served as if the client had one.
func (p *front) find(r *http.Request) (found *function, needsKey bool) {
	passedAnonymous := false
	for _, f := range p.functions {
		accepts := f.accepts(r.Method)
		if f.trigger.Type != httpTrigger || f.disabled || !accepts && !f.anonymous() || !f.route.match(r.URL) {
			continue
		}
		if accepts {
			return f, passedAnonymous && !f.anonymous()
		}
		passedAnonymous = true
	}
	return nil, false
}

func (p *front) serveHome(w http.ResponseWriter, r *http.Request) {
	if strings.Trim(r.URL.Path, "/") != "" {
		refuse(w, http.StatusNotFound, "no function takes this path and method")
		return
	}
	if p.opt.Home != nil {
		p.opt.Home.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, "<!doctype html><title>Functions host</title><p>The function app is up and running.</p>\n")
}

package funchost

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// front answers all HTTP requests: first the management API, then the functions by name, then the home page.
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
	if f := p.find(r); f != nil {
		if p.wantsHostKey(f, r) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		p.proxy.serve(w, r, f)
		return
	}
	p.serveHome(w, r)
}

// gate decides who may call functions.
type gate struct {
	sameSite *http.CrossOriginProtection
	keys     bool // the app requires keys
	proxies  proxies
}

// pass returns a request as the outermost trusted proxy received it. The result why is the reason to refuse the
// request, or "".
func (g gate) pass(r *http.Request) (out *http.Request, why string) {
	out, forwarded := g.proxies.behind(r)
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

// isLocal reports whether a Host header names this machine itself.
func isLocal(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// find returns the first function, by name, whose route and methods match the request. If no function accepts the
// method, find returns nil: this host never answers 405.
func (p *front) find(r *http.Request) *function {
	for _, f := range p.functions {
		if f.trigger.Type == httpTrigger && !f.disabled && f.accepts(r.Method) && f.route.match(r.URL) {
			return f
		}
	}
	return nil
}

// wantsHostKey reports whether a request for an anonymous function reaches f only because the anonymous function does
// not list the request's method. Clients of anonymous functions have no key of the host, and f demands one, so the
// real host answers 401. For other requests, this host serves a function of the level function as if the client had a
// key.
func (p *front) wantsHostKey(f *function, r *http.Request) bool {
	return !f.anonymous() && slices.ContainsFunc(p.functions, func(other *function) bool {
		return other.trigger.Type == httpTrigger && !other.disabled && other.anonymous() && !other.accepts(r.Method) &&
			other.route.match(r.URL)
	})
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

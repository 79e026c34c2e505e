package funchost

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

var tooLargeDetail = fmt.Sprintf("the request is larger than %d bytes", maxBody)

// serve is the public face of the app: the admin API, then the functions in order of name, then
// the home page.
func (h *Host) serve(w http.ResponseWriter, r *http.Request) {
	paced(w, r, h.opt.BodyIdle)
	if r.ContentLength > maxBody {
		refuse(w, http.StatusRequestEntityTooLarge, tooLargeDetail)
		return
	}
	r, why := h.gate.pass(r)
	if why != "" {
		refuse(w, http.StatusForbidden, why)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if isAdmin(r.URL.Path) && !h.opt.Keys {
		h.serveAdmin(w, r)
		return
	}
	r = h.withPrefix(r)
	if f := h.find(r); f != nil {
		h.proxy(w, r, f)
		return
	}
	h.serveHome(w, r)
}

// gate is who may call functions.
type gate struct {
	sameSite *http.CrossOriginProtection
	keys     bool // the app asks for keys
	proxies  proxies
}

// pass is a request as it came to the outermost proxy that is believed, and why it is not taken; "" when it is.
func (g gate) pass(r *http.Request) (out *http.Request, why string) {
	out, forwarded := g.proxies.behind(r)
	switch {
	case g.sameSite.Check(out) != nil:
		// Without keys, a page from anywhere could make the browser of whoever works here call functions.
		why = "cross-origin request refused"
	case g.keys:
	case forwarded:
		why = "refused: this host runs without keys, and a proxy lets others in; name the proxy in TRUSTED_PROXIES, which " +
			"demands keys"
	case !isLocal(out.Host):
		// Nor may one whose name was made to lead here.
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

// find gives the first function, by name, whose route and methods take the request. A method that
// none takes is not found: this host never answers 405.
func (h *Host) find(r *http.Request) *function {
	for _, f := range h.functions {
		if f.trigger.Type == httpTrigger && !f.disabled && f.accepts(r.Method) && f.route.match(r.URL) {
			return f
		}
	}
	return nil
}

func (h *Host) serveHome(w http.ResponseWriter, r *http.Request) {
	if strings.Trim(r.URL.Path, "/") != "" {
		refuse(w, http.StatusNotFound, "no function takes this path and method")
		return
	}
	if h.opt.Home != nil {
		h.opt.Home.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, "<!doctype html><title>Functions host</title><p>The function app is up and running.</p>\n")
}

// checkStore fails when the app needs a store and none was given.
func (h *Host) checkStore() error {
	hasQueue := func(f *function) bool { return f.trigger.Type == queueTrigger }
	if h.opt.Store == nil && slices.ContainsFunc(h.functions, hasQueue) {
		return fault.Field("Store", "funchost: the app has queues and no store was given")
	}
	return nil
}

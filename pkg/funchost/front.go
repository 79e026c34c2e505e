package funchost

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
)

// serve is the public face of the app: the admin API, then the functions in order of name, then
// the home page.
func (h *Host) serve(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength > maxBody {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	// With keys off, a page from anywhere could make the browser of whoever develops here call
	// functions as the administrator.
	if !h.opt.Auth && h.sameSite.Check(r) != nil {
		http.Error(w, "cross-origin request refused: this host runs without keys", http.StatusForbidden)
		return
	}
	// Nor may one whose name was made to lead here.
	if !h.opt.Auth && !isLocal(r.Host) {
		http.Error(w, "refused: this host runs without keys and is called localhost", http.StatusForbidden)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if parts := adminParts(r); parts != nil {
		h.serveAdmin(w, r, parts)
		return
	}
	if f, params := h.find(r); f != nil {
		h.serveFunction(w, r, f, params)
		return
	}
	h.serveHome(w, r)
}

// isLocal reports whether a Host header names this machine itself.
func isLocal(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// find gives the first function, by name, whose route and methods take the request. A method that
// none takes is not found: this host never answers 405.
func (h *Host) find(r *http.Request) (*function, map[string]string) {
	for _, f := range h.functions {
		if f.trigger.kind != httpTrigger || f.disabled || !f.accepts(r.Method) {
			continue
		}
		if params, ok := f.route.match(r.URL); ok {
			return f, params
		}
	}
	return nil, nil
}

func (h *Host) serveFunction(w http.ResponseWriter, r *http.Request, f *function, params map[string]string) {
	if h.opt.Auth && !h.opt.Keys.permits(r, f.level, f.name) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if h.config.proxy && f.streams() {
		h.proxy(w, r, f)
		return
	}
	h.serveEnvelope(w, r, f, params)
}

// serveEnvelope runs a function whose request and response travel as JSON. When it fails the caller
// learns nothing but 500.
func (h *Host) serveEnvelope(w http.ResponseWriter, r *http.Request, f *function, params map[string]string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(readStatus(err))
		return
	}
	// Invocations outlive a client that hangs up: only proxied ones learn of it.
	answered := make(chan httpAnswer, 1)
	h.workFor(r, func(r *http.Request) {
		answered <- h.answer(r, f, params, body)
	})
	(<-answered).write(w)
}

func (h *Host) answer(r *http.Request, f *function, params map[string]string, body []byte) httpAnswer {
	res, err := h.invoke(r.Context(), f, httpEnvelope(f, r, params, body, h.opt.Now()))
	if err == nil {
		var a httpAnswer
		if a, err = newHTTPAnswer(f, res); err == nil {
			return a
		}
		h.log.Error("answer unusable", "function", f.name, "err", err)
	}
	return httpAnswer{status: http.StatusInternalServerError}
}

func readStatus(err error) int {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}

func (h *Host) serveHome(w http.ResponseWriter, r *http.Request) {
	if strings.Trim(r.URL.Path, "/") != "" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if v, _ := h.env.setting("AzureWebJobsDisableHomepage"); strings.EqualFold(v, "true") {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, "<!doctype html><title>Functions host</title><p>The function app is up and running.</p>\n")
}

// store is where this app's queues are, by messageEncoding.
func (h *Host) store() storageQueues {
	if h.config.queues.rawEncoding {
		return h.opt.RawStore
	}
	return h.opt.Store
}

// checkStores fails when the app needs a store that was not given.
func (h *Host) checkStores() error {
	needed := false
	for _, f := range h.functions {
		needed = needed || f.trigger.kind == queueTrigger
		for _, o := range f.outputs {
			needed = needed || o.kind == queueOutput
		}
	}
	switch {
	case !needed:
		return nil
	case h.config.queues.rawEncoding && h.opt.RawStore == nil:
		return fault.Field("extensions.queues.messageEncoding", `host.json: extensions.queues.messageEncoding: "none" needs a store that keeps bodies as they are, and none was given`)
	case !h.config.queues.rawEncoding && h.opt.Store == nil:
		return fault.Field("Store", "funchost: the app has queues and no store was given")
	}
	return nil
}

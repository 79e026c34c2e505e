package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// routed serves the requests that the mux has a route for. It answers all others with a problem: 405 and Allow if
// only the method is wrong, else 404 and a list of the routes.
//
// Without help, a host answers 404 with an empty body to a method that no function.json lists. The function
// ZUnknownRoute therefore accepts every path and method below /api, and passes such requests to this code. Hosts try
// routes in the order of their functions' names, so its name sorts last.
func (s *server) routed(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wanted := folded(r)
		answer, pattern := mux.Handler(wanted)
		if pattern != "" {
			mux.ServeHTTP(w, wanted)
			return
		}
		refusal := &headOnly{header: http.Header{}}
		answer.ServeHTTP(refusal, wanted)
		if allow := refusal.header.Get("Allow"); refusal.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", allow)
			wire.Problem(w, refusal.status, fmt.Sprintf("%.20s is no method of %.200s: it takes %s", r.Method, r.URL.Path,
				allow))
			return
		}
		wire.Problem(w, http.StatusNotFound, fmt.Sprintf("no route %.20s %.200s; there are %s",
			r.Method, r.URL.Path, strings.Join(known(), ", ")))
	})
}

// known returns the routes as callers write them.
func known() (out []string) {
	for _, e := range api.Routes() {
		out = append(out, e.Method+" /api/"+e.Path)
	}
	slices.Sort(out)
	return out
}

// headOnly remembers the status and the header of an answer, not its body.
type headOnly struct {
	header http.Header
	status int
}

func (h *headOnly) Header() http.Header         { return h.header }
func (h *headOnly) WriteHeader(status int)      { h.status = status }
func (h *headOnly) Write(b []byte) (int, error) { return len(b), nil }

package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// routed serves the requests for which the mux has a route. It answers all others with a problem: 405 with the header
// Allow if only the method is wrong, else 404 with a list of the routes.
//
// By itself, a host answers 404 with an empty body when no function.json lists the method of a request. The function
// ZUnknownRoute therefore accepts every path and method below /api, and the host passes such requests to routed.
// Hosts try routes in the order of their functions' names, so this function has a name that sorts last.
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

// known returns the routes in the form in which callers write them.
func known() (out []string) {
	for _, e := range api.Routes() {
		out = append(out, e.Method+" /api/"+e.Path)
	}
	slices.Sort(out)
	return out
}

// headOnly keeps the status and the header of an answer, and drops the body.
type headOnly struct {
	header http.Header
	status int
}

func (h *headOnly) Header() http.Header         { return h.header }
func (h *headOnly) WriteHeader(status int)      { h.status = status }
func (h *headOnly) Write(b []byte) (int, error) { return len(b), nil }

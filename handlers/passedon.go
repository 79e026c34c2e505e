package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
)

// ToProxy says how a Functions host passes on requests as Tidemark needs it.
const ToProxy = "set customHandler.enableProxyingHttpRequest to true in host.json"

// passedOn reports whether a host has passed on a request with the Host header of its caller, as hosts do with
// enableForwardingHttpRequest. What such a header proves is the same as with the port's own address: a web page cannot
// choose it, and the names in [Options.Hosts] lead to this app only. A host passes on what is below /api and nothing
// else; it calls triggers by the address of the port.
func (s *server) passedOn(r *http.Request) bool {
	return strings.HasPrefix(strings.ToLower(r.URL.Path), "/api/") &&
		slices.ContainsFunc(s.Hosts, func(known string) bool { return known != "" && strings.EqualFold(known, r.Host) })
}

// misdirected refuses a request to another name than the port's, which may come from a web page in a browser on this
// machine, or from a host whose callers use a name that is not in [Options.Hosts].
func (s *server) misdirected(w http.ResponseWriter, r *http.Request) {
	s.warned.Do(func() {
		s.Log.WarnContext(r.Context(), "requests with another name than the handler's are refused: where a Functions "+
			"host passes on the names that its callers use, "+ToProxy+", or add the names to ALLOWED_HOSTS", "host", r.Host)
	})
	wire.Problem(w, http.StatusMisdirectedRequest, fmt.Sprintf("this port belongs to the Functions host; call the "+
		"host's. If this is the host's, it has passed on the name %.100q: %s, or add that name to ALLOWED_HOSTS",
		r.Host, ToProxy))
}

// explained answers requests that a host sends as messages to functions, as it does without both
// enableProxyingHttpRequest and enableForwardingHttpRequest. The answer is for the caller of the host.
func (s *server) explained(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if r.Method != http.MethodPost || name == "" || strings.Contains(name, "/") ||
			isTrigger("/"+strings.ToLower(name)) || r.Header.Get(invocationHeader) == "" || r.Header.Get(forwardedFor) != "" {
			next.ServeHTTP(w, r)
			return
		}
		s.Log.ErrorContext(r.Context(), "the Functions host sends HTTP requests as messages, so all of them fail: "+ToProxy,
			"function", name)
		wire.JSON(w, http.StatusOK, result{Logs: []string{}, Outputs: map[string]any{"res": map[string]any{
			"statusCode": http.StatusInternalServerError,
			"headers":    map[string]string{"Content-Type": "text/plain; charset=utf-8"},
			"body":       "This app cannot answer, because its Functions host sends requests as messages: " + ToProxy + ".\n",
		}}})
	})
}

package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
)

// ToProxy is the advice for operators whose Functions host does not pass on requests as Tidemark needs them.
const ToProxy = "set customHandler.enableProxyingHttpRequest to true in host.json"

// passedOn reports whether a host has passed on a request with the Host header of its caller, as hosts do with
// enableForwardingHttpRequest. Such a header proves as much as the port's own address does: a web page cannot choose
// it, and the names in [Options.Hosts] lead to this app only. A host passes on only requests below /api; to call
// triggers, it uses the address of the port.
func (s *server) passedOn(r *http.Request) bool {
	return strings.HasPrefix(strings.ToLower(r.URL.Path), "/api/") &&
		slices.ContainsFunc(s.Hosts, func(known string) bool { return known != "" && strings.EqualFold(known, r.Host) })
}

// misdirected refuses a request for another name than the port's. Such a request may come from a web page in a
// browser on this machine, or from a host whose callers use a name that is not in [Options.Hosts].
func (s *server) misdirected(w http.ResponseWriter, r *http.Request) {
	s.warned.Do(func() {
		s.Log.WarnContext(r.Context(), "requests with another name than the handler's are refused: where a Functions "+
			"host passes on the names that its callers use, "+ToProxy+", or add the names to ALLOWED_HOSTS", "host", r.Host)
	})
	wire.Problem(w, http.StatusMisdirectedRequest, fmt.Sprintf("this port belongs to the Functions host; call the "+
		"host's. If this is the host's, it has passed on the name %.100q: %s, or add that name to ALLOWED_HOSTS",
		r.Host, ToProxy))
}

// explained answers the requests that a host sends as messages to functions. A host does so when neither
// enableProxyingHttpRequest nor enableForwardingHttpRequest is set. The answer is for the caller of the host.
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

package handlers

import (
	"crypto/subtle"
	"net"
	"net/http"
	"slices"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// admit refuses every caller except the host. The port is on loopback, but any program on the machine could connect
// to it and call functions without a key, and so could a web page in a browser there. A web page cannot choose the
// Host header, which must be this server's own address. Nor can a page add the header with the secret, unless this
// server permits it. A caller that knows the secret is the host that started this process, so admit trusts what the
// caller says about forwarded requests. A host that sends no secret is trusted because it is on loopback.
func (s *server) admit(next http.Handler) http.Handler {
	own := []string{net.JoinHostPort("127.0.0.1", s.Port), net.JoinHostPort("localhost", s.Port),
		net.JoinHostPort("::1", s.Port)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := r.Header.Get(api.HostSecretHeader)
		switch {
		case s.Port != "" && !slices.Contains(own, r.Host) && !s.passedOn(r):
			s.misdirected(w, r)
		case subtle.ConstantTimeCompare([]byte(said), []byte(s.Secret)) != 1 && s.Secret != "":
			wire.Problem(w, http.StatusForbidden,
				"only the Functions host that started this handler may call it; call the host's port")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

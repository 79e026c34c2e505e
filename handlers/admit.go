package handlers

import (
	"crypto/subtle"
	"net"
	"net/http"
	"slices"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

// admit lets only the host in. The port is on loopback, but without more every program of the machine
// could call functions there without a key, and so could a web page in its browser. A page cannot choose
// the Host, which has to be this address, nor headers without being asked about them first. With a secret
// the caller is the host that started us; only it is believed what it says was forwarded. Hosts that give
// no secret are believed from loopback.
func (s *server) admit(next http.Handler) http.Handler {
	own := []string{net.JoinHostPort("127.0.0.1", s.Port), net.JoinHostPort("localhost", s.Port),
		net.JoinHostPort("::1", s.Port)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := r.Header.Get(api.HostSecretHeader)
		switch {
		case s.Port != "" && !slices.Contains(own, r.Host):
			wire.Problem(w, http.StatusMisdirectedRequest, "this port belongs to the Functions host; call the host's")
		case subtle.ConstantTimeCompare([]byte(said), []byte(s.Secret)) != 1 && s.Secret != "":
			wire.Problem(w, http.StatusForbidden,
				"only the Functions host that started this handler may call it; call the host's port")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

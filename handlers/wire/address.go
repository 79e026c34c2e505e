package wire

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
)

// The headers in which a host gives the address that a caller used.
const (
	forwardedHost  = "X-Forwarded-Host"
	ForwardedProto = "X-Forwarded-Proto"
)

// OuterHost returns the name by which a caller reached the host that passed on the request.
func OuterHost(r *http.Request) string { return cmp.Or(r.Header.Get(forwardedHost), r.Host) }

// Encrypted reports whether a caller used https.
func Encrypted(r *http.Request) bool { return strings.EqualFold(r.Header.Get(ForwardedProto), "https") }

// Address returns the address that a caller used, without its query.
func Address(r *http.Request) *url.URL {
	u := &url.URL{Scheme: "http", Host: OuterHost(r), Path: r.URL.Path}
	if Encrypted(r) {
		u.Scheme = "https"
	}
	return u
}

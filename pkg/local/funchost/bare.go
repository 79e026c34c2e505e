package funchost

import (
	"net/http"
	"strings"
)

// withPrefix returns a request with the route prefix before its path, unless the path already begins with the prefix.
// The home page has no prefix.
func withPrefix(r *http.Request, routePrefix string) *http.Request {
	path, prefix := r.URL.EscapedPath(), "/"+routePrefix+"/"
	has := len(path) >= len(prefix)-1 && strings.EqualFold((path + "/")[:len(prefix)], prefix)
	if prefix == "//" || has || strings.Trim(path, "/") == "" {
		return r
	}
	r = r.Clone(r.Context())
	for _, p := range []*string{&r.URL.Path, &r.URL.RawPath} {
		if *p != "" {
			*p = strings.TrimSuffix(prefix, "/") + *p
		}
	}
	return r
}

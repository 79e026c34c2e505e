package funchost

import (
	"net/http"
	"strings"
)

// withPrefix is a request as it would be with the route prefix, if this host takes paths without. The home page
// has none.
func (h *Host) withPrefix(r *http.Request) *http.Request {
	path, prefix := r.URL.EscapedPath(), "/"+h.config.routePrefix+"/"
	has := len(path) >= len(prefix)-1 && strings.EqualFold((path + "/")[:len(prefix)], prefix)
	if !h.opt.BarePaths || prefix == "//" || has || strings.Trim(path, "/") == "" {
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

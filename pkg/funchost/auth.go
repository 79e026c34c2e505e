package funchost

import (
	"crypto/subtle"
	"net/http"
)

// authLevel is what a caller of an HTTP function must show.
type authLevel string

const (
	levelAnonymous authLevel = "anonymous"
	levelFunction  authLevel = "function"
	levelAdmin     authLevel = "admin"
)

// Keys are the keys that callers must show when Options.Auth is set. An empty key opens nothing.
type Keys struct {
	Master    string              // opens everything
	Host      []string            // open every function
	Functions map[string][]string // open the function named
}

// permits reports whether r may call at a level; function is "" for the admin API. A key in the
// header wins over one in the query, even when it is wrong.
func (k Keys) permits(r *http.Request, level authLevel, function string) bool {
	if level == levelAnonymous {
		return true
	}
	key := r.Header.Get("X-Functions-Key")
	if key == "" {
		key = r.URL.Query().Get("code")
	}
	good := []string{k.Master}
	if level == levelFunction {
		good = append(append(good, k.Host...), k.Functions[function]...)
	}
	ok := 0
	for _, g := range good {
		if g != "" {
			ok |= subtle.ConstantTimeCompare([]byte(g), []byte(key))
		}
	}
	return ok == 1
}

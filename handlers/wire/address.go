package wire

import (
	"cmp"
	"context"
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

type prefixKey struct{}

// Prefix returns the path below which the caller of a request reaches the app, such as /tidemark; "" for none.
func Prefix(ctx context.Context) string {
	prefix, _ := ctx.Value(prefixKey{}).(string)
	return prefix
}

// ServeBelow serves a request whose caller reaches the app below a path: see [Prefix]. A redirect to a path leads below
// that path, too. It is sent without a body, because the body that package http writes repeats the path.
func ServeBelow(prefix string, w http.ResponseWriter, r *http.Request, next http.Handler) {
	if prefix != "" {
		r = r.WithContext(context.WithValue(r.Context(), prefixKey{}, prefix))
		w = &belowPrefix{ResponseWriter: w, prefix: prefix}
	}
	next.ServeHTTP(w, r)
}

// belowPrefix puts a path before that to which an answer redirects.
type belowPrefix struct {
	http.ResponseWriter
	prefix     string
	redirected bool
}

// WriteHeader implements [http.ResponseWriter].
func (b *belowPrefix) WriteHeader(status int) {
	if to := b.Header().Get("Location"); strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") {
		b.Header().Set("Location", b.prefix+to)
		b.redirected = status >= http.StatusMultipleChoices
	}
	b.ResponseWriter.WriteHeader(status)
}

// Write implements [io.Writer].
func (b *belowPrefix) Write(p []byte) (int, error) {
	if b.redirected {
		return len(p), nil
	}
	return b.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher], which what compresses answers asks for.
func (b *belowPrefix) Flush() { _ = http.NewResponseController(b.ResponseWriter).Flush() }

// Unwrap returns the underlying writer, for [http.ResponseController].
func (b *belowPrefix) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// Address returns the address that a caller used, without its query.
func Address(r *http.Request) *url.URL {
	u := &url.URL{Scheme: "http", Host: OuterHost(r), Path: Prefix(r.Context()) + r.URL.Path}
	if Encrypted(r) {
		u.Scheme = "https"
	}
	return u
}

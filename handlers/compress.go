package handlers

import (
	"mime"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// gzipTag ends the ETag of a compressed answer, because an answer and its compressed form must not share one (RFC 9110
// section 8.8.3.3).
const gzipTag = "-gzip"

// compressed compresses answers for callers that accept gzip, as the answers are written. Small answers are left as
// they are.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.SuffixETag(gzipTag),
		gzhttp.ContentTypeFilter(compressible))
	if err != nil {
		panic(err) // unreachable: the options are constant
	}
	next = wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if known := r.Header.Get("If-None-Match"); strings.Contains(known, gzipTag+`"`) {
			r = r.Clone(r.Context())
			r.Header.Set("If-None-Match", strings.ReplaceAll(known, gzipTag+`"`, `"`))
		}
		next.ServeHTTP(w, r)
	})
}

// compressible reports whether answers of a media type are compressed. HTML never is: pages of the dashboard have the
// token of the visitor's forms beside words that somebody else may have chosen, and their compressed length would
// reveal the token to those who can watch the network (BREACH).
func compressible(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || strings.Contains(media, "html") {
		return false
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "jsonl") ||
		strings.HasSuffix(media, "xml")
}

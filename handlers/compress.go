package handlers

import (
	"mime"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// gzipTag is the end of a compressed answer's ETag. An answer and its compressed form must not have the same ETag
// (RFC 9110 section 8.8.3.3).
const gzipTag = "-gzip"

// compressed compresses answers, while they are written, for callers that accept gzip. It leaves small answers as
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

// compressible reports whether answers of a media type are compressed. HTML is never compressed. A page of the
// dashboard contains the token of the visitor's forms, and possibly text that an attacker chose. If such a page were
// compressed, its length would reveal the token to anyone who can watch the network (BREACH).
func compressible(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || strings.Contains(media, "html") {
		return false
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "jsonl") ||
		strings.HasSuffix(media, "xml")
}

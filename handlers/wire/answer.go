package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"
)

// Writer is an answer that writes itself. Other answers are encoded as JSON.
type Writer interface {
	WriteAnswer(w http.ResponseWriter, status int)
}

// Reply is an answer whose status differs from the route's usual one.
type Reply struct {
	Status int
	Body   any
}

// JSON answers with a body as JSON.
func JSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	writeBody(w, status, body)
}

func writeBody(w http.ResponseWriter, status int, body any) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		panic(err) // unreachable: values of the API's types can always be encoded
	}
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes()) // an error means that the caller has disconnected
}

// Content is an answer that is not JSON. Third parties wrote the content, so its headers stop browsers from running
// anything in it.
type Content struct {
	Body      []byte
	MediaType string
	Filename  string // the name under which browsers save the content; if empty, they may show it
	// For is the request if the answer gets an ETag; see [Tagged]. Otherwise, it is nil.
	For *http.Request
}

// WriteAnswer implements [Writer].
func (c Content) WriteAnswer(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", c.MediaType)
	if c.MediaType == "" {
		h.Set("Content-Type", "application/octet-stream")
	}
	if c.Filename != "" {
		h.Set("Content-Disposition", `attachment; filename="`+c.Filename+`"`)
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	if c.For != nil {
		w.Header().Set("Cache-Control", Revalidated)
		Tagged(w, c.For, c.Body)
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write(c.Body) // an error means that the caller has disconnected
}

// Revalidated lets the caller's own cache keep an answer, but use it only after asking whether it is still the same.
const Revalidated = "private, no-cache"

// Tagged writes an answer with an ETag, or status 304 if the caller already has the answer (RFC 9110 section 13.1.2).
// The header must already have the media type and the time for which caches may keep the answer.
func Tagged(w http.ResponseWriter, r *http.Request, body []byte) {
	sum := sha256.Sum256(body)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// Unkept is an answer that caches must not store, such as an answer with a secret.
type Unkept struct{ Body any }

// WriteAnswer implements [Writer].
func (u Unkept) WriteAnswer(w http.ResponseWriter, status int) {
	w.Header().Set("Cache-Control", "no-store")
	JSON(w, status, u.Body)
}

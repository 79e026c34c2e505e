package wire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
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

// Content is an answer that is not JSON. Third parties wrote the content, so its headers stop
// browsers from running anything in it.
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

// Tagged writes an answer with an ETag, or status 304 if the caller already has the answer (RFC
// 9110 section 13.1.2). The header must already have the media type and the time for which caches
// may keep the answer.
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

// Route answers the requests of one route of the API, either with a status and a body or with an error.
type Route struct {
	*api.Endpoint
	Answer func(r *http.Request) (status int, body any, err error)
}

// On returns a Route that answers with a function of the route's types.
func On[Q, A any](route api.Route[Q, A], fn func(context.Context, Q) (A, error)) Route {
	return OnAny(route, func(ctx context.Context, q Q) (any, error) { return fn(ctx, q) })
}

// Named returns a Route that answers with a function of the name in the route's path.
func Named[Q, A any](route api.Route[Q, A], fn func(ctx context.Context, name string) (A, error)) Route {
	return On(route, func(ctx context.Context, q Q) (A, error) { return fn(ctx, route.Name(q)) })
}

// Shown returns a function that answers with what another finds by name, in the form of the API.
func Shown[T, A any](find func(ctx context.Context, name string) (T, error), show func(T) A,
) func(context.Context, string) (A, error) {
	return func(ctx context.Context, name string) (answer A, err error) {
		found, err := find(ctx, name)
		if err == nil {
			answer = show(found)
		}
		return answer, err
	}
}

// OnAny returns a Route that answers with a function whose results may be of several kinds: a
// [Reply], a [Writer], or one of the route's types.
func OnAny[Q, A any](route api.Route[Q, A], fn func(context.Context, Q) (any, error)) Route {
	return Route{route.Endpoint, func(r *http.Request) (int, any, error) {
		q, err := Decode[Q](r, route.Endpoint)
		if err != nil {
			return 0, nil, err
		}
		body, err := fn(r.Context(), q)
		if other, ok := body.(Reply); ok {
			return other.Status, other.Body, err
		}
		return route.Status, body, err
	}}
}

var statusOf = map[fault.Kind]int{
	fault.Invalid:     http.StatusBadRequest,
	fault.NotFound:    http.StatusNotFound,
	fault.Expired:     http.StatusGone,
	fault.Conflict:    http.StatusConflict,
	fault.Blocked:     http.StatusForbidden,
	fault.TooLarge:    http.StatusRequestEntityTooLarge,
	fault.NoRoom:      http.StatusInsufficientStorage,
	fault.Throttled:   http.StatusTooManyRequests,
	fault.Unavailable: http.StatusServiceUnavailable,
	fault.Internal:    http.StatusInternalServerError,
}

// Status returns the HTTP status for an error.
func Status(err error) int { return statusOf[fault.KindOf(err)] }

// Refuse answers with an error. The answer has only text that callers may read.
func Refuse(w http.ResponseWriter, err error) {
	if wait := fault.RetryAfter(err); wait > 0 {
		RetryAfter(w, wait)
	}
	status, detail := Status(err), err.Error()
	if status == http.StatusInternalServerError {
		detail = "" // an unforeseen error may contain internal details
	}
	var fields []api.FieldError
	if f := fault.FieldOf(err); f != "" {
		fields = []api.FieldError{{Field: f, Message: detail}}
	}
	p := api.Problem{Title: http.StatusText(status), Status: status, Detail: detail, Errors: fields}
	var more interface{ Extend(p *api.Problem) }
	if errors.As(err, &more) {
		more.Extend(&p)
	}
	w.Header().Set("Content-Type", api.ProblemType)
	writeBody(w, status, p)
}

// Problem answers with a problem (RFC 9457).
func Problem(w http.ResponseWriter, status int, detail string, fields ...api.FieldError) {
	w.Header().Set("Content-Type", api.ProblemType)
	writeBody(w, status, api.Problem{Title: http.StatusText(status), Status: status, Detail: detail, Errors: fields})
}

// RetryAfter sets the Retry-After header.
func RetryAfter(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
}

// PublicText returns the text of an error that callers may read. It is for answers that contain several errors.
func PublicText(err error) string {
	if fault.Is(err, fault.Internal) {
		return "internal error"
	}
	return err.Error()
}

// Field turns an Invalid error into an error about one field of the request.
func Field(field string, err error) error {
	if fault.Is(err, fault.Invalid) {
		return fault.Field(field, "%w", err)
	}
	return err
}

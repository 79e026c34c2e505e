package wire

import (
	"net/http"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

var statusOf = map[fault.Kind]int{
	fault.Invalid:     http.StatusBadRequest,
	fault.NotFound:    http.StatusNotFound,
	fault.Expired:     http.StatusGone,
	fault.Conflict:    http.StatusConflict,
	fault.Blocked:     http.StatusForbidden,
	fault.TooLarge:    http.StatusRequestEntityTooLarge,
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
	Problem(w, status, detail, fields...)
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

package handlers

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/health"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
)

// writer is an answer that is not encoded as JSON: it writes itself.
type writer interface {
	write(w http.ResponseWriter, status int)
}

func (s *server) serveRoute(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := mayCall(r.Context(), h.Endpoint); err != nil {
			s.answerError(w, r, err)
			return
		}
		services, err := s.Open(r.Context())
		if err != nil {
			s.answerError(w, r, s.unavailable(r, err))
			return
		}
		status, body, err := h.answer(r, &call{services, s.Log, s.Metrics, s})
		s.noteAct(r, h.Endpoint, err)
		if err != nil {
			s.answerError(w, r, err)
			return
		}
		if c, ok := body.(writer); ok {
			c.write(w, status)
			return
		}
		writeJSON(w, status, body)
	}
}

// unavailable is an error of opening the services, as callers may see it.
func (s *server) unavailable(r *http.Request, err error) error {
	s.Log.ErrorContext(r.Context(), "services are not available", "err", err)
	return fault.New(fault.Unavailable, "%s", health.Told(err, "storage or index cannot be reached; try again shortly"))
}

// noteAct writes down who had something done; reading is for the times of the keys' last use to tell.
func (s *server) noteAct(r *http.Request, e *api.Endpoint, err error) {
	if actor := telemetry.From(r.Context()).Actor; actor != "" && e.Scope.Covers(api.ScopeWrite) {
		s.Log.InfoContext(r.Context(), "asked by a key", "route", e.Pattern(), "path", r.URL.Path, "done", err == nil)
	}
}

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

func (s *server) answerError(w http.ResponseWriter, r *http.Request, err error) {
	status := statusOf[fault.KindOf(err)]
	if wait := fault.RetryAfter(err); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
	}
	detail := err.Error()
	if status >= http.StatusInternalServerError {
		s.Metrics.Errors.Add(1, "invocation", string(fault.KindOf(err)))
		s.Log.ErrorContext(r.Context(), "invocation failed", "path", r.URL.Path, "kind", fault.KindOf(err), "err", err)
	}
	if status == http.StatusInternalServerError {
		detail = "" // what we did not foresee may name what strangers should not see
	}
	var fields []api.FieldError
	if f := fault.FieldOf(err); f != "" {
		fields = []api.FieldError{{Field: f, Message: detail}}
	}
	writeProblem(w, status, detail, fields)
}

func writeProblem(w http.ResponseWriter, status int, detail string, fields []api.FieldError) {
	w.Header().Set("Content-Type", api.ProblemType)
	writeBody(w, status, api.Problem{Title: http.StatusText(status), Status: status, Detail: detail, Errors: fields})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	writeBody(w, status, body)
}

func writeBody(w http.ResponseWriter, status int, body any) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		panic(err) // our own types always encode
	}
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes()) // the caller has gone: nobody to tell
}

package handlers

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fault"
)

// maxBody bounds a request: a thousand URLs of 2 KiB, with room.
const maxBody = 4 << 20

// route answers one HTTP function with a status and a body, or an error.
type route func(r *http.Request, s *Services) (status int, body any, err error)

// writer is an answer that is not encoded as JSON: it writes itself.
type writer interface {
	write(w http.ResponseWriter, status int)
}

func (s *server) serveRoute(fn route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		services, err := s.Open(r.Context())
		if err != nil {
			s.Log.ErrorContext(r.Context(), "services are not available", "err", err)
			s.answerError(w, r, fault.New(fault.Unavailable, "storage or index cannot be reached; try again shortly"))
			return
		}
		status, body, err := fn(r, services)
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

var statusOf = map[fault.Kind]int{
	fault.Invalid:     http.StatusBadRequest,
	fault.NotFound:    http.StatusNotFound,
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

// query reads the parameters of a GET strictly.
type query struct {
	values map[string][]string
	err    error
}

func queryOf(r *http.Request, names ...string) *query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		err = fault.New(fault.Invalid, "the query of the URL cannot be read: %w", err)
	}
	q := &query{values: values, err: err}
	for name := range q.values {
		if name != "code" && !slices.Contains(names, name) { // code is the host's function key
			q.err = fault.Field(name, "there is no parameter %q; known are %s", name, strings.Join(names, ", "))
		}
	}
	return q
}

func (q *query) text(name string) string {
	v := q.values[name]
	if len(v) > 1 {
		q.err = fault.Field(name, "%s is given %d times", name, len(v))
	}
	if len(v) == 0 {
		return ""
	}
	return v[0]
}

// number reads an integer within bounds; def when it is absent.
func (q *query) number(name string, def, lo, hi int) int {
	s := q.text(name)
	if s == "" {
		return def
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < lo || n > hi {
		q.err = fault.Field(name, "%s must be a number from %d to %d, not %q", name, lo, hi, s)
	}
	return n
}

func (q *query) flag(name string) bool {
	s := q.text(name)
	if s == "" {
		return false
	}
	v, err := strconv.ParseBool(s)
	if err != nil {
		q.err = fault.Field(name, "%s must be true or false, not %q", name, s)
	}
	return v
}

func within(name string, n, lo, hi int) error {
	if n < lo || n > hi {
		return fault.Field(name, "%s must be from %d to %d, not %d", name, lo, hi, n)
	}
	return nil
}

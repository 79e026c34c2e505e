package ui

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// answers are the API's answers by the end of a path; other paths have an empty answer.
type answers map[string]string

// RoundTrip implements [http.RoundTripper].
func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	body := "{}"
	for end, text := range a {
		if strings.HasSuffix(r.URL.Path, end) {
			body = text
		}
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// TestU1HeldRemovals checks that hosts with guarded removals are listed as a problem, with what will happen without a
// person.
func TestU1HeldRemovals(t *testing.T) {
	a := answers{"/SearchStatus": `{"held":3,"items":{"Error":0},"hosts":[{"host":"fine.example"},
		{"host":"lost.example","held":3}]}`}
	h := New(Options{Client: api.NewClient("http://tidemark.example", "", &http.Client{Transport: a})})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", Root+"/attention", nil))
	if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, "lost.example") ||
		strings.Contains(body, "fine.example") || !strings.Contains(body, "until a second check") {
		t.Errorf("%d\n%s", w.Code, body)
	}
}

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

// TestU1HostsNeedAttention checks that several pages of a host that cannot be reached are one line with their number,
// and one problem; and that pages of other hosts, and such as fail for themselves, have lines of their own (U1).
func TestU1HostsNeedAttention(t *testing.T) {
	item := func(id, host, why string) string {
		return `{"id":"` + id + `","sourceHost":"` + host + `","status":"Error","errorMessage":"` + why + `"}`
	}
	dead := item("a", "dead.example", "dial tcp: connection refused")
	a := answers{"/SearchStatus": `{"items":{"Error":42},"hosts":[{"host":"dead.example","items":{"Error":40},
			"unreachable":{"why":"connection refused"}},
		{"host":"fine.example","items":{"Error":2}}]}`,
		"/items": `{"items":[` + dead + "," + item("b", "dead.example", "the network is down") + "," +
			item("c", "fine.example", "fine.example sent too much") + "," + item("d", "fine.example", "HTTP 500") + `]}`}
	h := New(Options{Client: api.NewClient("http://tidemark.example", "", &http.Client{Transport: a})})
	body := read(t, h, "/attention")
	inOrder(t, body, `hosts/dead.example">dead.example</a>`, "dead.example does not accept connections",
		`host=dead.example&amp;status=Error">40 pages<span`, "sent too much", "The server answers 500")
	if strings.Contains(body, `items/a"`) || strings.Count(body, "dead.example does not accept") != 1 {
		t.Error(body)
	}
	inOrder(t, read(t, h, "/"), `<span class="badge bad">3</span>`)
	inOrder(t, read(t, h, "/items"), "Need attention", "dead.example does not accept connections: 40 pages", `items/c"`)
}

// TestU6BrokenMachineNeedsAttention checks that the disk, the store, the index, receivers that fail and runs that have
// failed need attention, and that then nothing says that all is well (U6).
func TestU6BrokenMachineNeedsAttention(t *testing.T) {
	a := answers{
		"/SearchStatus": `{"items":{"Indexed":3}}`,
		"/health":       `{"status":"degraded","storage":"ok","index":"ok","warnings":["the disk is full"]}`,
		"/channels":     `{"channels":[{"name":"ops","restsUntil":"2999-01-01T00:00:00Z"},{"name":"fine"}]}`,
		"/address":      `{"url":"https://tidemark.example"}`,
		"/backfill/runs": `{"runs":[{"id":"r1","status":"FAILED","sources":["port"],"note":"the sitemap is gone"},
			{"id":"r2","status":"RUNNING","sources":["quay"]}]}`,
	}
	h := New(Options{Client: api.NewClient("http://tidemark.example", "", &http.Client{Transport: a})})
	get := func(path string) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", Root+path, nil))
		return w.Body.String()
	}
	body := get("/attention")
	for _, want := range []string{"the disk is full", "channels/ops", "the sitemap is gone"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(body, "Nothing needs attention") || strings.Contains(body, "channels/fine") ||
		strings.Contains(body, "quay") {
		t.Error(body)
	}
	if body := get("/"); !strings.Contains(body, `<span class="badge bad">3</span>`) {
		t.Error(body)
	}
}

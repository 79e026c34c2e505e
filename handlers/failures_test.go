package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
)

// failing returns a change that says that a page began to fail.
func failing(at time.Time, host, id, cause, why string) feed.Change {
	return feed.Change{At: at, Kind: feed.Failing, Host: host, ItemID: id, Cause: cause, Why: why}
}

// TestS17Contract records a conversation about failures (testdata/failures.golden).
func TestS17Contract(t *testing.T) {
	r := newRig(t)
	at := r.now.Truncate(time.Hour)
	id := func(letter string) string { return "url_" + strings.Repeat(letter, 26) }
	must(t, r.v.Feed.Publish(t.Context(), feed.Group{ID: "a", Changes: []feed.Change{
		failing(at.Add(-3*time.Minute), "quay.example", id("a"), "http_5xx", "HTTP 502"),
		failing(at.Add(5*time.Minute), "port.example", id("b"), "dns", "the name port.example is unknown"),
		failing(at.Add(6*time.Minute), "port.example", id("c"), "http_5xx", "HTTP 500"),
		failing(at.Add(7*time.Minute), "quay.example", id("d"), "http_5xx", "HTTP 503"),
	}}))
	var log strings.Builder
	for _, step := range []struct{ name, path string }{
		{"S17 failures", "/api/failures"},
		{"S17 failures of a kind", "/api/failures?host=port.example&kind=http_5xx&since=2026-03-01"},
		{"S17 failures, first page", "/api/failures?top=1"},
		{"S17 no place in the list", "/api/failures?continuation=1.2-3"},
		{"S17 no time", "/api/failures?since=soon"},
	} {
		w := do(t, r, "GET", step.path, "")
		fmt.Fprintf(&log, "=== %s\nGET %s\n\n%d %s\n%s\n\n", step.name, step.path, w.Code, w.Header().Get("Content-Type"),
			pretty(t, w.Body.Bytes()))
	}
	golden(t, "failures.golden", log.String())
}

// TestS17Pages checks that each host has one failure in an hour, and that pages of all sizes have together the whole
// list, also where the clocks of writers differ (S17).
func TestS17Pages(t *testing.T) {
	for _, late := range []time.Duration{0, 9 * time.Minute} {
		r := newRig(t)
		at := r.now.Truncate(time.Hour)
		for i := range 60 {
			c := failing(at.Add(time.Duration(i)*7*time.Minute-time.Duration(i%3)*late), fmt.Sprintf("%d.example", i%5),
				fmt.Sprint(i), "dns", "x")
			if i%4 == 0 {
				c.Kind = feed.Content
			}
			must(t, r.v.Feed.Publish(t.Context(), feed.Group{ID: fmt.Sprintf("g%d", i), Changes: []feed.Change{c}}))
		}
		whole := failuresIn(t, r, 500)
		pages, once := 0, map[string]bool{}
		for _, f := range whole {
			pages += f.Count
			once[f.Host+f.At.Format(time.DateOnly+"15")] = true
		}
		if pages != 45 || late == 0 && len(once) != len(whole) {
			t.Fatalf("%d pages in %d failures of %d hosts and hours", pages, len(whole), len(once))
		}
		for top := range len(whole) {
			if all := failuresIn(t, r, top+1); !slices.Equal(all, whole) {
				t.Errorf("in pages of %d: %v, want %v", top+1, all, whole)
			}
		}
	}
}

// failuresIn reads all failures in pages.
func failuresIn(t *testing.T, r *rig, top int) (all []api.Failure) {
	t.Helper()
	q := url.Values{"top": {fmt.Sprint(top)}}
	for range 60 {
		var page api.FailurePage
		must(t, json.Unmarshal(do(t, r, "GET", "/api/failures?"+q.Encode(), "").Body.Bytes(), &page))
		if all = append(all, page.Failures...); len(page.Failures) > top {
			t.Fatalf("%d in a page of %d", len(page.Failures), top)
		}
		if page.Continuation == "" {
			return all
		}
		q.Set("continuation", page.Continuation)
	}
	t.Fatal("the list does not end")
	return nil
}

// TestS17Page checks that the dashboard lists failures, and leads there from what needs attention (S17).
func TestS17Page(t *testing.T) {
	r := newRig(t)
	must(t, r.v.Feed.Publish(t.Context(), feed.Group{ID: "a", Changes: []feed.Change{
		failing(r.now, "port.example", unknownID, "http_5xx", "HTTP 500"),
		failing(r.now, "quay.example", unknownID, "dns", "the name is unknown")}}))
	shows(t, r, "/api/ui/failures", "port.example", "HTTP 500", "quay.example", "/api/ui/items/"+unknownID)
	body := shows(t, r, "/api/ui/failures?host=quay.example&kind=dns", "the name is unknown")
	if strings.Contains(body, "HTTP 500") {
		t.Error("failures of another host are listed")
	}
	shows(t, r, "/api/ui/failures?kind=tls", "No failures")
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/broken"}`)
	r.work()
	shows(t, r, "/api/ui/attention", `href="/api/ui/failures"`)
	if w := do(t, r, "GET", "/api/ui/failures?since=soon", ""); w.Code != http.StatusBadRequest {
		t.Errorf("a time that is none: %d", w.Code)
	}
}

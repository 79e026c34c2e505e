package ui

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// counted notes the requests to an API.
type counted struct {
	answers

	asked []string
}

// RoundTrip implements [http.RoundTripper].
func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.asked = append(c.asked, r.URL.String())
	return c.answers.RoundTrip(r)
}

// TestU4AlertsAreReadAtOnce checks that alerts for any change of a page name the part that is watched, and that one
// request reads all of their pages (U4).
func TestU4AlertsAreReadAtOnce(t *testing.T) {
	all := &counted{answers: answers{
		"/rules": `{"rules":[{"id":"r1","title":"Port","filter":{"itemId":"url_a"}},
			{"id":"r2","title":"Quay","filter":{"itemId":"url_b"}},{"id":"r3","title":"Hall","filter":{"itemId":"url_a","kind":"listed"}}]}`,
		"/items": `{"items":[{"id":"url_b"},{"id":"url_a","watch":{"include":["tr:named(\"9 December\")"]}}]}`}}
	h := New(Options{Client: api.NewClient("http://tidemark.example", "", &http.Client{Transport: all})})
	body := read(t, h, "/notifications")
	if !strings.Contains(body, "when the row “9 December” changes") || !strings.Contains(body, "when anything changes") {
		t.Error(body)
	}
	var lists []string
	for _, path := range all.asked {
		if strings.Contains(path, "/items") {
			lists = append(lists, path)
		}
	}
	if len(lists) != 1 || !strings.Contains(lists[0], "ids=url_a%2Curl_b") {
		t.Errorf("asked for %v", lists)
	}
}

package render

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
)

// ask is a request of a page.
func ask(t *testing.T, method, address, kind, body string, header map[string]string) request {
	t.Helper()
	post := []map[string]string{}
	if body != "" {
		post = append(post, map[string]string{"bytes": base64.StdEncoding.EncodeToString([]byte(body))})
	}
	raw, err := json.Marshal(map[string]any{"requestId": "1", "frameId": "f", "resourceType": kind,
		"request": map[string]any{"url": address, "method": method, "headers": header, "hasPostData": body != "",
			"postDataEntries": post}})
	if err != nil {
		t.Fatal(err)
	}
	var q request
	if err := json.Unmarshal(raw, &q); err != nil {
		t.Fatal(err)
	}
	return q
}

// TestR2Judge checks what becomes of a request of a page (R2).
func TestR2Judge(t *testing.T) {
	r := rules{site: siteOf("www.site.co.uk"), postHosts: []string{"api.example:8443"}}
	preflight := map[string]string{"access-control-request-method": "POST"}
	for _, tc := range []struct {
		method, address, kind, body string
		header                      map[string]string
		do                          action
		why                         Reason
	}{
		{"GET", "https://any.example/a.js", "Script", "", nil, doFetch, ""},
		{"HEAD", "https://any.example/", "Fetch", "", nil, doFetch, ""},
		{"POST", "https://api.site.co.uk/q", "XHR", "{}", nil, doFetch, ""},
		{"POST", "https://site.co.uk/q", "XHR", "", nil, doFetch, ""},
		{"POST", "https://other.co.uk/q", "XHR", "{}", nil, doRefuse, RefusedPost},
		{"POST", "https://api.example:8443/q", "XHR", "{}", nil, doFetch, ""},
		{"POST", "https://api.example/q", "XHR", "{}", nil, doRefuse, RefusedPost},
		{"POST", "https://site.co.uk/q", "XHR", strings.Repeat("a", maxPostBytes), nil, doFetch, ""},
		{"POST", "https://site.co.uk/q", "XHR", strings.Repeat("a", maxPostBytes+1), nil, doRefuse, RefusedPost},
		{"PUT", "https://site.co.uk/q", "XHR", "{}", nil, doRefuse, RefusedMethod},
		{"DELETE", "https://site.co.uk/q", "XHR", "", nil, doRefuse, RefusedMethod},
		{"OPTIONS", "https://any.example/q", "XHR", "", nil, doRefuse, RefusedMethod},
		{"OPTIONS", "https://any.example/q", "XHR", "", preflight, doApproval, ""},
		{"POST", "https://site.co.uk/q", "Ping", "x", nil, doRefuse, RefusedBeacon},
		{"GET", "https://site.co.uk/q", "EventSource", "", nil, doRefuse, RefusedStream},
		{"GET", "https://site.co.uk/q", "Fetch", "", map[string]string{"accept": "text/event-stream"}, doRefuse,
			RefusedStream},
		{"GET", "https://site.co.uk/film", "Media", "", nil, doRefuse, RefusedStream},
		{"GET", "https://site.co.uk/favicon.ico", "Other", "", map[string]string{"Accept": "image/avif"}, doOmit, ""},
		{"GET", "data:text/plain,a", "Fetch", "", nil, doLocal, ""},
		{"GET", "blob:https://site.co.uk/1", "Fetch", "", nil, doLocal, ""},
		{"GET", "file:///etc/passwd", "Document", "", nil, doRefuse, RefusedScheme},
		{"GET", "chrome://version", "Document", "", nil, doRefuse, RefusedScheme},
		{"GET", "ftp://site.co.uk/", "Document", "", nil, doRefuse, RefusedScheme},
		{"GET", "http://a b/", "Document", "", nil, doRefuse, RefusedScheme},
	} {
		do, why := r.judge(ask(t, tc.method, tc.address, tc.kind, tc.body, tc.header))
		if do != tc.do || why != tc.why {
			t.Errorf("%s %s (%s): have %s %s, want %s %s", tc.method, tc.address, tc.kind, do, why, tc.do, tc.why)
		}
	}
	unknown := ask(t, "POST", "https://site.co.uk/", "XHR", "", nil)
	unknown.Request.HasPost = true // a body that the browser does not show
	if do, why := r.judge(unknown); do != doRefuse || why != RefusedPost {
		t.Errorf("a body that is not known: %s %s", do, why)
	}
}

// TestR2MayKnow checks which requests get the credentials of the item (R2).
func TestR2MayKnow(t *testing.T) {
	const own, other = "https://wiki.example", "https://other.example"
	for _, tc := range []struct {
		method, address, kind, origin, referer, frame string
		want                                          bool
	}{
		{"GET", own + "/a", "XHR", "", own + "/", own, true},
		{"GET", "https://wiki.example:443/a", "XHR", "", "", own, true},
		{"GET", own + "/a", "Document", "", other + "/", other, true},
		{"POST", own + "/a", "Document", other, other + "/", other, false},
		{"POST", own + "/a", "Document", "", other + "/", other, false},
		{"GET", own + "/a", "XHR", other, "", own, false},
		{"GET", own + "/a", "Image", "", other + "/", own, false},
		{"GET", own + "/a", "Image", "", "", other, false},
		{"GET", own + "/a", "XHR", "", own + "/w.js", "", true},
		{"GET", other + "/a", "XHR", "", own + "/", own, false},
		{"GET", "http://wiki.example/a", "XHR", "", own + "/", own, false},
		{"GET", "https://wiki.example:8443/a", "XHR", "", own + "/", own, false},
	} {
		header := map[string]string{}
		if tc.origin != "" {
			header["Origin"] = tc.origin
		}
		if tc.referer != "" {
			header["referer"] = tc.referer
		}
		if have := mayKnow(ask(t, tc.method, tc.address, tc.kind, "", header), own, tc.frame); have != tc.want {
			t.Errorf("%+v: have %v", tc, have)
		}
	}
}

// TestR2Cache checks which answers are used again, for which requests, and for how long (R2).
func TestR2Cache(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	get := fetch.Hop{Method: "GET", URL: "https://a.example/a.js", Header: http.Header{}}
	with := func(name, value string) fetch.Hop {
		h := get
		h.Header = http.Header{name: {value}}
		return h
	}
	for _, tc := range []struct {
		control, name, value string
		ask                  fetch.Hop
		after                time.Duration
		want                 bool
	}{
		{"public, max-age=60", "", "", get, time.Minute, true},
		{"max-age=60", "Age", "30", get, 31 * time.Second, false},
		{"max-age=60", "", "", get, 61 * time.Second, false},
		{"max-age=99999999", "", "", get, 25 * time.Hour, false},
		{"", "", "", get, 0, false},
		{"max-age=60, private", "", "", get, 0, false},
		{"no-store, max-age=60", "", "", get, 0, false},
		{"max-age=60", "Set-Cookie", "a=1", get, 0, false},
		{"max-age=60", "Vary", "Accept-Encoding, Origin", get, 0, true},
		{"max-age=60", "Vary", "X-Theme", get, 0, false},
		{"max-age=60", "", "", with("Cookie", "a=1"), 0, false},
		{"max-age=60", "", "", with("Authorization", "x"), 0, false},
		{"max-age=60", "", "", with("Origin", "https://b.example"), 0, true},
	} {
		c := newCache()
		res := fetch.Response{Status: 200, Header: http.Header{"Cache-Control": {tc.control}}, Body: []byte("a")}
		if tc.name != "" {
			res.Header.Set(tc.name, tc.value)
		}
		c.put(tc.ask, true, res, now)
		if _, ok := c.get(tc.ask, true, now.Add(tc.after)); ok != tc.want {
			t.Errorf("%+v: have %v", tc, ok)
		}
		if _, ok := c.get(tc.ask, false, now); ok {
			t.Error("an answer is used for a page that may reach other hosts")
		}
	}
}

// TestR2CacheIsBounded checks that the cache drops what was not used for the longest time.
func TestR2CacheIsBounded(t *testing.T) {
	c := newCache()
	body := make([]byte, cacheOne)
	res := fetch.Response{Status: 200, Header: http.Header{"Cache-Control": {"max-age=60"}}, Body: body}
	now := time.Now()
	hop := func(i int) fetch.Hop {
		return fetch.Hop{Method: "GET", URL: "https://a.example/" + string(rune('A'+i)), Header: http.Header{}}
	}
	for i := range 40 {
		c.put(hop(i), true, res, now)
	}
	for i := range 40 {
		if _, kept := c.get(hop(i), true, now); kept != (i >= 40-cacheBytes/cacheOne) {
			t.Errorf("answer %d of 40 is kept: %v", i, kept)
		}
	}
}

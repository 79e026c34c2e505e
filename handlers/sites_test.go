package handlers

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

const pushKey = "0123456789abcdef"

// quay is a harbour that also serves a key.
type quay struct{ harbour }

func (q *quay) FetchResource(ctx context.Context, v politeness.ResourceRequest) (politeness.Resource, error) {
	if strings.HasSuffix(v.URL, "/"+pushKey+".txt") {
		return politeness.Resource{Status: http.StatusOK, FinalURL: v.URL, Body: []byte(pushKey)}, nil
	}
	return q.harbour.FetchResource(ctx, v)
}

// newSitesRig returns a rig with polls of the quay.
func newSitesRig(t *testing.T) (*rig, *quay) {
	t.Helper()
	r, q, looks := newRig(t), &quay{}, 0
	r.v.Polls = sitepoll.New(r.v.Store, r.v.Registry, q, sitepoll.Options{
		PerDay: 10, Sites: port, Rules: source.DefaultRules(), Clock: func() time.Time { return r.now },
		Token: func() string { looks++; return fmt.Sprintf("token%d", looks) },
	})
	return r, q
}

// TestE14Contract records a conversation about polls and pushes (testdata/sites.golden).
func TestE14Contract(t *testing.T) {
	r, q := newSitesRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	submission := `{"host":"port.example","key":"` + pushKey +
		`","urlList":["https://port.example/ok/one","https://port.example/ok/three"]}`
	var log strings.Builder
	for _, step := range []struct{ name, method, path, body string }{
		{"E14 the timer", "POST", "/SentinelTimer", `{"Data":{"timer":{}},"Metadata":{}}`},
		{"the steps", "", "", ""},
		{"E14 the sites", "GET", "/api/sites", ""},
		{"E14 a look is asked for", "POST", "/api/sites/port/look", ""},
		{"E14 it goes on already", "POST", "/api/sites/port/look", ""},
		{"the site is away", "away", "", ""},
		{"the steps", "", "", ""},
		{"E14 a look has ended", "GET", "/api/sites/port", ""},
		{"E14 no such site", "GET", "/api/sites/nobody", ""},
		{"U6 a site is added", "POST", "/api/sites", `{"url":"Quay.example/news"}`},
		{"U6 it is there already", "POST", "/api/sites", `{"url":"https://quay.example"}`},
		{"U6 no address", "POST", "/api/sites", `{"url":"a b"}`},
		{"V2 what is read is changed", "PATCH", "/api/sites/quay-example",
			`{"feeds":["https://quay.example/f"],"follow":{"depth":4},"exclude":["/print/**"]}`},
		{"V2 what is not named stays", "PATCH", "/api/sites/quay-example", `{"follow":{"pages":50},"exclude":null}`},
		{"V2 nothing is named", "PATCH", "/api/sites/quay-example", `{}`},
		{"V2 a limit out of bounds", "PATCH", "/api/sites/quay-example",
			`{"follow":{"depth":21}}`},
		{"V2 no host", "PATCH", "/api/sites/quay-example", `{"follow":{"hosts":["a/b"]}}`},
		{"V2 no address", "PATCH", "/api/sites/quay-example", `{"sitemaps":["ftp://quay.example"]}`},
		{"V2 no pattern", "PATCH", "/api/sites/quay-example", `{"include":["docs"]}`},
		{"V2 one of the site file", "PATCH", "/api/sites/port", `{"feeds":[]}`},
		{"V2 no such site", "PATCH", "/api/sites/nobody", `{"feeds":[]}`},
		{"U6 the site is removed", "DELETE", "/api/sites/quay-example", ""},
		{"U6 one of the site file", "DELETE", "/api/sites/port", ""},
		{"E14 many pages", "POST", "/api/IndexNow?code=key", submission},
		{"E14 one page", "GET", "/api/IndexNow?url=https%3A%2F%2Fport.example%2Fok%2Ffour&key=" + pushKey, ""},
		{"E14 an address of another host", "POST", "/api/IndexNow", strings.Replace(submission, "port.example/ok/one",
			"other.example/", 1)},
		{"E14 a host that is no site", "POST", "/api/IndexNow", strings.ReplaceAll(submission, "port.example",
			"other.example")},
		{"E14 a key that the site does not show", "POST", "/api/IndexNow",
			strings.Replace(submission, pushKey, "fedcba9876543210", 1)},
		{"E14 no key", "POST", "/api/IndexNow", strings.Replace(submission, pushKey, "", 1)},
		{"E14 no addresses", "POST", "/api/IndexNow", `{"host":"port.example","key":"` + pushKey + `"}`},
		{"E14 no address", "GET", "/api/IndexNow?url=x&key=" + pushKey, ""},
	} {
		fmt.Fprintf(&log, "=== %s\n", step.name)
		switch step.method {
		case "":
			for r.deliver(sitepoll.Queue, "/SentinelWorker") {
				r.now = r.now.Add(time.Minute)
			}
			continue
		case "away":
			q.away = true
			continue
		}
		r.now = r.now.Add(time.Second)
		w := do(t, r, step.method, step.path, step.body)
		fmt.Fprintf(&log, "%s %s\n%s\n%d %s\n%s\n\n", step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), pretty(t, w.Body.Bytes()))
	}
	golden(t, "sites.golden", log.String())
}

// TestU3TheSite checks that the page of a host shows, in words, what its polls found, the rules that left out
// addresses, the requests to it, why pages fail, and how it is treated, and that its chart has a text form (U3).
func TestU3TheSite(t *testing.T) {
	r, q := newSitesRig(t)
	sites := site.List{{Slug: "port", Domain: "port.example", Sitemaps: port[0].Sitemaps,
		Exclude: []*regexp.Regexp{regexp.MustCompile("/two$")}}}
	clock := func() time.Time { return r.now }
	r.v.Polls = sitepoll.New(r.v.Store, r.v.Registry, q, sitepoll.Options{PerDay: 10, Sites: sites,
		Rules: source.DefaultRules(), Clock: clock})
	r.v.Backfill = backfill.New(r.v.Store, r.v.Registry, q, r.v.Files, backfill.Options{Enabled: true, Sites: sites,
		Clock: clock})
	do(t, r, "POST", "/SentinelTimer", `{"Data":{"timer":{}},"Metadata":{}}`)
	for r.deliver(sitepoll.Queue, "/SentinelWorker") {
		r.now = r.now.Add(time.Minute)
	}
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/fail/here"}`)
	r.work()
	page := shows(t, r, "/api/ui/hosts/port.example", "Polls found 2 addresses: 1 new", "1 excluded", "exclude: /two$",
		"Why pages cannot be read", "At most", "connection refused",
		"2026-03-01</th><td class=\"n\">3</td>", "In the last month: 2 checks, 1 of them found a change, 1 failed",
		"As a table", "robots.txt")
	if host, err := r.v.Registry.Hosts.View(t.Context(), "port.example"); err != nil || len(host.Days) == 0 {
		t.Errorf("%+v, %v\n%s", host, err, page)
	}
}

// TestX5BareDomain checks that a site is added by a domain that does not answer itself: it may live at its other name
// (X5). A host with a private name is refused, because no scheme is known for it.
func TestX5BareDomain(t *testing.T) {
	r, _ := newSitesRig(t)
	w := do(t, r, "POST", "/api/sites", `{"url":"elsewhere.example","guessScheme":true}`)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"domain":"elsewhere.example"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(t, r, "POST", "/api/sites", `{"url":"elsewhere.lan","guessScheme":true}`); w.Code != http.StatusBadRequest {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

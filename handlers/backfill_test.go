package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/run/backfill"
)

// harbour is a site file with one site, and that site's web: a sitemap, which may be away.
type harbour struct{ away bool }

var port = site.List{{Slug: "port", Domain: "port.example", Sitemaps: []string{"https://port.example/sitemap.xml"}}}

func (h *harbour) FetchResource(_ context.Context, v politeness.ResourceRequest) (politeness.Resource, error) {
	if h.away {
		return politeness.Resource{Status: http.StatusNotFound, FinalURL: v.URL, Requests: 1}, nil
	}
	return politeness.Resource{Status: http.StatusOK, FinalURL: v.URL, Requests: 1,
		Body: []byte("https://port.example/ok/one\nhttps://port.example/ok/two\n")}, nil
}

// newBackfillRig returns a rig with a backfill of the harbour.
func newBackfillRig(t *testing.T) (*rig, *harbour) {
	t.Helper()
	r, h, runs := newRig(t), &harbour{}, 0
	r.v.Backfill = backfill.New(r.v.Store, r.v.Registry, h, r.v.Files, backfill.Options{
		Enabled: true, Sites: port, Rules: source.DefaultRules(), Clock: func() time.Time { return r.now },
		Token: func() string { runs++; return fmt.Sprintf("token%d", runs) },
	})
	return r, h
}

// backfill delivers the messages of steps until none remains.
func (r *rig) backfill() {
	r.t.Helper()
	for r.deliver(backfill.Queue, "/BackfillWorker") {
		r.now = r.now.Add(time.Minute)
	}
}

// TestE7Contract records a conversation about backfill (testdata/backfill.golden).
func TestE7Contract(t *testing.T) {
	r, h := newBackfillRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	var log strings.Builder
	var run api.BackfillRun
	for _, step := range []struct{ name, method, path, body string }{
		{"E9 the sites", "GET", "/api/backfill/sites", ""},
		{"E10 a dry run", "POST", "/api/backfill/runs", `{"sources":["port"],"dryRun":true,"maxUrls":100}`},
		{"the steps", "", "", ""},
		{"E10 what it would do", "GET", "/api/backfill/runs/RUN", ""},
		{"E7 a run", "POST", "/api/backfill/runs",
			`{"sources":["port"],"mode":"SITEMAP","dateFrom":"2020-01-01","dateTo":"2026-02-28","runBy":"ops"}`},
		{"E7 paused", "POST", "/api/backfill/runs/RUN/pause", ""},
		{"the steps", "", "", ""},
		{"E7 resumed", "POST", "/api/backfill/runs/RUN/resume", ""},
		{"the steps", "", "", ""},
		{"E7 done", "GET", "/api/backfill/runs/RUN", ""},
		{"E7 too late", "POST", "/api/backfill/runs/RUN/cancel", ""},
		{"the site is away", "away", "", ""},
		{"E11 a run that fails", "POST", "/api/backfill/runs", `{"sources":["port"]}`},
		{"the steps", "", "", ""},
		{"E11 failed", "GET", "/api/backfill/runs/RUN", ""},
		{"E7 another run", "POST", "/api/backfill/runs", `{"sources":["port"]}`},
		{"E7 cancelled", "POST", "/api/backfill/runs/RUN/cancel", ""},
		{"E7 the newest", "GET", "/api/backfill/runs?top=1", ""},
	} {
		fmt.Fprintf(&log, "=== %s\n", step.name)
		r.now = r.now.Add(time.Second)
		switch step.method {
		case "":
			r.backfill()
			continue
		case "away":
			h.away = true
			continue
		}
		step.path = strings.Replace(step.path, "RUN", run.ID, 1)
		w := do(t, r, step.method, step.path, step.body)
		if step.path == "/api/backfill/runs" {
			must(t, json.Unmarshal(w.Body.Bytes(), &run))
		}
		fmt.Fprintf(&log, "%s %s\n%s\n%d %s\n%s\n\n", step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), pretty(t, w.Body.Bytes()))
	}
	golden(t, "backfill.golden", log.String())
}

// linked is a site whose first page links to another one.
type linked struct{}

func (linked) FetchResource(_ context.Context, v politeness.ResourceRequest) (politeness.Resource, error) {
	return politeness.Resource{Status: http.StatusOK, FinalURL: v.URL, Requests: 1, ContentType: "text/html",
		Body: []byte(`<a href="/ok/one">One</a><a href="https://else.example/">Else</a>`)}, nil
}

// TestE18LinksByTheAPI checks that a run of mode LINKS is asked for by the API and by the dashboard's form, which shows
// it, and that its answer says what is left out (E18).
func TestE18LinksByTheAPI(t *testing.T) {
	r, _ := newBackfillRig(t)
	r.v.Backfill = backfill.New(r.v.Store, r.v.Registry, linked{}, r.v.Files, backfill.Options{
		Enabled: true, Sites: port, Rules: source.DefaultRules(), Clock: func() time.Time { return r.now }})
	var run api.BackfillRun
	w := do(t, r, "POST", "/api/backfill/runs", `{"sources":["port"],"mode":"LINKS","dryRun":true}`)
	must(t, json.Unmarshal(w.Body.Bytes(), &run))
	r.backfill()
	w = do(t, r, "GET", "/api/backfill/runs/"+run.ID, "")
	must(t, json.Unmarshal(w.Body.Bytes(), &run))
	if run.Mode != "LINKS" || run.Status != api.BackfillCompleted || run.Queued != 2 ||
		run.Reasons["other host: else.example"] != 1 {
		t.Errorf("%+v", run)
	}
	if w := do(t, r, "GET", "/api/backfill/sites", ""); !strings.Contains(w.Body.String(), `"LINKS"`) {
		t.Errorf("%s", w.Body)
	}
	shows(t, r, "/api/ui/backfill", `<option value="LINKS">links from page to page</option>`)
	shows(t, r, "/api/ui/backfill/"+run.ID, "other host: else.example", "LINKS")
	if w := do(t, r, "POST", "/api/backfill/runs", `{"sources":["port"],"mode":"WALK"}`); w.Code != http.StatusBadRequest ||
		!strings.Contains(w.Body.String(), "CONTAINER or LINKS") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestE6Disabled checks that nothing starts while backfill is switched off, and that the answer explains how to
// switch it on (E6).
func TestE6Disabled(t *testing.T) {
	r := newRig(t)
	w := do(t, r, "POST", "/api/backfill/runs", `{"sources":["port"]}`)
	if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "BACKFILL_ENABLED=true") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestE7Errors checks that impossible values are refused with their field (E7).
func TestE7Errors(t *testing.T) {
	r, _ := newBackfillRig(t)
	for _, tt := range []struct {
		request, body string
		status        int
		want          string
	}{
		{"POST /api/backfill/runs", `{}`, 400, `"field": "sources"`},
		{"POST /api/backfill/runs", `{"sources":["nobody"]}`, 400, "known sites: port"},
		{"POST /api/backfill/runs", `{"sources":["port","port"]}`, 400, "named twice"},
		{"POST /api/backfill/runs", `{"sources":["port"],"mode":"sitemap"}`, 400, "mode must be SITEMAP"},
		{"POST /api/backfill/runs", `{"sources":["port"],"mode":"ARCHIVE"}`, 400, "lists nothing for ARCHIVE"},
		{"POST /api/backfill/runs", `{"sources":["port"],"maxUrls":1001}`, 400, "BACKFILL_MAX_URLS_PER_RUN"},
		{"POST /api/backfill/runs", `{"sources":["port"],"maxUrlsPerSource":501}`, 400, "BACKFILL_MAX_URLS_PER_SOURCE"},
		{"POST /api/backfill/runs", `{"sources":["port"],"concurrency":3}`, 400, "BACKFILL_MAX_CONCURRENCY"},
		{"POST /api/backfill/runs", `{"sources":["port"],"delayMs":-1}`, 400, "delayMs"},
		{"POST /api/backfill/runs", `{"sources":["port"],"dateFrom":"then"}`, 400, "dateFrom"},
		{"POST /api/backfill/runs", `{"sources":["port"],"dateFrom":"2026-02-02","dateTo":"2026-01-01"}`, 400, "dateTo"},
		{"GET /api/backfill/runs/x", "", 400, "not the id"},
		{"GET /api/backfill/runs/backfill-20260101t000000z-x", "", 404, "no backfill run"},
		{"POST /api/backfill/runs/backfill-20260101t000000z-x/cancel", "", 404, "no backfill run"},
		{"GET /api/backfill/runs?top=0", "", 400, "top"},
		{"GET /api/backfill/runs?continuation=x", "", 400, "continuation"},
	} {
		method, path, _ := strings.Cut(tt.request, " ")
		w := do(t, r, method, path, tt.body)
		if body := pretty(t, w.Body.Bytes()); w.Code != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s %s: %d %s, want %d and %q", tt.request, tt.body, w.Code, body, tt.status, tt.want)
		}
	}
}

// TestE11Poison checks that a step which fails on every try ends its source, and that the run can be resumed (E11).
func TestE11Poison(t *testing.T) {
	r, _ := newBackfillRig(t)
	var run api.BackfillRun
	must(t, json.Unmarshal(do(t, r, "POST", "/api/backfill/runs", `{"sources":["port"]}`).Body.Bytes(), &run))
	for r.deliver(backfill.Queue, "/BackfillPoison") {
	}
	must(t, json.Unmarshal(do(t, r, "GET", "/api/backfill/runs/"+run.ID, "").Body.Bytes(), &run))
	if run.Status != api.BackfillFailed || run.Errors != 1 {
		t.Fatalf("%+v", run)
	}
	do(t, r, "POST", "/api/backfill/runs/"+run.ID+"/resume", "")
	r.backfill()
	must(t, json.Unmarshal(do(t, r, "GET", "/api/backfill/runs/"+run.ID, "").Body.Bytes(), &run))
	if run.Status != api.BackfillCompleted || run.Queued != 2 {
		t.Errorf("%+v", run)
	}
}

package handlers

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/run/backfill"
)

// shows fails the test unless a page contains all wanted texts.
func shows(t *testing.T, h http.Handler, path string, wanted ...string) string {
	t.Helper()
	w := do(t, h, "GET", path, "")
	body := w.Body.String()
	for _, want := range wanted {
		if w.Code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, %q is missing:\n%s", path, w.Code, want, body)
		}
	}
	return body
}

// send posts a form and returns the address that it redirects to.
func send(t *testing.T, h http.Handler, path string, form url.Values) string {
	t.Helper()
	w := post(t, h, path, "same-origin", form)
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%s %v: %d\n%s", path, form, w.Code, w.Body)
	}
	return w.Header().Get("Location")
}

// ledTo returns the address to which an action leads, without what takes it back.
func ledTo(to string) string { return undoOf.ReplaceAllString(to, "") }

var undoOf = regexp.MustCompile(`&undo=[^&#]*`)

// TestE6DashboardBackfillOff checks that while backfill is switched off or has no sites, the page names the settings
// to change (E6, E9).
func TestE6DashboardBackfillOff(t *testing.T) {
	r := newRig(t)
	shows(t, r, "/api/ui/backfill", "Backfill is switched off.", "BACKFILL_ENABLED=true", "BACKFILL_SITES_FILE")
	on, _ := newBackfillRig(t)
	if body := shows(t, on, "/api/ui/backfill", `value="port"`, "port.example",
		"No runs yet"); strings.Contains(body, "switched off") {
		t.Error("it is said to be off")
	}
}

// TestE7DashboardBackfill checks that a dry run leads to the real run, which can be paused, resumed and cancelled
// (E7, E10, E11).
func TestE7DashboardBackfill(t *testing.T) {
	r, h := newBackfillRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	ask := url.Values{"sources": {"port"}, "mode": {"SITEMAP"}, "maxUrls": {"7"}, "dateFrom": {"2020-01-01"},
		"do": {"dry"}}
	dry := send(t, r, "/api/ui/backfill", ask)
	r.backfill()
	shows(t, r, dry, "COMPLETED", "DRY RUN - no jobs will be queued", "Would queue 1 new item (1 already exists)",
		"Start the run",
		`name="sources" value="port"`, `name="maxUrls" value="7"`, `name="dateFrom" value="2020-01-01T00:00:00Z"`)
	ask["do"] = []string{"run"}
	run := send(t, r, "/api/ui/backfill", ask)
	for _, step := range []struct{ do, want string }{{"pause", "PAUSED"}, {"resume", "RUNNING"}} {
		if to := send(t, r, run, url.Values{"do": {step.do}}); to != run+"?done=run-"+step.do {
			t.Errorf("%s leads to %q", step.do, to)
		}
		shows(t, r, run, step.want)
	}
	r.backfill()
	shows(t, r, run, "COMPLETED", "Queued 1 new item (1 already exists)", "/api/ui/items?host=port.example")
	shows(t, r, "/api/ui/backfill", run, dry, "dry run")
	if w := post(t, r, run, "same-origin", url.Values{"do": {"cancel"}}); w.Code != http.StatusConflict {
		t.Errorf("a run that is over: %d", w.Code)
	}
	if w := post(t, r, run, "same-origin", url.Values{"do": {"explode"}}); w.Code != http.StatusBadRequest {
		t.Errorf("an action that is none: %d", w.Code)
	}
	h.away = true
	failed := send(t, r, "/api/ui/backfill", ask)
	r.backfill()
	shows(t, r, failed, "FAILED", `value="resume"`, "Errors")
	cancelled := send(t, r, "/api/ui/backfill", ask)
	send(t, r, cancelled, url.Values{"do": {"cancel"}})
	if body := shows(t, r, cancelled, "CANCELLED"); strings.Contains(body, `value="resume"`) ||
		strings.Contains(body, `value="cancel"`) {
		t.Error("a cancelled run is offered more than to be read")
	}
}

// TestE7DashboardBackfillRefused checks that an error is shown above the form, which keeps its input (E7).
func TestE7DashboardBackfillRefused(t *testing.T) {
	r, _ := newBackfillRig(t)
	for _, tt := range []struct {
		form   url.Values
		status int
		want   string
	}{
		{url.Values{"do": {"run"}}, http.StatusBadRequest, "sources: this has 0 entries"},
		{url.Values{"sources": {"port"}, "mode": {"ARCHIVE"}, "dateFrom": {"2020-01-01"}}, http.StatusBadRequest,
			`value="2020-01-01"`},
		{url.Values{"sources": {"port"}, "mode": {"ARCHIVE"}}, http.StatusBadRequest, `value="ARCHIVE" selected`},
		{url.Values{"sources": {"port"}, "maxUrls": {"many"}}, http.StatusBadRequest, "must be a whole number"},
	} {
		w := post(t, r, "/api/ui/backfill", "same-origin", tt.form)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) ||
			!strings.Contains(w.Body.String(), `role="alert"`) {
			t.Errorf("%v: %d, want %d and %q:\n%s", tt.form, w.Code, tt.status, tt.want, w.Body)
		}
	}
}

// evilSite answers with scripts wherever its text is shown.
type evilSite struct{ harbour }

func (h *evilSite) FetchResource(_ context.Context, v politeness.ResourceRequest) (politeness.Resource, error) {
	return politeness.Resource{}, &politeness.SiteError{Err: fault.New(fault.Invalid,
		`"onfocus="alert(1)"><script>alert(1)</script>`)}
}

// TestDashboardEscapesRuns checks that a site's text is escaped in the counts, reasons and errors of a run too.
func TestDashboardEscapesRuns(t *testing.T) {
	r, _ := newBackfillRig(t)
	r.v.Backfill = backfill.New(r.v.Store, r.v.Registry, &evilSite{}, r.v.Files, backfill.Options{
		Enabled: true, Sites: port, Rules: source.DefaultRules(), Clock: func() time.Time { return r.now },
	})
	run := send(t, r, "/api/ui/backfill", url.Values{"sources": {"port"}, "do": {"run"}})
	r.backfill()
	shows(t, r, run, "onfocus=", "FAILED", "Errors</h2>")
	for _, path := range []string{run, "/api/ui/backfill", "/api/ui/index?host=%22%3E%3Cscript%3E"} {
		harmless(t, r, path)
	}
	w := post(t, r, "/api/ui/backfill", "same-origin", url.Values{"sources": {`"><script>alert(1)</script>`},
		"dateFrom": {`"onfocus="alert(1)`}})
	if body := w.Body.String(); w.Code != http.StatusBadRequest || strings.Contains(body, "<script>alert") ||
		strings.Contains(body, `"onfocus="`) {
		t.Errorf("%d\n%s", w.Code, body)
	}
}

// TestA19DashboardIndex checks that the index is rebuilt and audited from its page, and that an audit's findings are
// shown (A19).
func TestA19DashboardIndex(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"urls":["https://port.example/ok/one","https://port.example/ok/two"]}`)
	r.work()
	shows(t, r, "/api/ui/index", "No rebuild or audit is running.")
	run := send(t, r, "/api/ui/index", url.Values{"do": {"rebuild"}, "host": {" port.example "}})
	shows(t, r, "/api/ui/index", run, "Rebuild of port.example")
	shows(t, r, "/api/ui/machine", run)
	shows(t, r, run, "Rebuild of port.example", "marking")
	r.work()
	shows(t, r, run, "done", "<b>2</b><span>indexed</span>")
	must(t, r.v.Index.Remove(t.Context(), idOf(t, "https://port.example/ok/one"), nil))
	r.now = r.now.Add(time.Minute)
	audit := send(t, r, "/api/ui/index", url.Values{"do": {"audit"}})
	r.work()
	shows(t, r, audit, "Audit of everything", "/api/ui/items/"+idOf(t, "https://port.example/ok/one"), "lacks the page")
	if w := post(t, r, "/api/ui/index", "same-origin", url.Values{"do": {"audit"},
		"host": {"nobody.example"}}); w.Code < 400 || w.Code > 499 || !strings.Contains(w.Body.String(),
		`value="nobody.example"`) {
		t.Errorf("a host without items: %d\n%s", w.Code, w.Body)
	}
	if w := post(t, r, "/api/ui/index", "same-origin", url.Values{"do": {"burn"}}); w.Code != http.StatusBadRequest {
		t.Errorf("an action that is none: %d", w.Code)
	}
}

package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/discover"
)

// mapped is a site of two pages with a sitemap, and a site file that lists it as "port".
func mapped(t *testing.T) (site *httptest.Server, file string) {
	t.Helper()
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/sitemap.xml":
			fmt.Fprintf(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`+
				`<url><loc>%[1]s/one</loc></url><url><loc>%[1]s/two</loc></url></urlset>`, "http://"+r.Host)
		case "/one", "/two":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(markup(r.URL.Path, "High water.")))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(site.Close)
	u, err := url.Parse(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "sites.yaml")
	text := fmt.Sprintf("sites:\n  - slug: port\n    domain: %q\n    sitemaps: [%s/sitemap.xml]\n", u.Host, site.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return site, file
}

// E1, E2, E12 (INV-1, INV-2, OPS-2): over the API, an item that a backfill found names the run and the job, and the
// run reports its progress.
func TestE1DiscoveryOverHTTP(t *testing.T) {
	site, file := mapped(t)
	s := newServed(t, map[string]string{"BACKFILL_ENABLED": "true", "BACKFILL_SITES_FILE": file})
	var run api.BackfillRun
	s.ask("POST", "/api/backfill/runs", api.BackfillRequest{Sources: []string{"port"}}, http.StatusAccepted, &run)
	s.work()
	s.ask("GET", "/api/backfill/runs/"+run.ID, nil, http.StatusOK, &run)
	if run.Status != api.BackfillCompleted || run.Queued != 2 || run.LastProcessedSource != "port" ||
		run.LastProcessedPage != 1 || run.LastProcessedURL != site.URL+"/two" {
		t.Errorf("run %+v", run)
	}
	var page api.ItemPage
	s.ask("GET", "/api/items", nil, http.StatusOK, &page)
	if len(page.Items) != 2 {
		t.Fatalf("%d items", len(page.Items))
	}
	for _, it := range page.Items {
		if it.DiscoveryMethod != "BACKFILL" || it.DiscoveryRunID != run.ID ||
			it.JobID != discover.JobID("port", it.NormalizedSource) || !strings.HasPrefix(it.JobID, "backfill:port:") {
			t.Errorf("item %+v", it)
		}
	}
	if strings.Contains(s.log.String(), "DISABLED") {
		t.Errorf("log: %s", s.log.String())
	}
}

// E6 (INV-6): while backfill is switched off, which is the default, the log of the start says so and no run begins.
func TestE6SwitchIsInTheLog(t *testing.T) {
	_, file := mapped(t)
	s := newServed(t, map[string]string{"BACKFILL_SITES_FILE": file})
	if n := strings.Count(s.log.String(), "[backfill] DISABLED via BACKFILL_ENABLED=false"); n != 1 {
		t.Errorf("said %d times: %s", n, s.log.String())
	}
	s.ask("POST", "/api/backfill/runs", api.BackfillRequest{Sources: []string{"port"}}, http.StatusForbidden, nil)
	s.ask("GET", "/api/backfill/runs", nil, http.StatusOK, nil)
}

package handlers

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/app/instrumented"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// TestS16IdleIsSilent checks that timers that find nothing to do say nothing, neither in the log nor to their host, but
// for one line an hour at the level debug (S16).
func TestS16IdleIsSilent(t *testing.T) {
	r := newRig(t)
	var log bytes.Buffer
	r.Handler = New(Options{Open: r.open, Metrics: r.metrics,
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	for range 120 {
		for _, timer := range []string{"CrawlTimer", "EnrichTimer", "SentinelTimer", "PurgeTimer"} {
			w := do(t, r, "POST", "/"+timer, `{"Data":{"timer":{}},"Metadata":{"sys":{}}}`)
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"Logs":[]`) {
				t.Fatalf("%s: %d %s", timer, w.Code, w.Body)
			}
		}
	}
	if log.Len() > 0 {
		t.Errorf("the log has:\n%s", &log)
	}
	r.register("https://port.example/ok/one")
	r.now = r.now.Add(time.Hour) // the job is lost
	do(t, r, "POST", "/CrawlTimer", `{"Data":{"timer":{}},"Metadata":{"sys":{}}}`)
	if !strings.Contains(log.String(), "level=INFO msg=swept") {
		t.Errorf("something was due, and the log has:\n%s", &log)
	}
}

// TestS16ScrapeCostsNothing checks that the metrics show what the sweep has read, and that reading them costs no
// operation of storage (S16).
func TestS16ScrapeCostsNothing(t *testing.T) {
	m := telemetry.New()
	r := newRig(t, func(s storage.Store) storage.Store { return instrumented.Store(s, m) })
	r.Handler = New(Options{Open: r.open, Metrics: m})
	if w := do(t, r, "GET", "/api/metrics", ""); strings.Contains(w.Body.String(), "tidemark_last_sweep_seconds") {
		t.Errorf("before a sweep:\n%s", w.Body)
	}
	for i := range 3 {
		r.register(fmt.Sprintf("https://port.example/ok/p%d", i))
	}
	do(t, r, "POST", "/CrawlTimer", `{"Data":{"timer":{}},"Metadata":{"sys":{}}}`)
	before := m.Storage.Total()
	w := do(t, r, "GET", "/api/metrics", "")
	if after := m.Storage.Total(); after != before {
		t.Errorf("a scrape cost %v operations", after-before)
	}
	for _, want := range []string{`tidemark_items{status="Pending"} 3`, `tidemark_items{status="Gone"} 0`, "tidemark_due 0",
		"tidemark_oldest_due_seconds 0", "tidemark_hosts_unreachable 0", "tidemark_last_sweep_seconds "} {
		if !strings.Contains(w.Body.String(), "\n"+want) {
			t.Errorf("missing: %s\n%s", want, w.Body)
		}
	}
}

package crawl

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/feed"
)

// TestS16FailedPages checks that the log has one line for the pages of a host that could not be checked, with their
// number and the first reason, again after an hour at the earliest, and that they are counted by kind (S16).
func TestS16FailedPages(t *testing.T) {
	var log bytes.Buffer
	m := telemetry.New()
	r := newRig(t, func(k *knobs) {
		k.crawl.Metrics, k.crawl.Log = m, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	})
	for i := range 4 {
		r.site.put(fmt.Sprintf("/p%d", i), status(500))
	}
	r.site.put("/teapot", status(418))
	r.site.put("/ok", text("fine"))
	r.register(false, "/ok", "/teapot")
	r.mustWork()
	r.register(false, "/p0", "/p1", "/p2", "/p3")
	r.mustWork()
	r.clock.pass(time.Minute)
	r.TellFailures(t.Context())
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), `checks=5 first="HTTP 418 `) ||
		!strings.Contains(log.String(), `level=WARN msg="pages could not be checked" host=127.0.0.1`) {
		t.Errorf("told:\n%s", &log)
	}
	if teapots, broken := m.Failures.Total("http_4xx"), m.Failures.Total("http_5xx"); teapots != 1 || broken != 4 {
		t.Errorf("%v and %v failures", teapots, broken)
	}
	for range 50 {
		r.clock.pass(time.Minute)
		r.register(true, "/teapot")
		r.mustWork()
		r.TellFailures(t.Context())
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("within an hour:\n%s", &log)
	}
	r.clock.pass(10 * time.Minute)
	if r.TellFailures(t.Context()); !strings.Contains(log.String(), "checks=50 ") {
		t.Errorf("after an hour:\n%s", &log)
	}
}

// TestS16UnreachedHostIsTold checks that the pages that fail for a host that cannot be reached are one line, too, with
// what is wrong (S16).
func TestS16UnreachedHostIsTold(t *testing.T) {
	var log bytes.Buffer
	m := telemetry.New()
	r := newRig(t, func(k *knobs) {
		k.crawl.Metrics, k.crawl.Log = m, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	})
	r.down()
	r.register(false, "/a", "/b", "/c")
	r.mustWork()
	for range 4 {
		r.due("/a")
		r.mustWork()
	}
	r.clock.pass(time.Minute)
	r.TellFailures(t.Context())
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "checks=3 ") ||
		!strings.Contains(log.String(), "refused") || m.Failures.Total("connection") != 3 {
		t.Errorf("%v failures, told:\n%s", m.Failures.Total("connection"), &log)
	}
}

// TestS17CauseOfFailures checks that the feed has the kind of the failure of a page that begins to fail: by the answer,
// by its host, or because its jobs were given up (S17).
func TestS17CauseOfFailures(t *testing.T) {
	r := newRig(t)
	r.site.put("/broken", status(500))
	r.site.put("/lost", text("fine"))
	r.site.put("/away", text("fine"))
	r.first("/lost")
	for range feed.FailingAfter {
		r.due("/lost")
		for _, job := range r.jobs() {
			must(t, r.GiveUp(t.Context(), job, "given up"))
		}
	}
	r.register(false, "/broken")
	r.mustWork()
	for range feed.FailingAfter {
		r.due("/broken")
		r.mustWork()
	}
	r.down()
	r.register(false, "/away")
	r.mustWork()
	for range feed.FailingAfter {
		r.due("/away")
		r.mustWork()
	}
	causes := map[string]string{}
	for c, err := range r.feed.Oldest(t.Context(), feed.Position{}) {
		must(t, err)
		if c.Kind == feed.Failing {
			causes[c.URL[strings.LastIndex(c.URL, "/"):]] = c.Cause
		}
	}
	want := map[string]string{"/broken": "http_5xx", "/lost": "poisoned", "/away": "connection"}
	if !maps.Equal(causes, want) {
		t.Errorf("causes %v, want %v", causes, want)
	}
}

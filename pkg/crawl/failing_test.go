package crawl

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
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

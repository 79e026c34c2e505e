package notify

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/feed"
)

// TestS16StuckChannel checks that the log has one line an hour for a channel that takes no messages, however many wait,
// and that the metrics show how many do (S16).
func TestS16StuckChannel(t *testing.T) {
	r := newRig(t)
	var log bytes.Buffer
	r.Worker.o.Log = slog.New(slog.NewTextHandler(&log, nil))
	r.rule(api.RuleSpec{}, "chat")
	r.to.ill[address("chat")] = true
	r.follow()
	r.publish(8, feed.Content)
	r.follow()
	for range 120 {
		r.work()
		r.now = r.now.Add(time.Second)
		r.TellStuck(t.Context())
	}
	said := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(said) != 1 || !strings.Contains(said[0], "level=WARN msg=\"a channel is stuck\" channel=chat") ||
		!strings.Contains(said[0], "waiting=8 first=\"no answer\"") {
		t.Errorf("in two minutes:\n%s", &log)
	}
	r.pass(58 * time.Minute)
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("in an hour:\n%s", &log)
	}
	if have := shownWaits(r.metrics); have["chat"] != 8 || len(have) != 1 {
		t.Errorf("waiting: %v", have)
	}
	r.to.ill[address("chat")] = false
	r.pass(3 * time.Hour)
	if have := shownWaits(r.metrics); len(have) != 0 {
		t.Errorf("all are sent, and wait: %v", have)
	}
}

func shownWaits(m *telemetry.Metrics) map[string]float64 {
	out := map[string]float64{}
	for _, f := range m.Read() {
		for _, s := range f.Series {
			if f.Name == "tidemark_deliveries_waiting" {
				out[s.Values[0]] = s.Sum
			}
		}
	}
	return out
}

package handlers

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestAZ7SlowAnswers checks that one slow answer of the storage is named by the health check and does not make the app
// unavailable, and that a storage that does not answer at all does.
func TestAZ7SlowAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		op     string // prefix of the operations that are slow
		slow   int64  // number of slow operations
		takes  time.Duration
		status int
		state  string
		says   string // part of the warnings
	}{
		{"as usual", "", 0, 0, 200, api.HealthOK, ""},
		{"a bit slow", "store.Ping", 9, time.Second, 200, api.HealthOK, ""},
		{"one hangs", "store.Ping", 1, time.Hour, 200, api.HealthDegraded, "storage: slow, it answered after 2 seconds"},
		{"all are slow", "store.Ping", 9, 3 * time.Second, 200, api.HealthDegraded,
			"storage: slow, it answered after 3 seconds"},
		{"all hang", "store.Ping", 9, time.Hour, 503, api.HealthUnavailable, ""},
		{"a list hangs", "table.Query", 1, time.Hour, 200, api.HealthDegraded, ": slow, it answered after 2 seconds"},
		{"all lists hang", "table.Query", 99, time.Hour, 200, api.HealthDegraded,
			"rebuild: not known, no answer within 5 seconds"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var left atomic.Int64
				r := newRig(t, func(s storage.Store) storage.Store {
					return storagetest.Hooked(s, storagetest.Hooks{OnBefore: func(ctx context.Context, c storagetest.Call) error {
						if strings.HasPrefix(c.Op, tt.op) && left.Add(-1) >= 0 {
							return defaults.Pause(ctx, tt.takes)
						}
						return nil
					}})
				})
				left.Store(tt.slow)
				began := time.Now()
				w := do(t, r, "GET", "/api/health", "")
				var h api.Health
				must(t, json.Unmarshal(w.Body.Bytes(), &h))
				if w.Code != tt.status || h.Status != tt.state || !strings.Contains(strings.Join(h.Warnings, "\n"), tt.says) ||
					(tt.says == "") != (len(h.Warnings) == 0) || time.Since(began) > 6*time.Second {
					t.Errorf("%d %s after %v", w.Code, w.Body, time.Since(began))
				}
				if w.Code == http.StatusServiceUnavailable && h.Storage != "no answer within 5 seconds" {
					t.Errorf("storage: %s", h.Storage)
				}
				synctest.Wait()
			})
		})
	}
}

package handlers

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/activity"
)

// TestAZ13HealthNamesOtherIndexes checks that the health says what to set while another instance has an index of its
// own, and that the app still counts as working.
func TestAZ13HealthNamesOtherIndexes(t *testing.T) {
	r := newRig(t)
	clock := func() time.Time { return r.now }
	r.v.Indexes = activity.NewIndexes(r.store, "a", activity.IndexesOptions{Clock: clock})
	other := activity.NewIndexes(r.store, "b", activity.IndexesOptions{Clock: clock})
	health := func() (h api.Health) {
		t.Helper()
		_, err := other.Check(t.Context())
		must(t, err)
		do(t, r, "POST", "/CrawlTimer", `{"Data":{},"Metadata":{}}`)
		w := do(t, r, "GET", "/api/health", "")
		must(t, json.Unmarshal(w.Body.Bytes(), &h))
		if w.Code != http.StatusOK || h.Index != "ok" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		r.now = r.now.Add(time.Minute)
		return h
	}
	if h := health(); h.Status != api.HealthOK || len(h.Warnings) > 0 {
		t.Errorf("at first: %+v", h)
	}
	h := health()
	if h.Status != api.HealthDegraded || len(h.Warnings) != 1 || !strings.Contains(h.Warnings[0], "SEARCH_ENDPOINT") {
		t.Errorf("with another: %+v", h)
	}
}

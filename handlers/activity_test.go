package handlers

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

func (r *rig) activity() (a api.Activity) {
	r.t.Helper()
	w := do(r.t, r, "GET", "/api/activity", "")
	must(r.t, json.Unmarshal(w.Body.Bytes(), &a))
	return a
}

// TestWorkIsSeen checks that a worker's work is in the metrics at once, and in the activity after its job.
func TestWorkIsSeen(t *testing.T) {
	r := newRig(t)
	job := r.register("https://port.example/ok/one")
	do(t, r, "POST", "/CrawlWorker", binaryEnvelope(job))
	text := do(t, r, "GET", "/api/metrics", "").Body.String()
	for _, want := range []string{`tidemark_checks_total{outcome="changed"} 1`, "tidemark_changes_total 1",
		`tidemark_index_pages_total{op="put"} 1`} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("missing: %s", want)
		}
	}
	a := r.activity()
	size := int64(len(page("", "one")))
	if want := (api.ActivityCounts{Checks: 1, Changes: 1, Bytes: size, Indexed: 1}); a.Total != want ||
		len(a.Hours) != 1 || a.Hours[0].ActivityCounts != want || !a.Hours[0].Hour.Equal(r.now) {
		t.Errorf("%+v", a)
	}
}

// TestFlushThatFailsIsHarmless checks that a job succeeds when its activity cannot be written. The failure is logged,
// and the activity is written later.
func TestFlushThatFailsIsHarmless(t *testing.T) {
	down := true
	r := newRig(t, func(s storage.Store) storage.Store {
		return storagetest.Hooked(s, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
			if down && c.Op == "table.Transact" && c.Name == activity.Table {
				return fault.New(fault.Unavailable, "storage is down")
			}
			return nil
		}})
	})
	log, _ := r.told()
	if w := do(t, r, "POST", "/CrawlWorker",
		binaryEnvelope(r.register("https://port.example/ok/one"))); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if said := lines(t, log); len(said) != 1 || said[0]["msg"] != "activity not written; a later invocation will" {
		t.Errorf("%v", said)
	}
	down = false
	r.now = r.now.Add(time.Minute)
	do(t, r, "POST", "/CrawlTimer", `{"Data":{"timer":{}},"Metadata":{"sys":{}}}`)
	if a := r.activity(); a.Total.Checks != 1 {
		t.Errorf("%+v", a)
	}
}

// TestPurgeTimerTrimsActivity checks that the daily timer removes activity older than 90 days.
func TestPurgeTimerTrimsActivity(t *testing.T) {
	r := newRig(t)
	_, err := r.store.Table(activity.Table).Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: storage.Entity{
		Key: storage.Key{Partition: "2025-01-01", Row: "05|x"}, Props: storage.Properties{}}})
	must(t, err)
	do(t, r, "POST", "/PurgeTimer", `{"Data":{"timer":{}},"Metadata":{"sys":{}}}`)
	left, err := storagetest.Dump(t.Context(), r.store, activity.Table)
	if must(t, err); len(left) != 0 {
		t.Errorf("%v", left)
	}
}

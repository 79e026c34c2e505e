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
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestA19RebuildIsResumed checks that a rebuild whose message was lost is resumed by the next sweep that finds it
// stalled (A19).
func TestA19RebuildIsResumed(t *testing.T) {
	r := newRig(t)
	r.register("https://port.example/ok/one")
	w := do(t, r, "POST", "/api/RebuildIndex", `{}`)
	var run api.Rebuild
	must(t, json.Unmarshal(w.Body.Bytes(), &run))
	if w.Code != http.StatusAccepted || run.Status != api.RebuildMarking {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	q := r.store.Queue(rebuild.Queue)
	got, err := q.Receive(t.Context(), 32, time.Minute)
	must(t, err)
	for _, m := range got {
		must(t, q.Delete(t.Context(), m)) // lost
	}
	for range 3 {
		r.now = r.now.Add(time.Minute)
		if w := do(t, r, "POST", "/CrawlTimer", `{"Data":{}}`); w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		r.work()
	}
	w = do(t, r, "GET", "/api/RebuildIndex?id="+run.ID, "")
	if !strings.Contains(w.Body.String(), `"status":"done"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestRebuildWorkerFailures checks that the message of a failed step stays in the queue, and that a message that
// cannot be read is dropped.
func TestRebuildWorkerFailures(t *testing.T) {
	down := false
	r := newRig(t, func(s storage.Store) storage.Store {
		return storagetest.Hooked(s, storagetest.Hooks{OnBefore: func(context.Context, storagetest.Call) error {
			if down {
				return fault.New(fault.Unavailable, "storage is down")
			}
			return nil
		}})
	})
	do(t, r, "POST", "/api/RebuildIndex", `{}`)
	down = true
	if w := do(t, r, "POST", "/RebuildWorker",
		binaryEnvelope(
			[]byte(`{"run":"rebuild-20260301T120000Z-token","step":0}`))); w.Code != http.StatusInternalServerError {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	down = false
	for _, body := range []string{`{}`, `{"run":"nobody"}`, `{"run":"a/b"}`, `{"run":"active|x"}`, `x`, ``} {
		w := do(t, r, "POST", "/RebuildWorker", binaryEnvelope([]byte(body)))
		if isObject(t, w); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}

// TestRebuildsAreBounded checks that the number of active rebuilds is limited, even if nobody can finish them.
func TestRebuildsAreBounded(t *testing.T) {
	r := newRig(t)
	tokens := 0
	r.v.Rebuilds = rebuild.New(r.v.Store, r.v.Registry, r.v.Snapshots, rebuild.Options{Token: func() string {
		tokens++
		return strings.Repeat("x", tokens)
	}})
	for range rebuild.MaxActive {
		if w := do(t, r, "POST", "/api/RebuildIndex", `{}`); w.Code != http.StatusAccepted {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if w := do(t, r, "POST", "/api/RebuildIndex", `{}`); w.Code != http.StatusConflict {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

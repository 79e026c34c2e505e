package enrich

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// rows counts the rows of the batches of a schema.
func (r *rig) rows(schema string) (n int) {
	r.t.Helper()
	for _, err := range r.s.tables[schema].Query(r.t.Context(), storage.Query{}) {
		must(r.t, err)
		n++
	}
	return n
}

// purge removes what is old, at the next full hour.
func (r *rig) purge() int {
	r.t.Helper()
	r.now = r.now.Add(time.Hour).Truncate(time.Hour)
	n, err := r.s.Purge(r.t.Context())
	must(r.t, err)
	return n
}

// Batches that are done are kept for 30 days, with their lines; others for as long as they go on.
func TestD9Purge(t *testing.T) { onStores(t, testPurge) }

func testPurge(t *testing.T, r *rig) {
	r.End(llmtest.Expires(1))
	id := r.queue("pkm", r.put("pkm", 120)...).ID
	r.queue("pkm_test", r.put("pkm_test", 1)...)
	r.advance()
	ended := r.batch("pkm", r.batch("pkm", id).Next).EndedAt
	r.now = ended.Add(KeepDone - 2*time.Hour)
	waits := r.queue("pkm", "e0").ID
	if n := r.purge(); n != 0 {
		t.Fatalf("%d too early", n)
	}
	r.now = r.now.Add(KeepDone)
	if n := r.purge(); n != 3 || r.rows("pkm") != 3 || r.rows("pkm_test") != 0 {
		t.Errorf("purged %d, %d and %d rows left", n, r.rows("pkm"), r.rows("pkm_test"))
	}
	if b := r.batch("pkm", waits); b.State != Queued {
		t.Errorf("%+v", b)
	}
	r.advance()
	if n := r.purge(); n != 0 {
		t.Error("a batch is removed that was made long ago, but has only just ended")
	}
}

// A call removes 20 batches of a schema, and looks only in the first two minutes of an hour.
func TestD9PurgeIsBounded(t *testing.T) {
	queries := 0
	r := newRig(t, func(st storage.Store) storage.Store {
		return storagetest.Hooked(st, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
			if c.Op == "table.Query" {
				queries++
			}
			return nil
		}})
	})
	for range purgePortion + 3 {
		r.queue("pkm", "nobody")
		r.now = r.now.Add(time.Millisecond)
	}
	r.advance()
	r.now = r.now.Add(KeepDone)
	for _, want := range []int{purgePortion, 3, 0} {
		if have := r.purge(); have != want {
			t.Errorf("purged %d, want %d", have, want)
		}
	}
	queries = 0
	for range 30 { // an hour of the timer
		r.now = r.now.Add(2 * time.Minute)
		_, err := r.s.Purge(t.Context())
		must(t, err)
	}
	if queries != len(schemas) {
		t.Errorf("%d queries an hour", queries)
	}
}

// Whatever fails while batches are removed, the next call removes what is left.
func TestD9FaultsOfPurge(t *testing.T) {
	for _, after := range []bool{false, true} {
		for nth := 1; ; nth++ {
			sab := &saboteur{nth: nth, after: after}
			r := newRig(t, sab.store)
			r.queue("pkm", r.put("pkm", 101)...)
			r.queue("pkm", "nobody")
			r.advance()
			r.now = r.now.Add(KeepDone + time.Hour).Truncate(time.Hour)
			sab.armed = true
			_, err := r.s.Purge(t.Context())
			sab.armed = false
			if sab.count < nth {
				break
			}
			where := fmt.Sprintf("%s, the %dth, after %v", sab.hit, nth, after)
			if sab.hit != "" && err == nil {
				t.Errorf("%s: no error", where)
			}
			if r.purge(); r.rows("pkm") != 0 {
				t.Errorf("%s: %d rows left", where, r.rows("pkm"))
			}
		}
	}
}

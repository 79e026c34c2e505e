package enrich

import (
	"context"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// rows counts the rows of a schema's batches.
func (r *rig) rows(schema string) (n int) {
	r.Helper()
	for _, err := range r.s.batches[schema].Table.Query(r.Context(), storage.Query{}) {
		r.Must(err)
		n++
	}
	return n
}

// toHour passes that much time, rounded down to a full hour.
func (r *rig) toHour(d time.Duration) {
	now := r.Clock.Now()
	r.Clock.Pass(now.Add(d).Truncate(time.Hour).Sub(now))
}

// purge removes old batches at the next full hour.
func (r *rig) purge() int {
	r.Helper()
	r.toHour(time.Hour)
	n, err := r.s.Purge(r.Context())
	r.Must(err)
	return n
}

// TestD9Purge checks that finished batches are kept for 30 days, with their lines, and others while they are active.
func TestD9Purge(t *testing.T) { onStores(t, testPurge) }

func testPurge(t *testing.T, r *rig) {
	r.End(llmtest.Expires(1))
	id := r.queue("pkm", r.put("pkm", 120)...).ID
	r.queue("pkm_test", r.put("pkm_test", 1)...)
	r.advance()
	ended := r.batch("pkm", r.batch("pkm", id).Next).EndedAt
	r.Clock.Pass(ended.Add(keepDone - 2*time.Hour).Sub(r.Clock.Now()))
	waits := r.queue("pkm", "e0").ID
	if n := r.purge(); n != 0 {
		t.Fatalf("%d too early", n)
	}
	r.Clock.Pass(keepDone)
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

// TestD9PurgeIsBounded checks that a call removes 20 batches of a schema, and queries only in the first two minutes
// of an hour.
func TestD9PurgeIsBounded(t *testing.T) {
	queries := 0
	r := newRig(t)
	for range purgePortion + 3 {
		r.queue("pkm", "nobody")
		r.Clock.Pass(time.Millisecond)
	}
	r.advance()
	r.Clock.Pass(keepDone)
	for _, want := range []int{purgePortion, 3, 0} {
		if have := r.purge(); have != want {
			t.Errorf("purged %d, want %d", have, want)
		}
	}
	r.Hook.Set(storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
		if c.Op == "table.Query" {
			queries++
		}
		return nil
	}})
	for range 30 { // an hour of the timer
		r.Clock.Pass(2 * time.Minute)
		_, err := r.s.Purge(t.Context())
		r.Must(err)
	}
	if queries != len(schemas) {
		t.Errorf("%d queries an hour", queries)
	}
}

// TestD9FaultsOfPurge checks that the next call removes the remaining batches after any failure.
func TestD9FaultsOfPurge(t *testing.T) {
	runtest.EachFault(t, 6, 1, func(t *testing.T, f *runtest.Fault) {
		r := newRig(t)
		r.queue("pkm", r.put("pkm", 101)...)
		r.queue("pkm", "nobody")
		r.advance()
		r.toHour(keepDone + time.Hour)
		r.Hook.Set(f)
		_, err := r.s.Purge(t.Context())
		r.Hook.Set(nil)
		if (err != nil) != (f.Hit() != "") {
			t.Errorf("error %v", err)
		}
		if r.purge(); r.rows("pkm") != 0 {
			t.Errorf("%d rows left", r.rows("pkm"))
		}
	})
}

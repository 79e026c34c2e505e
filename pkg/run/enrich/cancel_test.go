package enrich

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// step fires the timer n times, a minute apart.
func (r *rig) step(n int) (failures []error) {
	for range n {
		if _, err := r.s.Advance(r.Context()); err != nil {
			failures = append(failures, err)
		}
		r.Clock.Pass(time.Minute)
	}
	return failures
}

// cancel requests the cancellation of a batch.
func (r *rig) cancel(id string) Batch {
	r.Helper()
	b, err := r.s.Cancel(r.Context(), "pkm", id)
	r.Must(err)
	return b
}

// TestD9Cancel checks that a cancelled batch ends in whatever state it was, that the answers of the service are used,
// and that none of these entries is asked about again (D9).
func TestD9Cancel(t *testing.T) { onStores(t, testCancel) }

func testCancel(t *testing.T, r *rig) {
	ids := r.put("pkm", 4)
	for _, tc := range []struct {
		name     string
		steps    int // of the timer before the cancellation
		outcomes string
		asked    int
	}{
		{"in the queue", 0, "cancelled cancelled cancelled cancelled", 0},
		{"sent", 1, "enriched enriched cancelled cancelled", 4},
		{"at work", 2, "skipped skipped enriched cancelled", 6},
	} {
		id := r.queue("pkm", ids...).ID
		r.step(tc.steps)
		first := r.cancel(id)
		r.Clock.Pass(time.Second)
		if again := r.cancel(id); first.CancelledAt.IsZero() || again.CancelledAt != first.CancelledAt {
			t.Errorf("%s: cancelled at %s, again at %s", tc.name, first.CancelledAt, again.CancelledAt)
		}
		list, err := r.s.List(t.Context(), "pkm", 1, "")
		r.Must(err)
		if b := r.batch("pkm", id); b.CancelledAt != first.CancelledAt || list[0].CancelledAt != first.CancelledAt ||
			b.State == Done {
			t.Errorf("%s: shown as %+v", tc.name, b)
		}
		if failures := r.advance(); failures != nil {
			t.Errorf("%s: %v", tc.name, failures)
		}
		b := r.batch("pkm", id)
		if have := r.outcomes("pkm", id); have != tc.outcomes || b.Cancelled != strings.Count(have, "cancelled") ||
			b.Next != "" || b.CancelledAt != first.CancelledAt {
			t.Errorf("%s: %s, %+v", tc.name, have, b)
		}
		if len(r.Asked()) != tc.asked || r.Files() != 0 {
			t.Errorf("%s: asked %d times, %d files left", tc.name, len(r.Asked()), r.Files())
		}
		r.settled(id)
		if _, err := r.s.Cancel(t.Context(), "pkm", id); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: cancelled when it is done: %v", tc.name, err)
		}
	}
	if have := r.load("pkm", "e3"); have.Status != Failed || !strings.Contains(have.Error, "cancelled") ||
		len(r.Asked()) != 6 {
		t.Errorf("an entry of a cancelled batch: %+v", have)
	}
	r.queue("pkm", ids...)
	if r.advance(); r.load("pkm", "e3").Status != Enriched {
		t.Error("what was cancelled is not asked about in another batch")
	}
}

// TestD9CancelledBeforeItWasSent checks that a batch that was never sent leaves its entries as they were (D9).
func TestD9CancelledBeforeItWasSent(t *testing.T) {
	r := newRig(t)
	id := r.queue("pkm", r.put("pkm", 2)...).ID
	writes := r.entries.Writes()
	r.cancel(id)
	r.advance()
	if have := r.load("pkm", "e0"); have.Status != "" || have.Batch != "" || r.entries.Writes() != writes ||
		r.Requests() != 0 {
		t.Errorf("%+v, %d writes, %d requests", have, r.entries.Writes()-writes, r.Requests())
	}
}

// TestD9CancelOfALaterAttempt checks that the next attempt of a batch can be cancelled, at once while it waits, and
// that the first batch names it (D9).
func TestD9CancelOfALaterAttempt(t *testing.T) {
	r := newRig(t)
	r.End(llmtest.Fails("token_limit_exceeded"))
	id := r.queue("pkm", r.put("pkm", 2)...).ID
	r.step(3)
	next := r.batch("pkm", id).Next
	if _, err := r.s.Cancel(t.Context(), "pkm", id); !fault.Is(err, fault.Conflict) || next == "" ||
		!strings.Contains(err.Error(), next) {
		t.Fatalf("next %q: %v", next, err)
	}
	r.cancel(next)
	r.step(1)
	if b := r.batch("pkm", next); b.State != Done || b.Cancelled != 2 || r.load("pkm", "e1").Status != Failed {
		t.Errorf("%+v", b)
	}
	for _, id := range []string{"x", "t1-x"} {
		if _, err := r.s.Cancel(t.Context(), "pkm", id); err == nil {
			t.Errorf("%s is cancelled", id)
		}
	}
}

// TestD9ServiceDoesNotCancel checks that the results of a service that cannot cancel are used, and that it is asked
// only once (D9).
func TestD9ServiceDoesNotCancel(t *testing.T) {
	for _, status := range []int{400, 404, 405, 403} {
		r := newRig(t)
		id := r.queue("pkm", r.put("pkm", 2)...).ID
		r.step(1)
		r.cancel(id)
		r.Break(llmtest.Status(status, ""))
		r.step(1)
		if b := r.batch("pkm", id); !strings.Contains(b.Message, "not cancelled") {
			t.Errorf("%d: %+v", status, b)
		}
		r.advance()
		if b := r.batch("pkm", id); b.Enriched != 2 || strings.Count(r.log.String(), "route=/batches/{id}/cancel") != 1 {
			t.Errorf("%d: %+v\n%s", status, b, r.log.String())
		}
	}
}

// TestD9CancelledWhileItIsSent checks that a batch that the service received, but whose row does not say so, is found
// there and cancelled (D9).
func TestD9CancelledWhileItIsSent(t *testing.T) {
	lost, r := false, newRig(t)
	r.Hook.Set(storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
		if c.Op == "table.Transact" && !lost && c.Ops[0].Entity.Props["state"] == string(Running) {
			lost = true
			return fault.New(fault.Unavailable, "the process died")
		}
		return nil
	}})
	id := r.queue("pkm", r.put("pkm", 4)...).ID
	r.step(1)
	r.cancel(id)
	r.advance()
	if b := r.batch("pkm", id); !lost || b.Enriched != 2 || b.Cancelled != 2 || r.Batches() != 1 || r.Files() != 0 {
		t.Errorf("%+v, %d batches, %d files", b, r.Batches(), r.Files())
	}
}

// TestD9CancelledWhileItEnds checks that a batch that is cancelled at the moment it ends has no next attempt (D9).
func TestD9CancelledWhileItEnds(t *testing.T) {
	r := newRig(t)
	r.End(llmtest.Expires(1))
	id := r.queue("pkm", r.put("pkm", 3)...).ID
	armed := true
	r.Hook.Set(storagetest.Hooks{OnBefore: func(ctx context.Context, c storagetest.Call) error {
		if armed && c.Op == "table.Transact" && len(c.Ops) == 4 {
			armed = false
			_, err := r.s.Cancel(ctx, "pkm", id)
			return err
		}
		return nil
	}})
	r.advance()
	b := r.batch("pkm", id)
	if armed || b.Next != "" || b.Enriched != 1 || b.Cancelled != 2 || b.Again != 0 {
		t.Errorf("%+v", b)
	}
	r.settled(id)
	r.toHour(keepDone + time.Hour)
	if removed, err := r.s.Purge(t.Context()); err != nil || removed != 1 {
		t.Errorf("purged %d: %v", removed, err)
	}
	if rows := r.rows("pkm"); rows != 0 {
		t.Errorf("%d rows are left", rows)
	}
}

// TestD9FaultsOfCancel checks that a batch that is cancelled at any step ends, leaves no entry waiting and is sent at
// most once when any single operation fails (D9).
func TestD9FaultsOfCancel(t *testing.T) {
	for steps := range 4 {
		for _, end := range []llmtest.Outcome{nil, llmtest.Expires(1)} {
			runtest.EachFault(t, 10, 1, func(t *testing.T, f *runtest.Fault) {
				r := newRig(t)
				r.End(end)
				id := r.queue("pkm", r.put("pkm", 4)...).ID
				r.Hook.Set(f)
				r.step(steps)
				_, err := r.s.Cancel(t.Context(), "pkm", id)
				if err != nil && !fault.Is(err, fault.Conflict) {
					_, err = r.s.Cancel(t.Context(), "pkm", id)
				}
				if err != nil && !fault.Is(err, fault.Conflict) {
					t.Errorf("cancelled again: %v", err)
				}
				r.advance()
				r.Hook.Set(nil)
				if b := r.batch("pkm", id); b.State != Done || b.Enriched+b.Cancelled+b.Again != 4 || b.Again > 0 && err == nil ||
					r.Batches() > 1 && err == nil {
					t.Errorf("cancelled after %d steps: %+v, %d batches", steps, b, r.Batches())
				}
				r.settled(id)
			})
		}
	}
}

// TestD9FaultsOfTheServiceWhileCancelled checks that a failed request to the service is retried during a
// cancellation, and that nothing is lost (D9).
func TestD9FaultsOfTheServiceWhileCancelled(t *testing.T) {
	drop := func(w http.ResponseWriter, a *llmtest.Answer) bool { return llmtest.Cut(w, a) }
	for name, f := range map[string]llmtest.Fault{"500": llmtest.Status(500, ""), "429": llmtest.Status(429, "3600"),
		"cut off": drop} {
		for _, after := range []bool{false, true} {
			for nth := range 6 {
				r := newRig(t)
				id := r.queue("pkm", r.put("pkm", 4)...).ID
				r.step(2)
				r.FailAfter = after
				r.Break(make([]llmtest.Fault, nth)...)
				r.Break(f, f, f, f)
				r.cancel(id)
				r.advance()
				if b := r.batch("pkm", id); b.Enriched != 2 || b.Cancelled != 2 || r.Batches() != 1 {
					t.Errorf("%s at request %d, after %v: %+v, %d batches", name, nth, after, b, r.Batches())
				}
				r.settled(id)
			}
		}
	}
}

package enrich

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// TestD9FaultsOfEveryStep checks that every entry gets its outcome, that no answered entry is asked about again, and
// that no batch is sent twice when any single operation fails, before or after it took effect (D9).
func TestD9FaultsOfEveryStep(t *testing.T) {
	for _, tc := range []struct {
		name    string
		end     llmtest.Outcome
		batches int
		asked   map[string]int
	}{
		{"as it should", nil, 1, map[string]int{"noon 0": 1, "noon 1": 1, "noon 2": 1, "noon 3": 1}},
		{"in two", llmtest.AtOnce(llmtest.Expires(2), llmtest.LineTwice(0)), 2, map[string]int{"noon 0": 1, "noon 1": 1,
			"noon 2": 2, "noon 3": 2}},
	} {
		runtest.EachFault(t, 20, 1, func(t *testing.T, f *runtest.Fault) {
			r := newRig(t)
			r.End(tc.end)
			ids := r.put("pkm", 4)
			id := r.queue("pkm", ids...).ID
			r.Hook.Set(f)
			failures := r.advance()
			r.Hook.Set(nil)
			if len(failures) != min(1, f.Nth) {
				t.Errorf("%s: failures %v", tc.name, failures)
			}
			if have := r.settled(id); have != len(ids) || r.Batches() != tc.batches {
				t.Errorf("%s: %d enriched, in %d batches at the service", tc.name, have, r.Batches())
			}
			for words, want := range tc.asked {
				if have := r.asked(words); have != want {
					t.Errorf("%s: asked %d times about %s, want %d", tc.name, have, words, want)
				}
			}
		})
	}
}

// TestD9FaultsOfSchedule checks that a failed request to queue a batch leaves no batch, or one with all of its lines
// (D9).
func TestD9FaultsOfSchedule(t *testing.T) {
	runtest.EachFault(t, 3, 1, func(t *testing.T, f *runtest.Fault) {
		r := newRig(t)
		ids := r.put("pkm", 3)
		r.Hook.Set(f)
		_, err := r.s.Schedule(t.Context(), "pkm", ids)
		r.Hook.Set(nil)
		if (err != nil) != (f.Nth > 0) {
			t.Errorf("error %v", err)
		}
		if failures := r.advance(); failures != nil {
			t.Error(failures)
		}
		list, err := r.s.List(t.Context(), "pkm", 1, "")
		r.Must(err)
		for _, b := range list {
			if b.Enriched != 3 {
				t.Errorf("%+v", b)
			}
		}
	})
}

// TestD9FaultsOfTheService checks that a request to the service that fails, permanently or after it took effect,
// delays no other batch and doubles nothing (D9).
func TestD9FaultsOfTheService(t *testing.T) {
	drop := func(w http.ResponseWriter, a *llmtest.Answer) bool { return llmtest.Cut(w, a) }
	for name, f := range map[string]llmtest.Fault{"500": llmtest.Status(500, ""), "503 with a pause": llmtest.Status(503,
		"3600"), "cut off": drop} {
		for _, after := range []bool{false, true} {
			for nth := range 10 {
				r := newRig(t)
				r.FailAfter = after
				r.Break(make([]llmtest.Fault, nth)...)
				r.Break(f, f, f, f)
				id := r.queue("pkm", r.put("pkm", 2)...).ID
				failures := r.advance()
				r.settled(id)
				if r.Batches() != 1 || len(r.Asked()) != 2 {
					t.Errorf("%s at request %d, after %v: %d batches, %d questions; %v", name, nth, after, r.Batches(), len(r.Asked()),
						failures)
				}
			}
		}
	}
}

// TestD9Race checks that several processes working on the same batches do nothing twice (D9).
func TestD9Race(t *testing.T) { onStores(t, testRace) }

func testRace(t *testing.T, r *rig) {
	var ids []string
	for range 3 {
		ids = append(ids, r.queue("pkm", r.put("pkm", 20)...).ID)
		r.Clock.Pass(1e6)
	}
	for range 10 {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := r.s.Advance(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	if failures := r.advance(); failures != nil {
		t.Fatal(failures)
	}
	for _, id := range ids {
		r.settled(id)
	}
	if have := strings.Count(r.log.String(), "route=/files/{id}/content"); have != r.Batches() {
		t.Errorf("the results of %d batches are read %d times", r.Batches(), have)
	}
	if len(r.Asked()) != 20 {
		t.Errorf("%d questions, asked more than once: %s", len(r.Asked()), strings.Join(r.Asked(), "\n"))
	}
}

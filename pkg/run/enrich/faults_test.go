package enrich

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// saboteur makes the nth operation of the store, or of the entries, fail before or after it took effect.
type saboteur struct {
	mu    sync.Mutex
	armed bool
	nth   int // from 1
	after bool
	count int
	hit   string
}

func (s *saboteur) before(op string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.armed {
		return nil
	}
	if s.count++; s.count == s.nth && !s.after {
		s.hit = op
		return fault.New(fault.Unavailable, "sabotaged")
	}
	return nil
}

func (s *saboteur) behind(op string, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.armed && s.count == s.nth && s.after && s.hit == "" {
		s.hit = op
		return fault.New(fault.Unavailable, "sabotaged")
	}
	return err
}

func (s *saboteur) store(st storage.Store) storage.Store {
	return storagetest.Hooked(st, storagetest.Hooks{
		OnBefore: func(_ context.Context, c storagetest.Call) error { return s.before(c.Op) },
		OnAfter:  func(_ context.Context, c storagetest.Call, err error) error { return s.behind(c.Op, err) },
	})
}

func (s *saboteur) hook(op string, after bool) error {
	if after {
		return s.behind("entries."+op, nil)
	}
	return s.before("entries." + op)
}

// D9: whatever fails, once and at whatever operation, before or after it took effect: every entry gets
// its outcome, none is asked about that has its answer, and the service is never given a batch twice.
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
		operations := 0
		for _, after := range []bool{false, true} {
			for nth := 1; ; nth++ {
				sab := &saboteur{nth: nth, after: after}
				r := newRig(t, sab.store)
				r.entries.Hook = sab.hook
				r.End(tc.end)
				ids := r.put("pkm", 4)
				id := r.queue("pkm", ids...).ID
				sab.armed = true
				failures := r.advance()
				sab.armed = false
				if sab.count < nth {
					operations = nth - 1
					break
				}
				if sab.hit == "" {
					continue // a read, which has no effect
				}
				where := fmt.Sprintf("%s: %s, the %dth, after %v", tc.name, sab.hit, nth, after)
				if len(failures) != 1 {
					t.Errorf("%s: failures %v", where, failures)
				}
				if have := r.settled(id); have != len(ids) || r.Batches() != tc.batches {
					t.Errorf("%s: %d enriched, in %d batches at the service", where, have, r.Batches())
				}
				for words, want := range tc.asked {
					if have := r.asked(words); have != want {
						t.Errorf("%s: asked %d times about %s, want %d", where, have, words, want)
					}
				}
			}
		}
		if operations < 20 {
			t.Errorf("%s: only %d operations", tc.name, operations)
		}
	}
}

// D9: a request to queue a batch that failed has no batch, or one with all of its lines.
func TestD9FaultsOfSchedule(t *testing.T) {
	for _, after := range []bool{false, true} {
		for nth := 1; ; nth++ {
			sab := &saboteur{nth: nth, after: after, armed: true}
			r := newRig(t, func(st storage.Store) storage.Store { sab.armed = false; return sab.store(st) })
			ids := r.put("pkm", 3)
			sab.armed = true
			_, err := r.s.Schedule(t.Context(), "pkm", ids)
			sab.armed = false
			if sab.count < nth {
				break
			}
			if err == nil {
				t.Errorf("%s, after %v: no error", sab.hit, after)
			}
			if failures := r.advance(); failures != nil {
				t.Errorf("%s, after %v: %v", sab.hit, after, failures)
			}
			list, err := r.s.List(t.Context(), "pkm", 1, "")
			must(t, err)
			for _, b := range list {
				if b.Enriched != 3 {
					t.Errorf("%s, after %v: %+v", sab.hit, after, b)
				}
			}
		}
	}
}

// D9: a request of the service that fails, for ever or after it had its effect, delays and doubles
// nothing.
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

// D9: several processes at the same batches do nothing twice.
func TestD9Race(t *testing.T) { onStores(t, testRace) }

func testRace(t *testing.T, r *rig) {
	var ids []string
	for range 3 {
		ids = append(ids, r.queue("pkm", r.put("pkm", 20)...).ID)
		r.now = r.now.Add(1e6)
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

package entries

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/soaktest"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"golang.org/x/sync/errgroup"
)

// TestD4Races checks that concurrent inserts of the same entry, from two processes, leave one row (D4).
func TestD4Races(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		racers := 100
		if strings.HasSuffix(t.Name(), "azurite") {
			racers = soaktest.Count(25, racers) // which costs it much, and there only the store makes a difference
		}
		processes := []*Store{r.Store, r.another()}
		for _, tt := range []struct {
			policy    string
			secondary func(i int) string
			primary   func(i int) string
		}{
			{entry.TelegramLink, func(int) string { return "s" }, func(int) string { return "p" }},
			{entry.TelegramThought, func(i int) string { return fmt.Sprint("s", i%3) }, func(int) string { return "p" }},
			{entry.EmailNewsletter, func(int) string { return "s" }, func(i int) string { return fmt.Sprint("p", i) }},
		} {
			var mu sync.Mutex
			actions, ids := map[Action]int{}, map[string]bool{}
			var g errgroup.Group
			for i := range racers {
				g.Go(func() error {
					f := keyed(tt.policy, tt.primary(i), tt.secondary(i), entry.Fields{"title": fmt.Sprint(i)})
					if tt.policy == entry.EmailNewsletter {
						f["source"] = "email"
					}
					res, err := processes[i%2].In(Production).Insert(t.Context(), f)
					mu.Lock()
					defer mu.Unlock()
					actions[res.Action]++
					ids[res.Entry.Text("id")] = true
					return err
				})
			}
			must(t, g.Wait())
			if actions[Inserted] != 1 || len(ids) != 1 || actions[Skipped]+actions[Updated] != racers-1 {
				t.Errorf("%s: %v, %d ids", tt.policy, actions, len(ids))
			}
		}
		if rows := r.rows(); len(rows) != 3 {
			t.Errorf("%d rows", len(rows))
		}
	})
}

// TestD4KeysThatMove checks that every key has one entry after inserts and updates that take each other's keys (D4).
func TestD4KeysThatMove(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		processes := []*Store{r.Store, r.another()}
		var ids []string
		for i := range 4 {
			ids = append(ids, r.inserted(keyed(entry.TelegramThought, fmt.Sprint("p", i), fmt.Sprint("s", i),
				nil)).Entry.Text("id"))
		}
		var g errgroup.Group
		for worker := range 8 {
			g.Go(func() error {
				rng := rand.New(rand.NewPCG(1, uint64(worker)))
				key := func(which string) string { return fmt.Sprint(which, rng.IntN(8)) }
				for range 25 {
					s := processes[worker%2].In(Production)
					var err error
					if rng.IntN(2) == 0 {
						var res Result
						primary := key("p")
						res, err = s.Insert(t.Context(), keyed(entry.TelegramThought, primary, key("s"), entry.Fields{"title": key("t")}))
						if err == nil && res.Entry.Text("idempotency_key_primary") != primary {
							return fmt.Errorf("%s is answered as %s %v", primary, res.Action, res.Entry)
						}
					} else {
						_, err = s.Update(t.Context(), entry.Fields{"id": ids[rng.IntN(4)], "idempotency_key_primary": key("p"),
							"idempotency_key_secondary": key("s")})
					}
					if err != nil && !fault.Is(err, fault.Conflict) {
						return err
					}
				}
				return nil
			})
		}
		must(t, g.Wait())
		if rows := r.rows(); len(rows) < 4 || len(rows) > 8 {
			t.Errorf("%d rows for 8 keys", len(rows))
		}
	})
}

// TestD6InsertAs checks that a repeated insert under a name gives the same result, whatever happened to the entry and
// its keys, and that an insert under another name finds the existing entry (D6).
func TestD6InsertAs(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		s := r.In(Production)
		as := func(name, primary, title string) Result {
			t.Helper()
			res, err := s.insertNamed(t.Context(), name, keyed(entry.TelegramThought, primary, "", entry.Fields{"title": title}))
			must(t, err)
			return res
		}
		one := as("a", "tg:1", "one")
		if res := as("b", "tg:1", "two"); res.Action != Updated || res.Entry.Text("id") != one.Entry.Text("id") {
			t.Errorf("another name: %s %v", res.Action, res.Entry)
		}
		if res := as("a", "tg:1", "one"); res.Action != Inserted || res.Entry.Text("id") != one.Entry.Text("id") ||
			res.Entry.Text("title") != "two" {
			t.Errorf("again: %s %v", res.Action, res.Entry)
		}
		_, err := s.Update(t.Context(), entry.Fields{"id": one.Entry.Text("id"), "idempotency_key_primary": "tg:2"})
		must(t, err)
		if res := as("a", "tg:1", "one"); res.Action != Inserted || res.Entry.Text("id") != one.Entry.Text("id") {
			t.Errorf("again, with other keys: %s %v", res.Action, res.Entry)
		}
		if rows := r.rows(); len(rows) != 1 {
			t.Errorf("%d rows", len(rows))
		}
	})
}

// TestD3Faults checks that an insert or update that fails before or after any of its operations, and is repeated,
// ends like one without failures, and that the kind of the error tells callers to repeat it (D3).
func TestD3Faults(t *testing.T) {
	thought := keyed(entry.TelegramThought, "p", "s2", entry.Fields{"title": "2", "metadata": map[string]any{"b": "2"}})
	for _, tt := range []struct {
		name string
		do   func(s *Session, id string) (Result, error)
	}{
		{"insert", func(s *Session, _ string) (Result, error) {
			return s.Insert(context.Background(), keyed(entry.TelegramThought, "new", "new", nil))
		}},
		{"insert under a name", func(s *Session, _ string) (Result, error) {
			res, err := s.insertNamed(context.Background(), "import 1", keyed(entry.TelegramLink, "new", "new", nil))
			if err == nil && res.Action != Inserted {
				err = fmt.Errorf("the action is %s", res.Action)
			}
			return res, err
		}},
		{"skip", func(s *Session, _ string) (Result, error) {
			return s.Insert(context.Background(), keyed(entry.TelegramLink, "p", "other", nil))
		}},
		{"update by key", func(s *Session, _ string) (Result, error) { return s.Insert(context.Background(), thought) }},
		{"conflicting keys", func(s *Session, _ string) (Result, error) {
			return s.Insert(context.Background(), keyed(entry.TelegramThought, "p", "q", nil))
		}},
		{"update by id", func(s *Session, id string) (Result, error) {
			return s.Update(context.Background(), entry.Fields{"id": id, "idempotency_key_primary": "moved",
				"idempotency_key_secondary": "moved"})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var want string
			steps := 0
			for nth, after := 0, false; nth <= steps; nth, after = nth+btoi(after), !after {
				r := newRig(t, openMem)
				r.inserted(keyed(entry.TelegramLink, "p", "s", nil))
				r.inserted(keyed(entry.TelegramThought, "other", "q", nil))
				id := r.inserted(keyed(entry.TelegramThought, "p", "s",
					entry.Fields{"title": "1", "metadata": map[string]any{"a": "1"}})).Entry.Text("id")
				count := 0
				r.hook = failing(nth, after, &count)
				_, err := tt.do(r.In(Production), id)
				if nth > 0 && !fault.Is(err, fault.Unavailable) {
					t.Errorf("fault %d (after: %v): %v", nth, after, err)
				}
				r.hook = storagetest.Hooks{}
				if nth == 0 {
					steps = count
				} else if _, err := tt.do(r.In(Production), id); err != nil {
					t.Errorf("fault %d (after: %v), repeated: %v", nth, after, err)
				}
				if have := r.outcome(); want == "" {
					want = have
				} else if diff := cmp.Diff(want, have); diff != "" {
					t.Errorf("fault %d (after: %v) (-want +have):\n%s", nth, after, diff)
				}
			}
			if steps < 2 {
				t.Errorf("only %d operations were disturbed", steps)
			}
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// failing fails the nth operation, before or after it took effect; 0 fails none.
func failing(nth int, after bool, count *int) storagetest.Hooks {
	sabotaged := fault.New(fault.Unavailable, "sabotaged")
	return storagetest.Hooks{
		OnBefore: func(context.Context, storagetest.Call) error {
			if *count++; *count == nth && !after {
				return sabotaged
			}
			return nil
		},
		OnAfter: func(_ context.Context, _ storagetest.Call, err error) error {
			if *count == nth && after {
				return sabotaged
			}
			return err
		},
	}
}

// outcome is the stored state, without random names.
func (r *rig) outcome() string {
	r.Helper()
	var lines []string
	for _, f := range r.rows() {
		delete(f, "id")
		delete(f, "entry_id")
		lines = append(lines, asJSON(r.T, f))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestD3GivesUp checks that a caller that loses race after race is told to wait (D3).
func TestD3GivesUp(t *testing.T) {
	r := newRig(t, openMem)
	r.hook.OnBefore = func(_ context.Context, c storagetest.Call) error {
		if c.Op == "table.Transact" {
			return &storage.OpError{Index: 0, Err: fault.New(fault.Conflict, "raced")}
		}
		return nil
	}
	s := New(storagetest.Hooked(r.under, r), Options{Sleep: func(context.Context, time.Duration) error { return nil }})
	_, err := s.In(Production).Insert(t.Context(), keyed(entry.TelegramThought, "p", "", nil))
	if !fault.Is(err, fault.Throttled) || fault.RetryAfter(err) == 0 {
		t.Errorf("have %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.In(Production).Insert(ended, keyed(entry.TelegramThought, "p", "", nil)); !fault.Is(err,
		fault.Unavailable) ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
}

// TestD3DamagedRows checks that damaged rows are not overwritten (D3).
func TestD3DamagedRows(t *testing.T) {
	r := newRig(t, openMem)
	id := r.inserted(keyed(entry.TelegramThought, "p", "",
		entry.Fields{"metadata": map[string]any{"a": "1"}})).Entry.Text("id")
	key, err := keyOf(id)
	must(t, err)
	_, err = r.under.Table("Entries").Transact(t.Context(), storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: key, ETag: storage.AnyETag, Props: storage.Properties{"metadata": "{"},
	}})
	must(t, err)
	if _, err := r.In(Production).Update(t.Context(), entry.Fields{"id": id, "title": "x"}); !fault.Is(err,
		fault.Internal) {
		t.Errorf("have %v", err)
	}
}

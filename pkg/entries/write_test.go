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
	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestD3FailClosed: entries of Telegram and mail need an identity, and nothing is stored without.
func TestD3FailClosed(t *testing.T) {
	r := newRig(t, openMem)
	for _, tt := range []struct {
		name  string
		f     Fields
		field string
	}{
		{"telegram without anything", Fields{"source": "telegram"}, "idempotency_policy_key"},
		{"email without anything", Fields{"source": "email"}, "idempotency_policy_key"},
		{"email-batch without anything", Fields{"source": "email-batch"}, "idempotency_policy_key"},
		{"a policy without keys", keyed(TelegramThought, "", "", nil), "idempotency_key_primary"},
		{"keys without a policy", keyed("", "a", "b", nil), "idempotency_policy_key"},
		{"keys without a policy, of a source that needs none", keyed("", "a", "", Fields{"source": "webpage"}), "idempotency_policy_key"},
		{"a policy that there is not", keyed("telegram_thought_v2", "a", "", nil), "idempotency_policy_key"},
		{"a policy that no key can name", keyed("a/b", "a", "", nil), "idempotency_policy_key"},
		{"a policy for another source", keyed(EmailThread, "a", "", nil), "source"},
		{"no source", Fields{"title": "x"}, "source"},
		{"an unknown column", keyed(TelegramThought, "a", "", Fields{"colour": "red"}), "colour"},
		{"a wrong type", keyed(TelegramThought, "a", "", Fields{"title": int64(1)}), "title"},
		{"a negative count", keyed(TelegramThought, "a", "", Fields{"link_count": int64(-1)}), "link_count"},
		{"a ratio above 1", keyed(TelegramThought, "a", "", Fields{"link_ratio": 1.1}), "link_ratio"},
		{"a long key", keyed(TelegramThought, strings.Repeat("a", maxKey+1), "", nil), "idempotency_key_primary"},
		{"a long text", keyed(TelegramThought, "a", "", Fields{"clean_text": strings.Repeat("a", maxLong+1)}), "clean_text"},
		{"large metadata", keyed(TelegramThought, "a", "", Fields{"metadata": map[string]any{"a": strings.Repeat("a", maxMetadata)}}), "metadata"},
		{"deep metadata", keyed(TelegramThought, "a", "", Fields{"metadata": nest(maxNested + 1)}), "metadata"},
		{"metadata that is no object", keyed(TelegramThought, "a", "", Fields{"metadata": "a"}), "metadata"},
	} {
		_, err := r.insert(tt.f)
		if fault.FieldOf(err) != tt.field || !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, want an error that blames %s", tt.name, err, tt.field)
		}
	}
	if rows := r.rows(); len(rows) != 0 {
		t.Errorf("%d rows", len(rows))
	}
	for range 2 {
		if res := r.inserted(Fields{"source": "webpage", "title": "x"}); res.Action != Inserted {
			t.Errorf("a page without identity: %s", res.Action)
		}
	}
	if res := r.inserted(keyed(EmailThread, "a", "", Fields{"source": "email-batch"})); res.Action != Inserted || len(r.rows()) != 3 {
		t.Errorf("a mail of a batch: %s", res.Action)
	}
}

func nest(n int) map[string]any {
	m := map[string]any{"a": 1}
	for range n - 1 {
		m = map[string]any{"a": m}
	}
	return m
}

// TestD3Actions: what a policy says happens, and every kind of column comes back.
func TestD3Actions(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		long := strings.Repeat("Ebbe für alle. ", 8000)
		first := keyed(TelegramThought, "tg:1:2", "s1", Fields{
			"title": "one", "clean_text": long, "capture_text": "short", "link_count": int64(3), "link_ratio": 1.0, "quality_score": 0.25, "low_signal": true,
			"extraction_incomplete": false, "metadata": map[string]any{"a": map[string]any{"x": "1", "y": []any{"1"}}, "b": nil}, "author": nil, "content_type": "",
			"id": "mine", "entry_id": "mine", "created_at": "never",
		})
		one := r.inserted(first)
		id := one.Entry.Text("entry_id")
		if one.Action != Inserted || one.Entry.Text("id") != id || !idPattern.MatchString(id) || one.Entry.Text("created_at") != "2026-03-01T12:00:00.000Z" {
			t.Fatalf("%s %v", one.Action, one.Entry)
		}
		stored, err := r.In(Production).Get(t.Context(), id)
		must(t, err)
		if diff := cmp.Diff(asJSON(t, one.Entry), asJSON(t, stored)); diff != "" {
			t.Errorf("stored (-answered +stored):\n%s", diff)
		}
		r.now = r.now.Add(time.Hour)
		two := r.inserted(keyed(TelegramThought, "tg:1:2", "s2", Fields{
			"title": "two", "created_at": "never", "metadata": map[string]any{"a": map[string]any{"y": "2", "z": "3"}}, "link_ratio": nil,
		}))
		e := two.Entry
		if two.Action != Updated || e.Text("id") != id || e.Text("title") != "two" || e.Text("clean_text") != long || e["link_ratio"] != nil ||
			e.Text("created_at") != "2026-03-01T12:00:00.000Z" || e.Text("updated_at") != "2026-03-01T13:00:00.000Z" {
			t.Errorf("%s %.300v", two.Action, e)
		}
		if have, want := asJSON(t, e["metadata"]), `{"a":{"x":"1","y":"2","z":"3"},"b":null}`; have != want {
			t.Errorf("metadata %s, want %s", have, want)
		}
		if by := r.inserted(keyed(TelegramThought, "tg:9:9", "s2", nil)); by.Action != Updated || by.Entry.Text("id") != id || by.Entry.Text("idempotency_key_primary") != "tg:9:9" {
			t.Errorf("by the secondary key: %s %.300v", by.Action, by.Entry)
		}
		if rows := r.rows(); len(rows) != 1 {
			t.Errorf("%d rows", len(rows))
		}

		link := r.inserted(keyed(TelegramLink, "https://a.example/", "h", Fields{"title": "one"}))
		for _, again := range []Fields{
			keyed(TelegramLink, "https://a.example/", "h", Fields{"title": "two"}), keyed(TelegramLink, "https://a.example/", "", nil), keyed(TelegramLink, "", "h", nil),
			keyed(TelegramLink, "https://b.example/", "h", nil),
		} {
			if res := r.inserted(again); res.Action != Skipped || asJSON(t, res.Entry) != asJSON(t, link.Entry) {
				t.Errorf("%s %v", res.Action, res.Entry)
			}
		}
		if rows := r.rows(); len(rows) != 2 {
			t.Errorf("%d rows", len(rows))
		}
	})
}

// TestD3UnchangedIsNotWritten: what comes again as it stands costs no write.
func TestD3UnchangedIsNotWritten(t *testing.T) {
	r := newRig(t, openMem)
	f := keyed(TelegramThought, "a", "s", Fields{"title": "x", "metadata": map[string]any{"n": 1}})
	r.inserted(f)
	writes := 0
	r.hook.OnAfter = func(_ context.Context, c storagetest.Call, err error) error {
		if c.Op == "table.Transact" && err == nil {
			writes++
		}
		return err
	}
	if res := r.inserted(f); res.Action != Updated || writes != 0 {
		t.Errorf("%s with %d writes", res.Action, writes)
	}
}

// TestD3UpdateFields: a policy may let only some columns change, and never those that are immutable.
func TestD3UpdateFields(t *testing.T) {
	r := newRig(t, openMem)
	s := r.In(Production)
	save(t, s, Policy{Key: TelegramThought, Source: "telegram", OnConflict: Change, Enabled: true, UpdateFields: []string{"title", "id", "created_at"}})
	one := r.inserted(keyed(TelegramThought, "a", "s", Fields{"title": "1", "author": "1", "metadata": map[string]any{"n": "1"}}))
	two := r.inserted(keyed(TelegramThought, "a", "t", Fields{"title": "2", "author": "2", "id": "x", "created_at": "y", "metadata": map[string]any{"n": "2"}}))
	want := Fields{}
	want.add(one.Entry)
	want["title"] = "2"
	if diff := cmp.Diff(asJSON(t, want), asJSON(t, two.Entry)); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	save(t, s, Policy{Key: TelegramThought, Source: "telegram", OnConflict: Change, Enabled: true, UpdateFields: []string{}})
	if res := r.inserted(keyed(TelegramThought, "a", "", Fields{"title": "3"})); res.Action != Updated || res.Entry.Text("title") != "2" {
		t.Errorf("an empty list allows %s %v", res.Action, res.Entry)
	}
	r.rows()
}

// TestD3ConflictingKeys: the primary key decides, whatever the order, and it is reported.
func TestD3ConflictingKeys(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		for _, policy := range []string{TelegramThought, TelegramLink} {
			one := r.inserted(keyed(policy, "p1", "s1", Fields{"title": "1"})).Entry.Text("id")
			two := r.inserted(keyed(policy, "p2", "s2", Fields{"title": "2"})).Entry.Text("id")
			res := r.inserted(keyed(policy, "p1", "s2", Fields{"title": "3"}))
			if diff := cmp.Diff(&Conflict{PrimaryID: one, SecondaryID: two}, res.Conflict); diff != "" || res.Entry.Text("id") != one {
				t.Errorf("%s: %s (-want +have):\n%s", policy, res.Action, diff)
			}
			want := Keys{policy, "p1", ""}
			if policy == TelegramLink {
				want.Secondary = "s1"
			}
			if have := keysOf(res.Entry); have != want {
				t.Errorf("keys %+v, want %+v", have, want)
			}
		}
		if rows := r.rows(); len(rows) != 4 {
			t.Errorf("%d rows", len(rows))
		}
		if res := r.inserted(keyed(TelegramThought, "p3", "s1", nil)); res.Action != Inserted {
			t.Errorf("the key that was given up: %s", res.Action)
		}
	})
}

// TestD3Update: columns, metadata and keys of an entry by its id.
func TestD3Update(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		s := r.In(Production)
		one := r.inserted(keyed(TelegramThought, "p1", "s1", Fields{"title": "1", "clean_text": "text", "metadata": map[string]any{"a": map[string]any{"x": "1"}}})).Entry
		two := r.inserted(keyed(TelegramThought, "p2", "s2", nil)).Entry
		page := r.inserted(Fields{"source": "webpage"}).Entry
		id := one.Text("id")
		for _, tt := range []struct {
			name  string
			in    Fields
			kind  fault.Kind
			field string
		}{
			{"no id", Fields{"title": "x"}, fault.Invalid, "entry_id"},
			{"two ids", Fields{"id": id, "entry_id": two.Text("id")}, fault.Invalid, "id"},
			{"an unknown id", Fields{"id": makeID(TelegramThought, strings.Repeat("a", 26))}, fault.NotFound, ""},
			{"what is no id", Fields{"id": "e|../x"}, fault.NotFound, ""},
			{"a key row for an id", Fields{"id": "entry_telegram_thought_v1-" + digest("p1")[:26]}, fault.NotFound, ""},
			{"another policy", Fields{"id": id, "idempotency_policy_key": TelegramLink}, fault.Invalid, "idempotency_policy_key"},
			{"a policy for an entry without", Fields{"id": page.Text("id"), "idempotency_policy_key": TelegramThought}, fault.Invalid, "idempotency_policy_key"},
			{"keys for an entry without a policy", Fields{"id": page.Text("id"), "idempotency_key_primary": "x"}, fault.Invalid, "idempotency_policy_key"},
			{"a source that needs an identity", Fields{"id": page.Text("id"), "source": "email"}, fault.Invalid, "idempotency_policy_key"},
			{"a primary key of another", Fields{"id": id, "idempotency_key_primary": "p2"}, fault.Conflict, ""},
			{"a secondary key of another", Fields{"id": id, "idempotency_key_secondary": "s2"}, fault.Conflict, ""},
			{"an unknown column", Fields{"id": id, "colour": "red"}, fault.Invalid, "colour"},
		} {
			_, err := s.Update(t.Context(), tt.in)
			if !fault.Is(err, tt.kind) || fault.FieldOf(err) != tt.field || tt.kind == fault.Conflict && !strings.Contains(err.Error(), two.Text("id")) {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		if rows := r.rows(); len(rows) != 3 {
			t.Errorf("%d rows", len(rows))
		}
		r.now = r.now.Add(time.Minute)
		res, err := s.Update(t.Context(), Fields{
			"entry_id": id, "title": nil, "author": "a", "created_at": "x", "idempotency_key_primary": "p3", "idempotency_key_secondary": nil,
			"metadata": map[string]any{"a": map[string]any{"y": "2"}},
		})
		must(t, err)
		e := res.Entry
		if res.Action != Updated || e["title"] != nil || e.Text("author") != "a" || e.Text("created_at") != one.Text("created_at") || e.Text("updated_at") == one.Text("updated_at") ||
			keysOf(e) != (Keys{TelegramThought, "p3", "s1"}) || asJSON(t, e["metadata"]) != `{"a":{"x":"1","y":"2"}}` {
			t.Errorf("%v", e)
		}
		res, err = s.Update(t.Context(), Fields{"id": id, skippedField: true, "clean_text": "", "retrieval_excerpt": "no", "author": "b"})
		if err != nil || res.Entry.Text("clean_text") != "text" || res.Entry["retrieval_excerpt"] != nil || res.Entry.Text("author") != "b" {
			t.Errorf("an empty clean text: %v, %v", res.Entry, err)
		}
		r.rows()
		if again := r.inserted(keyed(TelegramThought, "p1", "", nil)); again.Action != Inserted {
			t.Errorf("the key that moved away: %s", again.Action)
		}
	})
}

// TestD4Races: however many insert the same at once, from two processes, there is one row.
func TestD4Races(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		const racers = 200
		processes := []*Store{r.Store, r.another()}
		for _, tt := range []struct {
			policy    string
			secondary func(i int) string
			primary   func(i int) string
		}{
			{TelegramLink, func(int) string { return "s" }, func(int) string { return "p" }},
			{TelegramThought, func(i int) string { return fmt.Sprint("s", i%3) }, func(int) string { return "p" }},
			{EmailNewsletter, func(int) string { return "s" }, func(i int) string { return fmt.Sprint("p", i) }},
		} {
			var mu sync.Mutex
			actions, ids := map[Action]int{}, map[string]bool{}
			var g errgroup.Group
			for i := range racers {
				g.Go(func() error {
					f := keyed(tt.policy, tt.primary(i), tt.secondary(i), Fields{"title": fmt.Sprint(i)})
					if tt.policy == EmailNewsletter {
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

// TestD4KeysThatMove: inserts and updates that take each other's keys leave every key with one entry.
func TestD4KeysThatMove(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		processes := []*Store{r.Store, r.another()}
		var ids []string
		for i := range 4 {
			ids = append(ids, r.inserted(keyed(TelegramThought, fmt.Sprint("p", i), fmt.Sprint("s", i), nil)).Entry.Text("id"))
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
						res, err = s.Insert(t.Context(), keyed(TelegramThought, primary, key("s"), Fields{"title": key("t")}))
						if err == nil && res.Entry.Text("idempotency_key_primary") != primary {
							return fmt.Errorf("%s is answered as %s %v", primary, res.Action, res.Entry)
						}
					} else {
						_, err = s.Update(t.Context(), Fields{"id": ids[rng.IntN(4)], "idempotency_key_primary": key("p"), "idempotency_key_secondary": key("s")})
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

// D6: an insert under a name is known for what it was when it comes again, whatever has become of the
// entry and its keys; another name's meets an entry that stands.
func TestD6InsertAs(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		s := r.In(Production)
		as := func(name, primary, title string) Result {
			t.Helper()
			res, err := s.InsertAs(t.Context(), name, keyed(TelegramThought, primary, "", Fields{"title": title}))
			must(t, err)
			return res
		}
		one := as("a", "tg:1", "one")
		if res := as("b", "tg:1", "two"); res.Action != Updated || res.Entry.Text("id") != one.Entry.Text("id") {
			t.Errorf("another name: %s %v", res.Action, res.Entry)
		}
		if res := as("a", "tg:1", "one"); res.Action != Inserted || res.Entry.Text("id") != one.Entry.Text("id") || res.Entry.Text("title") != "two" {
			t.Errorf("again: %s %v", res.Action, res.Entry)
		}
		_, err := s.Update(t.Context(), Fields{"id": one.Entry.Text("id"), "idempotency_key_primary": "tg:2"})
		must(t, err)
		if res := as("a", "tg:1", "one"); res.Action != Inserted || res.Entry.Text("id") != one.Entry.Text("id") {
			t.Errorf("again, with other keys: %s %v", res.Action, res.Entry)
		}
		if rows := r.rows(); len(rows) != 1 {
			t.Errorf("%d rows", len(rows))
		}
	})
}

// TestD3Faults: an insert or update that fails before or after any of its operations, and is repeated,
// ends as one that did not fail. What failed says so with a kind that has callers repeat it.
func TestD3Faults(t *testing.T) {
	thought := keyed(TelegramThought, "p", "s2", Fields{"title": "2", "metadata": map[string]any{"b": "2"}})
	for _, tt := range []struct {
		name string
		do   func(s *Session, id string) (Result, error)
	}{
		{"insert", func(s *Session, _ string) (Result, error) {
			return s.Insert(context.Background(), keyed(TelegramThought, "new", "new", nil))
		}},
		{"insert under a name", func(s *Session, _ string) (Result, error) {
			res, err := s.InsertAs(context.Background(), "import 1", keyed(TelegramLink, "new", "new", nil))
			if err == nil && res.Action != Inserted {
				err = fmt.Errorf("the action is %s", res.Action)
			}
			return res, err
		}},
		{"skip", func(s *Session, _ string) (Result, error) {
			return s.Insert(context.Background(), keyed(TelegramLink, "p", "other", nil))
		}},
		{"update by key", func(s *Session, _ string) (Result, error) { return s.Insert(context.Background(), thought) }},
		{"conflicting keys", func(s *Session, _ string) (Result, error) {
			return s.Insert(context.Background(), keyed(TelegramThought, "p", "q", nil))
		}},
		{"update by id", func(s *Session, id string) (Result, error) {
			return s.Update(context.Background(), Fields{"id": id, "idempotency_key_primary": "moved", "idempotency_key_secondary": "moved"})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var want string
			steps := 0
			for nth, after := 0, false; nth <= steps; nth, after = nth+btoi(after), !after {
				r := newRig(t, openMem)
				r.inserted(keyed(TelegramLink, "p", "s", nil))
				r.inserted(keyed(TelegramThought, "other", "q", nil))
				id := r.inserted(keyed(TelegramThought, "p", "s", Fields{"title": "1", "metadata": map[string]any{"a": "1"}})).Entry.Text("id")
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

// failing has the nth operation fail, before or after it took effect; 0 is none.
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

// outcome is what stands, without names that are drawn.
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

// TestD3GivesUp: who loses again and again is told to wait.
func TestD3GivesUp(t *testing.T) {
	r := newRig(t, openMem)
	r.hook.OnBefore = func(_ context.Context, c storagetest.Call) error {
		if c.Op == "table.Transact" {
			return &storage.OpError{Index: 0, Err: fault.New(fault.Conflict, "raced")}
		}
		return nil
	}
	s := New(storagetest.Hooked(r.under, r), Options{Sleep: func(context.Context, time.Duration) error { return nil }})
	if _, err := s.In(Production).Insert(t.Context(), keyed(TelegramThought, "p", "", nil)); !fault.Is(err, fault.Throttled) || fault.RetryAfter(err) == 0 {
		t.Errorf("have %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.In(Production).Insert(ended, keyed(TelegramThought, "p", "", nil)); !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
}

// TestD3DamagedRows: what cannot be read is not overwritten.
func TestD3DamagedRows(t *testing.T) {
	r := newRig(t, openMem)
	id := r.inserted(keyed(TelegramThought, "p", "", Fields{"metadata": map[string]any{"a": "1"}})).Entry.Text("id")
	key, err := keyOf(id)
	must(t, err)
	_, err = r.under.Table("Entries").Transact(t.Context(), storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: key, ETag: storage.AnyETag, Props: storage.Properties{"metadata": "{"},
	}})
	must(t, err)
	if _, err := r.In(Production).Update(t.Context(), Fields{"id": id, "title": "x"}); !fault.Is(err, fault.Internal) {
		t.Errorf("have %v", err)
	}
}

package entries

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestD3FailClosed checks that entries of Telegram and mail need an identity, and are not stored without one (D3).
func TestD3FailClosed(t *testing.T) {
	r := newRig(t, openMem)
	for _, tt := range []struct {
		name  string
		f     entry.Fields
		field string
	}{
		{"telegram without anything", entry.Fields{"source": "telegram"}, "idempotency_policy_key"},
		{"email without anything", entry.Fields{"source": "email"}, "idempotency_policy_key"},
		{"email-batch without anything", entry.Fields{"source": "email-batch"}, "idempotency_policy_key"},
		{"a policy without keys", keyed(entry.TelegramThought, "", "", nil), "idempotency_key_primary"},
		{"keys without a policy", keyed("", "a", "b", nil), "idempotency_policy_key"},
		{"keys without a policy, of a source that needs none", keyed("", "a", "", entry.Fields{"source": "webpage"}),
			"idempotency_policy_key"},
		{"a policy that there is not", keyed("telegram_thought_v2", "a", "", nil), "idempotency_policy_key"},
		{"a policy that no key can name", keyed("a/b", "a", "", nil), "idempotency_policy_key"},
		{"a policy for another source", keyed(entry.EmailThread, "a", "", nil), "source"},
		{"no source", entry.Fields{"title": "x"}, "source"},
		{"an unknown column", keyed(entry.TelegramThought, "a", "", entry.Fields{"colour": "red"}), "colour"},
		{"a wrong type", keyed(entry.TelegramThought, "a", "", entry.Fields{"title": int64(1)}), "title"},
		{"a negative count", keyed(entry.TelegramThought, "a", "", entry.Fields{"link_count": int64(-1)}), "link_count"},
		{"a ratio above 1", keyed(entry.TelegramThought, "a", "", entry.Fields{"link_ratio": 1.1}), "link_ratio"},
		{"a long key", keyed(entry.TelegramThought, strings.Repeat("a", 4096+1), "", nil), "idempotency_key_primary"},
		{"a long text", keyed(entry.TelegramThought, "a", "", entry.Fields{"clean_text": strings.Repeat("a", 200<<10+1)}),
			"clean_text"},
		{"large metadata", keyed(entry.TelegramThought, "a", "",
			entry.Fields{"metadata": map[string]any{"a": strings.Repeat("a", 48<<10)}}), "metadata"},
		{"deep metadata", keyed(entry.TelegramThought, "a", "", entry.Fields{"metadata": nest(20 + 1)}), "metadata"},
		{"metadata that is no object", keyed(entry.TelegramThought, "a", "", entry.Fields{"metadata": "a"}), "metadata"},
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
		if res := r.inserted(entry.Fields{"source": "webpage", "title": "x"}); res.Action != Inserted {
			t.Errorf("a page without identity: %s", res.Action)
		}
	}
	if res := r.inserted(keyed(entry.EmailThread, "a", "",
		entry.Fields{"source": "email-batch"})); res.Action != Inserted ||
		len(r.rows()) != 3 {
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

// TestD3Actions checks that the policy decides what happens, and that every kind of column is read back (D3).
func TestD3Actions(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		long := strings.Repeat("Ebbe für alle. ", 8000)
		first := keyed(entry.TelegramThought, "p:1:2", "s1", entry.Fields{
			"title": "one", "clean_text": long, "capture_text": "short", "link_count": int64(3), "link_ratio": 1.0,
			"quality_score": 0.25, "low_signal": true,
			"extraction_incomplete": false, "metadata": map[string]any{"a": map[string]any{"x": "1", "y": []any{"1"}}, "b": nil},
			"author": nil, "content_type": "",
			"id": "mine", "entry_id": "mine", "created_at": "never",
		})
		one := r.inserted(first)
		id := one.Entry.Text("entry_id")
		if one.Action != Inserted || one.Entry.Text("id") != id || !idPattern.MatchString(id) ||
			one.Entry.Text("created_at") != "2026-03-01T12:00:00.000Z" {
			t.Fatalf("%s %v", one.Action, one.Entry)
		}
		stored, err := r.In(Production).Get(t.Context(), id)
		must(t, err)
		if diff := cmp.Diff(asJSON(t, one.Entry), asJSON(t, stored)); diff != "" {
			t.Errorf("stored (-answered +stored):\n%s", diff)
		}
		r.now = r.now.Add(time.Hour)
		two := r.inserted(keyed(entry.TelegramThought, "p:1:2", "s2", entry.Fields{
			"title": "two", "created_at": "never", "metadata": map[string]any{"a": map[string]any{"y": "2", "z": "3"}},
			"link_ratio": nil,
		}))
		e := two.Entry
		if two.Action != Updated || e.Text("id") != id || e.Text("title") != "two" || e.Text("clean_text") != long ||
			e["link_ratio"] != nil ||
			e.Text("created_at") != "2026-03-01T12:00:00.000Z" ||
			e.Text("updated_at") != "2026-03-01T13:00:00.000Z" {
			t.Errorf("%s %.300v", two.Action, e)
		}
		if have, want := asJSON(t, e["metadata"]), `{"a":{"x":"1","y":"2","z":"3"},"b":null}`; have != want {
			t.Errorf("metadata %s, want %s", have, want)
		}
		if by := r.inserted(keyed(entry.TelegramThought, "p:9:9", "s2", nil)); by.Action != Updated ||
			by.Entry.Text("id") != id ||
			by.Entry.Text("idempotency_key_primary") != "p:9:9" {
			t.Errorf("by the secondary key: %s %.300v", by.Action, by.Entry)
		}
		if rows := r.rows(); len(rows) != 1 {
			t.Errorf("%d rows", len(rows))
		}

		link := r.inserted(keyed(entry.TelegramLink, "https://a.example/", "h", entry.Fields{"title": "one"}))
		for _, again := range []entry.Fields{
			keyed(entry.TelegramLink, "https://a.example/", "h", entry.Fields{"title": "two"}), keyed(entry.TelegramLink,
				"https://a.example/", "",
				nil), keyed(entry.TelegramLink, "", "h", nil),
			keyed(entry.TelegramLink, "https://b.example/", "h", nil),
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

// TestD3UnchangedIsNotWritten checks that an unchanged entry costs no write when it comes again (D3).
func TestD3UnchangedIsNotWritten(t *testing.T) {
	r := newRig(t, openMem)
	f := keyed(entry.TelegramThought, "a", "s", entry.Fields{"title": "x", "metadata": map[string]any{"n": 1}})
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

// TestD3UpdateFields checks that a policy may restrict which columns change, and that immutable columns never do
// (D3).
func TestD3UpdateFields(t *testing.T) {
	r := newRig(t, openMem)
	s := r.In(Production)
	save(
		t,
		s,
		Policy{
			Key:          entry.TelegramThought,
			Source:       "telegram",
			OnConflict:   Change,
			Enabled:      true,
			UpdateFields: []string{"title"},
		},
	)
	one := r.inserted(keyed(entry.TelegramThought, "a", "s", entry.Fields{"title": "1", "author": "1",
		"metadata": map[string]any{"n": "1"}}))
	two := r.inserted(keyed(entry.TelegramThought, "a", "t", entry.Fields{"title": "2", "author": "2", "id": "x",
		"created_at": "y",
		"metadata":   map[string]any{"n": "2"}}))
	want := maps.Clone(one.Entry)
	want["title"] = "2"
	if diff := cmp.Diff(asJSON(t, want), asJSON(t, two.Entry)); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	save(t, s, Policy{Key: entry.TelegramThought, Source: "telegram", OnConflict: Change, Enabled: true,
		UpdateFields: []string{}})
	if res := r.inserted(keyed(entry.TelegramThought, "a", "", entry.Fields{"title": "3"})); res.Action != Updated ||
		res.Entry.Text("title") != "2" {
		t.Errorf("an empty list allows %s %v", res.Action, res.Entry)
	}
	r.rows()
}

// TestD3ConflictingKeys checks that the primary key decides in any order, and that the conflict is reported (D3).
func TestD3ConflictingKeys(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		for _, policy := range []string{entry.TelegramThought, entry.TelegramLink} {
			one := r.inserted(keyed(policy, "p1", "s1", entry.Fields{"title": "1"})).Entry.Text("id")
			two := r.inserted(keyed(policy, "p2", "s2", entry.Fields{"title": "2"})).Entry.Text("id")
			res := r.inserted(keyed(policy, "p1", "s2", entry.Fields{"title": "3"}))
			if diff := cmp.Diff(&Conflict{PrimaryID: one, SecondaryID: two}, res.Conflict); diff != "" ||
				res.Entry.Text("id") != one {
				t.Errorf("%s: %s (-want +have):\n%s", policy, res.Action, diff)
			}
			want := keysOf(policy, "p1", "")
			if policy == entry.TelegramLink {
				want.Secondary = "s1"
			}
			if have := entry.KeysOf(res.Entry); have != want {
				t.Errorf("keys %+v, want %+v", have, want)
			}
		}
		if rows := r.rows(); len(rows) != 4 {
			t.Errorf("%d rows", len(rows))
		}
		if res := r.inserted(keyed(entry.TelegramThought, "p3", "s1", nil)); res.Action != Inserted {
			t.Errorf("the key that was given up: %s", res.Action)
		}
	})
}

// TestD3Update checks updates of columns, metadata and keys of an entry by its id (D3).
func TestD3Update(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		s := r.In(Production)
		one := r.inserted(keyed(entry.TelegramThought, "p1", "s1", entry.Fields{"title": "1", "clean_text": "text",
			"metadata": map[string]any{"a": map[string]any{"x": "1"}}})).Entry
		two := r.inserted(keyed(entry.TelegramThought, "p2", "s2", nil)).Entry
		page := r.inserted(entry.Fields{"source": "webpage"}).Entry
		id := one.Text("id")
		for _, tt := range []struct {
			name  string
			in    entry.Fields
			kind  fault.Kind
			field string
		}{
			{"no id", entry.Fields{"title": "x"}, fault.Invalid, "entry_id"},
			{"two ids", entry.Fields{"id": id, "entry_id": two.Text("id")}, fault.Invalid, "id"},
			{"an unknown id", entry.Fields{"id": makeID(entry.TelegramThought, strings.Repeat("a", 26))}, fault.NotFound, ""},
			{"what is no id", entry.Fields{"id": "e|../x"}, fault.NotFound, ""},
			{"a key row for an id", entry.Fields{"id": "entry_telegram_thought_v1-" + entry.Digest("p1")[:26]}, fault.NotFound,
				""},
			{"another policy", entry.Fields{"id": id, "idempotency_policy_key": entry.TelegramLink}, fault.Invalid,
				"idempotency_policy_key"},
			{"a policy for an entry without", entry.Fields{"id": page.Text("id"),
				"idempotency_policy_key": entry.TelegramThought},
				fault.Invalid, "idempotency_policy_key"},
			{"keys for an entry without a policy", entry.Fields{"id": page.Text("id"), "idempotency_key_primary": "x"},
				fault.Invalid,
				"idempotency_policy_key"},
			{"a source that needs an identity", entry.Fields{"id": page.Text("id"), "source": "email"}, fault.Invalid,
				"idempotency_policy_key"},
			{"a primary key of another", entry.Fields{"id": id, "idempotency_key_primary": "p2"}, fault.Conflict, ""},
			{"a secondary key of another", entry.Fields{"id": id, "idempotency_key_secondary": "s2"}, fault.Conflict, ""},
			{"an unknown column", entry.Fields{"id": id, "colour": "red"}, fault.Invalid, "colour"},
		} {
			_, err := s.Update(t.Context(), tt.in)
			if !fault.Is(err, tt.kind) || fault.FieldOf(err) != tt.field ||
				tt.kind == fault.Conflict && !strings.Contains(err.Error(), two.Text("id")) {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		if rows := r.rows(); len(rows) != 3 {
			t.Errorf("%d rows", len(rows))
		}
		r.now = r.now.Add(time.Minute)
		res, err := s.Update(t.Context(), entry.Fields{
			"entry_id": id, "title": nil, "author": "a", "created_at": "x", "idempotency_key_primary": "p3",
			"idempotency_key_secondary": nil,
			"metadata":                  map[string]any{"a": map[string]any{"y": "2"}},
		})
		must(t, err)
		e := res.Entry
		if res.Action != Updated || e["title"] != nil || e.Text("author") != "a" ||
			e.Text("created_at") != one.Text("created_at") ||
			e.Text("updated_at") == one.Text("updated_at") ||
			entry.KeysOf(e) != keysOf(entry.TelegramThought, "p3", "s1") ||
			asJSON(t, e["metadata"]) != `{"a":{"x":"1","y":"2"}}` {
			t.Errorf("%v", e)
		}
		res, err = s.Update(t.Context(), entry.Fields{"id": id, "retrieval_update_skipped": true, "clean_text": "",
			"retrieval_excerpt": "no",
			"author":            "b"})
		if err != nil || res.Entry.Text("clean_text") != "text" || res.Entry["retrieval_excerpt"] != nil ||
			res.Entry.Text("author") != "b" {
			t.Errorf("an empty clean text: %v, %v", res.Entry, err)
		}
		r.rows()
		if again := r.inserted(keyed(entry.TelegramThought, "p1", "", nil)); again.Action != Inserted {
			t.Errorf("the key that moved away: %s", again.Action)
		}
	})
}

package entries

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

func (r *rig) testMode(s *Store) bool {
	r.Helper()
	on, err := s.TestMode(r.Context())
	must(r.T, err)
	return on
}

// TestD5Cache checks that a toggle is visible at once in its own process, and elsewhere after ten seconds, and that
// reads in between cost nothing (D5).
func TestD5Cache(t *testing.T) {
	r := newRig(t, openMem)
	here, there := r.Store, r.another()
	if r.testMode(here) || r.testMode(there) {
		t.Error("test mode is on by itself")
	}
	on, err := here.ToggleTestMode(t.Context())
	must(t, err)
	if !on || !r.testMode(here) {
		t.Error("a toggle is not seen at once")
	}
	before := r.reads.Load()
	r.now = r.now.Add(modeTTL - time.Millisecond)
	if !r.testMode(here) || r.testMode(there) || r.reads.Load() != before {
		t.Error("what is remembered is not believed for ten seconds")
	}
	r.now = r.now.Add(time.Millisecond)
	if !r.testMode(there) || r.reads.Load() != before+1 {
		t.Error("what is remembered is believed for longer")
	}
	must(t, there.SetTestMode(t.Context(), false))
	if r.testMode(there) || r.testMode(r.another()) {
		t.Error("what was set is not persisted")
	}
	must(t, there.SetTestMode(t.Context(), false))
}

// TestD5Toggles checks that concurrent toggles from two processes each count (D5).
func TestD5Toggles(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		processes := []*Store{r.Store, r.another()}
		const toggles = 21
		var g errgroup.Group
		for i := range toggles {
			g.Go(func() error {
				_, err := processes[i%2].ToggleTestMode(t.Context())
				return err
			})
		}
		must(t, g.Wait())
		if !r.testMode(r.another()) {
			t.Errorf("off after %d toggles", toggles)
		}
	})
}

// TestD5SlowRead checks that a read that began before a toggle does not undo it in the cache (D5).
func TestD5SlowRead(t *testing.T) {
	r := newRig(t, openMem)
	r.hook.OnAfter = func(ctx context.Context, c storagetest.Call, err error) error {
		if c.Op == "table.Get" {
			r.hook.OnAfter = nil
			_, toggled := r.ToggleTestMode(ctx)
			must(t, toggled)
		}
		return err
	}
	r.testMode(r.Store) // either value: it ran during the toggle
	if !r.testMode(r.Store) {
		t.Error("the toggle is forgotten")
	}
}

// TestD5Faults checks that the row decides after a failed change, not the cache (D5).
func TestD5Faults(t *testing.T) {
	for _, after := range []bool{false, true} {
		for nth := 1; nth <= 2; nth++ {
			r := newRig(t, openMem)
			must(t, r.SetTestMode(t.Context(), false))
			count := 0
			r.hook = failing(nth, after, &count)
			if _, err := r.ToggleTestMode(t.Context()); !fault.Is(err, fault.Unavailable) {
				t.Errorf("fault %d (after: %v): %v", nth, after, err)
			}
			r.hook = storagetest.Hooks{}
			if have, want := r.testMode(r.Store), after && nth == 2; have != want {
				t.Errorf("fault %d (after: %v): have %v, want %v", nth, after, have, want)
			}
		}
	}
	r := newRig(t, openMem)
	count := 0
	r.hook = failing(1, false, &count)
	if _, err := r.Active(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("have %v", err)
	}
}

// TestD5Schemas checks that both schemas begin alike and share nothing, and that entries go where the test mode says
// (D5).
func TestD5Schemas(t *testing.T) {
	r := newRig(t, openMem)
	f := keyed(entry.TelegramLink, "p", "s", nil)
	for _, want := range []Schema{Production, Testing} {
		s, err := r.Active(t.Context())
		must(t, err)
		if s.Schema != want {
			t.Errorf("have %s, want %s", s.Schema, want)
		}
		for _, action := range []Action{Inserted, Skipped} {
			res, err := s.Insert(t.Context(), f)
			if err != nil || res.Action != action {
				t.Errorf("%s: %s, %v", want, res.Action, err)
			}
		}
		_, err = r.ToggleTestMode(t.Context())
		must(t, err)
	}
	one, err := r.In(Production).Policies(t.Context())
	must(t, err)
	two, err := r.In(Testing).Policies(t.Context())
	must(t, err)
	if diff := cmp.Diff(one, two); diff != "" || len(one) != 4 {
		t.Errorf("%d policies (-prod +test):\n%s", len(one), diff)
	}
}

// TestD2SeedPolicies checks the four policies that every schema is seeded with (D2).
func TestD2SeedPolicies(t *testing.T) {
	r := newRig(t, openMem)
	have, err := r.In(Production).Policies(t.Context())
	must(t, err)
	for i := range have {
		if have[i].ID == "" {
			t.Errorf("%s has no id", have[i].Key)
		}
		have[i].ID = ""
	}
	want := []Policy{
		{Key: entry.EmailThread, Source: "email", ContentType: "correspondence_thread", OnConflict: Change, Enabled: true,
			Revision: entry.KeyRevision},
		{Key: entry.EmailNewsletter, Source: "email", ContentType: "newsletter", OnConflict: Skip, Enabled: true,
			Revision: entry.KeyRevision},
		{Key: entry.TelegramLink, Source: "telegram", ContentType: "link", OnConflict: Skip, Enabled: true,
			Revision: entry.KeyRevision},
		{Key: entry.TelegramThought, Source: "telegram", ContentType: "thought/note", OnConflict: Change, Enabled: true,
			Revision: entry.KeyRevision},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

// TestD2PoliciesAreEdited checks that an operator's changes are kept, apply to their schema only, and take effect at
// once (D2).
func TestD2PoliciesAreEdited(t *testing.T) {
	r := newRig(t, openMem)
	edited := Policy{Key: entry.TelegramLink, Source: "telegram", ContentType: "link", OnConflict: Change,
		UpdateFields: []string{"title"}}
	save(t, r.In(Production), edited)
	must(t, r.another().Create(t.Context()))
	if _, err := r.insert(keyed(entry.TelegramLink, "p", "", nil)); !fault.Is(err, fault.Blocked) {
		t.Errorf("a disabled policy: %v", err)
	}
	if res, err := r.In(Testing).Insert(t.Context(), keyed(entry.TelegramLink, "p", "", nil)); err != nil ||
		res.Action != Inserted {
		t.Errorf("the other schema: %v", err)
	}
	edited.Enabled = true
	save(t, r.In(Production), edited)
	r.inserted(keyed(entry.TelegramLink, "p", "", nil))
	if res := r.inserted(keyed(entry.TelegramLink, "p", "", entry.Fields{"title": "x"})); res.Action != Updated {
		t.Errorf("an edited policy: %s", res.Action)
	}
	for _, name := range []string{"colour", "created_at", "id", "gist"} { // X12: the last three can never be written
		bad := Policy{Key: "a", Source: "a", OnConflict: Change, UpdateFields: []string{"title", name}}
		if _, err := r.In(Production).SavePolicy(t.Context(), bad); fault.FieldOf(err) != "update_fields" {
			t.Errorf("update_fields with %s: %v", name, err)
		}
	}
	for field, bad := range map[string]Policy{
		"policy_key":      {Key: "A b", OnConflict: Skip},
		"source":          {Key: "a", OnConflict: Skip},
		"conflict_action": {Key: "a", OnConflict: "merge"},
		"update_fields":   {Key: "a", OnConflict: Skip, UpdateFields: []string{"colour"}},
	} {
		if _, err := r.In(Production).SavePolicy(t.Context(), bad); fault.FieldOf(err) != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestD2PoliciesByHand checks that a row written in a table editor is either applied, or refused with a reason (D2).
func TestD2PoliciesByHand(t *testing.T) {
	for _, tt := range []struct {
		name  string
		props storage.Properties
		kind  fault.Kind
	}{
		{"complete", storage.Properties{"source": "telegram", "conflict_action": "skip", "enabled": true}, ""},
		{"not enabled", storage.Properties{"source": "telegram", "conflict_action": "skip"}, fault.Blocked},
		{"enabled in words", storage.Properties{"source": "telegram", "conflict_action": "skip", "enabled": "true"},
			fault.Blocked},
		{"no action", storage.Properties{"source": "telegram", "enabled": true}, fault.Invalid},
		{"no list", storage.Properties{"source": "telegram", "conflict_action": "skip", "enabled": true,
			"update_fields": "title"}, fault.Invalid},
	} {
		r := newRig(t, openMem)
		_, err := r.under.Table("Policies").Transact(t.Context(), storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key: storage.Key{Partition: policyRows, Row: "by_hand"}, Props: tt.props,
		}})
		must(t, err)
		if _, err := r.insert(keyed("by_hand", "p", "", nil)); fault.KindOf(err) != tt.kind {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestD5FaultsOfCreate checks that the next start completes one that failed anywhere (D5).
func TestD5FaultsOfCreate(t *testing.T) {
	steps := 0
	for nth, after := 0, false; nth <= steps; nth, after = nth+btoi(after), !after {
		r := newRig(t, openMem)
		for _, schema := range Schemas {
			for _, p := range seeds {
				_, err := r.under.Table(tableOf[schema].policies).Transact(t.Context(), storage.Op{Kind: storage.Delete,
					Entity: storage.Entity{
						Key: storage.Key{Partition: policyRows, Row: p.Key}, ETag: storage.AnyETag,
					}})
				must(t, err)
			}
		}
		count := 0
		r.hook = failing(nth, after, &count)
		if err := r.Create(t.Context()); (err == nil) != (nth == 0) {
			t.Errorf("fault %d (after: %v): %v", nth, after, err)
		}
		if nth == 0 {
			steps = count
		}
		r.hook = storagetest.Hooks{}
		must(t, r.Create(t.Context()))
		for _, schema := range Schemas {
			if have, err := r.In(schema).Policies(t.Context()); err != nil || len(have) != len(seeds) {
				t.Errorf("fault %d (after: %v): %d policies, %v", nth, after, len(have), err)
			}
		}
	}
	if steps != 5+2+8 {
		t.Errorf("%d steps", steps)
	}
}

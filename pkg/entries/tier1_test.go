package entries

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
)

// TestD9Describe checks that a model's description is written beside the entry's columns, only to the state that was
// read, and that no client can change it (D9).
func TestD9Describe(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		s := r.In(Testing)
		res, err := s.Insert(t.Context(), entry.Fields{"source": "notes", "title": "A crane",
			"clean_text": "The crane was moved."})
		must(t, err)
		id := res.Entry.Text("entry_id")
		_, read, err := s.Read(t.Context(), id)
		must(t, err)
		must(t, s.Describe(t.Context(), id, read, entry.Fields{"gist": "Moved.", "topic_primary_confidence": 0.5,
			"tier1_tokens_in": int64(7), "tier1_error": ""}))
		if err := s.Describe(t.Context(), id, read, entry.Fields{"gist": "Stale."}); !fault.Is(err, fault.Conflict) {
			t.Errorf("a state that is past: %v", err)
		}
		_, err = s.Update(t.Context(), entry.Fields{"entry_id": id, "title": "Two cranes", "gist": "Mine.",
			"tier1_status": "enriched"})
		must(t, err)
		f, read, err := s.Read(t.Context(), id)
		must(t, err)
		_, failed := f["tier1_error"]
		if f.Text("title") != "Two cranes" || f.Text("gist") != "Moved." || f["topic_primary_confidence"] != 0.5 ||
			f["tier1_tokens_in"] != int64(7) || f["tier1_status"] != nil || failed {
			t.Errorf("%v", f)
		}
		if err := s.Describe(t.Context(), id, read, entry.Fields{"title": "x"}); !fault.Is(err, fault.Invalid) {
			t.Errorf("another column: %v", err)
		}
		for _, id := range []string{"x", makeID("", "aaaaaaaaaaaaaaaaaaaaaaaaaa")} {
			if _, _, err := s.Read(t.Context(), id); !fault.Is(err, fault.NotFound) {
				t.Errorf("read %s: %v", id, err)
			}
			if err := s.Describe(t.Context(), id, read, entry.Fields{"gist": "x"}); !fault.Is(err, fault.NotFound) {
				t.Errorf("describe %s: %v", id, err)
			}
		}
	})
}

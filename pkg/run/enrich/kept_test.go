package enrich

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// TestD9EntriesPort checks that both implementations of the port behave alike (D9).
func TestD9EntriesPort(t *testing.T) {
	store := entries.New(mem.New(time.Now), entries.Options{})
	runtest.Must(t, store.Create(t.Context()))
	fake := &fakeEntries{hook: storagetest.Hooks{}}
	fake.Put("pkm_test", "e", "A crane", "The crane was moved.")
	res, err := store.In(entries.Testing).Insert(t.Context(), entry.Fields{"source": "notes", "title": "A crane",
		"extracted_text": "The crane was moved."})
	runtest.Must(t, err)
	for name, tc := range map[string]struct {
		port Entries
		id   string
	}{"kept": {Kept{store}, res.Entry.Text("entry_id")}, "fake": {fake, "e"}} {
		t.Run(name, func(t *testing.T) {
			before, err := tc.port.Load(t.Context(), "pkm_test", tc.id)
			runtest.Must(t, err)
			if before.ID != tc.id || before.Title != "A crane" || before.Text != "The crane was moved." ||
				!cmp.Equal(before.Tier1, Record{}) {
				t.Errorf("%+v", before)
			}
			want := Record{
				Status: Enriched, Batch: "t1-x", Digest: "d", Model: "m", Usage: llm.Usage{In: 1, Out: 2, Cost: 0.25}, Error: "why",
				At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
				Fields: Fields{Gist: "g", TopicPrimary: "t", TopicPrimaryConfidence: 0.5, TopicSecondary: "u",
					TopicSecondaryConfidence: 1, Keywords: []string{"a, b", "c"}},
			}
			for range 2 { // the second round empties something
				e, err := tc.port.Load(t.Context(), "pkm_test", tc.id)
				runtest.Must(t, err)
				runtest.Must(t, tc.port.Write(t.Context(), "pkm_test", e, want))
				after, err := tc.port.Load(t.Context(), "pkm_test", tc.id)
				runtest.Must(t, err)
				if diff := cmp.Diff(want, after.Tier1); diff != "" || after.Text != before.Text {
					t.Errorf("(-want +have):\n%s", diff)
				}
				want.Status, want.Batch, want.Error, want.Fields.TopicSecondary = Failed, "", "", ""
			}
			if err := tc.port.Write(t.Context(), "pkm_test", before, want); !fault.Is(err, fault.Conflict) {
				t.Errorf("a state that is past: %v", err)
			}
			if _, err := tc.port.Load(t.Context(), "pkm", tc.id); !fault.Is(err, fault.NotFound) {
				t.Errorf("in another schema: %v", err)
			}
		})
	}
	if have := fmt.Sprint(Schemas()); have != fmt.Sprint(schemas) {
		t.Errorf("schemas %s", have)
	}
}

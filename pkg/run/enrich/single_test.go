package enrich

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
)

// TestD9Single checks that one entry is enriched immediately, and not again while its text is unchanged (D9).
func TestD9Single(t *testing.T) {
	r := newRig(t)
	r.put("pkm_test", 1)
	have, err := r.s.Entry(t.Context(), "pkm_test", "e0")
	r.Must(err)
	if have.Status != Enriched || have.Fields.Gist == "" || have.Usage.In == 0 || have.Usage.Cost != llmtest.Cost ||
		have.Model != model+"-2026-01-01" || have.Batch != "" {
		t.Errorf("%+v", have)
	}
	if diff := cmp.Diff(have, r.load("pkm_test", "e0")); diff != "" {
		t.Errorf("written (-want +have):\n%s", diff)
	}
	again, err := r.s.Entry(t.Context(), "pkm_test", "e0")
	if err != nil || !cmp.Equal(have, again) || len(r.Asked()) != 1 {
		t.Errorf("again: %+v %v, %d questions", again, err, len(r.Asked()))
	}
	r.entries.Put("pkm_test", "e0", "Title e0", "Another text.")
	if other, err := r.s.Entry(t.Context(), "pkm_test", "e0"); err != nil || other.Digest == have.Digest ||
		len(r.Asked()) != 2 {
		t.Errorf("another text: %+v %v", other, err)
	}
}

// TestD9Text checks that the result for a text without an entry is not stored.
func TestD9Text(t *testing.T) {
	r := newRig(t)
	have, err := r.s.Text(t.Context(), "A title", "The harbour opens at high tide.")
	if err != nil || have.Fields.TopicPrimary != "high tide. </entry>" || r.entries.Writes() != 0 {
		t.Errorf("%+v %v, %d writes", have, err, r.entries.Writes())
	}
}

// TestD9SingleFailures checks that the model is asked once more after an unusable answer but not after a refusal, and
// that the usage of all answers is counted (D9).
func TestD9SingleFailures(t *testing.T) {
	for _, tc := range []struct {
		name   string
		id     string
		spoils []llmtest.Spoil
		faults []llmtest.Fault
		kind   fault.Kind
		says   string
		asked  int
	}{
		{name: "malformed, then well", id: "e0", spoils: []llmtest.Spoil{llmtest.Says("Sure!")}, asked: 2},
		{name: "cut off, then well", id: "e0", spoils: []llmtest.Spoil{llmtest.TooLong}, asked: 2},
		{name: "malformed twice", id: "e0", spoils: slices.Repeat([]llmtest.Spoil{llmtest.Says("[]")}, 2),
			kind: fault.Unavailable, says: "not the JSON", asked: 2},
		{name: "refused", id: "e0", spoils: []llmtest.Spoil{llmtest.Refusal}, kind: fault.Blocked, says: "cannot help",
			asked: 1},
		{name: "throttled", id: "e0", faults: []llmtest.Fault{llmtest.Status(429, "3600")}, kind: fault.Throttled,
			says: "llm"},
		{name: "nobody", id: "x", kind: fault.NotFound, says: "no entry"},
		{name: "without text", id: "blank", kind: fault.Invalid, says: "no text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			r.put("pkm", 1)
			r.entries.Put("pkm", "blank", "A title", "\n")
			r.Spoil(tc.spoils...)
			r.Break(tc.faults...)
			have, err := r.s.Entry(t.Context(), "pkm", tc.id)
			if fault.KindOf(err) != tc.kind || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("have %v (%s), want %s that says %q", err, fault.KindOf(err), tc.kind, tc.says)
			}
			if len(r.Asked()) != tc.asked || have.Usage.Cost != float64(tc.asked)*llmtest.Cost {
				t.Errorf("%d questions at %v", len(r.Asked()), have.Usage.Cost)
			}
			if err != nil && r.load("pkm", "e0").Status != "" {
				t.Error("something is written")
			}
		})
	}
}

// TestD9SingleIsOvertaken checks a write of the entry during the model's call: a new text is a Conflict, any other
// change is kept.
func TestD9SingleIsOvertaken(t *testing.T) {
	r := newRig(t)
	r.put("pkm", 1)
	changes := []string{"The tide of pkm turned at noon 0.", "Another text."}
	r.Reply = func(string) string {
		r.entries.Put("pkm", "e0", "Title e0", changes[0])
		return `{"gist":"g","topic_primary":"t"}`
	}
	if _, err := r.s.Entry(t.Context(), "pkm", "e0"); err != nil || r.load("pkm", "e0").Fields.Gist != "g" {
		t.Errorf("the same text: %v", err)
	}
	r.entries.Put("pkm", "e0", "Another title", "x")
	changes = changes[1:]
	before := r.load("pkm", "e0")
	if _, err := r.s.Entry(t.Context(), "pkm", "e0"); !fault.Is(err, fault.Conflict) ||
		!cmp.Equal(before, r.load("pkm", "e0")) {
		t.Errorf("another text: %v", err)
	}
}

// TestD8Off checks that a use without a route is off, and that its error names the setting (D8).
func TestD8Off(t *testing.T) {
	r := newRig(t)
	r.s.models.Default, r.s.models.Batch = "", ""
	if _, err := r.s.Text(t.Context(), "", "x"); !fault.Is(err, fault.Blocked) || !strings.Contains(err.Error(),
		"T1_DEFAULT_MODEL") {
		t.Errorf("sync: %v", err)
	}
	if _, err := r.s.Schedule(t.Context(), "pkm", []string{"x"}); !fault.Is(err, fault.Blocked) ||
		!strings.Contains(err.Error(), "T1_BATCH_MODEL") {
		t.Errorf("batch: %v", err)
	}
}

// TestD9Nodes checks that the nodes of all graphs are in the order of spec 001 Tier-1 graphs.
func TestD9Nodes(t *testing.T) {
	r := newRig(t)
	want := []string{"load", "prompt", "llm", "parse", "write"}
	for name, have := range map[string][]string{"sync": r.s.one.Nodes(), "schedule": r.s.schedule.Nodes(),
		"collect": r.s.collect.Nodes()} {
		if !slices.Equal(have, want) {
			t.Errorf("%s: %v", name, have)
		}
	}
}

// TestD9Logs checks that model calls are logged, and only the failures of other nodes (D9).
func TestD9Logs(t *testing.T) {
	r := newRig(t)
	r.put("pkm", 1)
	if _, err := r.s.Entry(t.Context(), "pkm", "e0"); err != nil {
		t.Fatal(err)
	}
	if said := r.log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, `msg="model called"`) {
		t.Errorf("logged:\n%s", said)
	}
	_, _ = r.s.Entry(t.Context(), "pkm", "nobody")
	if said := r.log.String(); !strings.Contains(said,
		`msg="graph node failed" graph="tier1 sync" node=load kind=not_found`) {
		t.Errorf("logged:\n%s", said)
	}
}

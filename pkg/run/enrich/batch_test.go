package enrich

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestD9Batch checks that entries of both schemas are sent in files and batches, and that their answers are stored
// (D8, D9).
func TestD9Batch(t *testing.T) { onStores(t, testBatch) }

func testBatch(t *testing.T, r *rig) {
	for _, schema := range schemas {
		r.put(schema, 3)
		b := r.queue(schema, "e0", "e1", "e2", "e1", "nobody")
		if b.Lines != 4 || b.State != Queued || b.Attempt != 1 {
			t.Errorf("queued: %+v", b)
		}
	}
	if failures := r.advance(); failures != nil {
		t.Fatal(failures)
	}
	for _, schema := range schemas {
		list, err := r.s.List(t.Context(), schema, 10, "")
		r.Must(err)
		if len(list) != 1 {
			t.Fatalf("%s: %d batches", schema, len(list))
		}
		b := list[0]
		if b.State != Done || b.Status != "completed" || b.Enriched != 3 || b.Failed != 1 || b.Again+b.Skipped+
			b.Strangers != 0 || b.Next != "" || b.Usage.In == 0 || b.Usage.Out == 0 {
			t.Errorf("%s: %+v", schema, b)
		}
		if have := r.outcomes(schema, b.ID); have != "enriched enriched enriched failed" {
			t.Errorf("%s: %s", schema, have)
		}
		have := r.load(schema, "e1")
		want := Record{
			Status: Enriched, Batch: b.ID, Digest: have.Digest, Model: model + "-2026-01-01", Usage: have.Usage, At: have.At,
			Fields: Fields{
				Gist: "noon 1. </entry>", TopicPrimary: "noon 1. </entry>", TopicPrimaryConfidence: 0.5,
				Keywords: []string{"noon 1. </entry>"},
			},
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", schema, diff)
		}
	}
	if r.Batches() != 2 || len(r.Asked()) != 6 {
		t.Errorf("%d batches at the service, %d questions", r.Batches(), len(r.Asked()))
	}
}

// TestD9BatchEnds checks that no entry is lost and no answered entry is sent again, however a batch ends.
func TestD9BatchEnds(t *testing.T) {
	for _, tc := range []struct {
		name     string
		end      []llmtest.Outcome
		spoils   []llmtest.Spoil
		outcomes []string // of the lines of each attempt
		asked    int      // number of questions
		check    func(t *testing.T, first Batch)
	}{
		{"as it should", nil, nil, []string{"enriched enriched enriched"}, 3, nil},
		{"expired", []llmtest.Outcome{llmtest.Expires(1)}, nil, []string{"enriched again again", "enriched enriched"}, 5,
			nil},
		{"expired for ever", slices.Repeat([]llmtest.Outcome{llmtest.Expires(0)}, 3), nil, []string{"again again again",
			"again again again", "failed failed failed"}, 9, nil},
		{"cancelled", []llmtest.Outcome{llmtest.IsCancelled(1)}, nil, []string{"enriched cancelled cancelled"}, 3, nil},
		{"the file refused", []llmtest.Outcome{llmtest.Fails("token_limit_exceeded")}, nil, []string{"again again again",
			"enriched enriched enriched"}, 6, func(t *testing.T, b Batch) {
			if !strings.Contains(b.Message, "token_limit_exceeded") {
				t.Errorf("message %q", b.Message)
			}
		}},
		{"partial failures", []llmtest.Outcome{llmtest.AtOnce(llmtest.LineFails(0, 400), llmtest.LineFails(1, 429),
			llmtest.LineFails(2, 500))}, nil, []string{"failed again again", "enriched enriched"}, 5, nil},
		{"a line missing", []llmtest.Outcome{llmtest.LineMissing(1)}, nil, []string{"enriched again enriched", "enriched"}, 4,
			nil},
		{"strangers, doubles and broken lines", []llmtest.Outcome{llmtest.AtOnce(llmtest.LineTwice(1), llmtest.Stranger,
			llmtest.BrokenLine)}, nil, []string{"enriched enriched enriched"}, 3, func(t *testing.T, b Batch) {
			if b.Strangers != 2 {
				t.Errorf("%d strangers", b.Strangers)
			}
		}},
		{"a double that failed", []llmtest.Outcome{llmtest.AtOnce(llmtest.LineTwice(1), llmtest.LineFails(1, 500))}, nil,
			[]string{"enriched enriched enriched"}, 3, nil},
		{"a double that cannot be used, and comes first", []llmtest.Outcome{func(e *llmtest.Ended) {
			unusable := e.Lines[1]
			unusable.Body = map[string]any{"choices": []any{}}
			e.Lines = append(e.Lines, unusable)
		}}, nil, []string{"enriched enriched enriched"}, 3, nil},
		{"malformed, cut off and refused", nil, []llmtest.Spoil{llmtest.Says("{"), llmtest.TooLong, llmtest.Refusal},
			[]string{"again again failed", "enriched enriched"}, 5, func(t *testing.T, b Batch) {
				if b.Usage.In == 0 {
					t.Error("answers that cannot be used are paid for, too")
				}
			}},
		{"an answer without one", nil, []llmtest.Spoil{llmtest.Nothing}, []string{"again enriched enriched", "enriched"}, 4,
			nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			r.End(tc.end...)
			r.Spoil(tc.spoils...)
			id := r.queue("pkm", r.put("pkm", 3)...).ID
			if failures := r.advance(); failures != nil {
				t.Fatal(failures)
			}
			var have []string
			for next := id; next != ""; {
				b := r.batch("pkm", next)
				have = append(have, r.outcomes("pkm", next))
				next = b.Next
			}
			if diff := cmp.Diff(tc.outcomes, have); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
			}
			if len(r.Asked()) != tc.asked || r.Batches() != len(tc.outcomes) {
				t.Errorf("%d questions in %d batches, want %d in %d", len(r.Asked()), r.Batches(), tc.asked, len(tc.outcomes))
			}
			r.settled(id)
			if r.Files() != 0 {
				t.Errorf("%d files lie at the service", r.Files())
			}
			if tc.check != nil {
				tc.check(t, r.batch("pkm", id))
			}
		})
	}
}

// TestD9NothingTwice checks that an entry is not sent when its fields are current, when it is in another batch, or
// when it has no text; and that an answer is dropped when the text of its entry has changed.
func TestD9NothingTwice(t *testing.T) {
	r := newRig(t)
	r.put("pkm", 4)
	if _, err := r.s.Entry(t.Context(), "pkm", "e0"); err != nil {
		t.Fatal(err)
	}
	r.entries.Put("pkm", "blank", "Title", " \n\x00")
	first := r.queue("pkm", "e0", "e1", "e2", "e3", "blank").ID
	if _, err := r.s.Advance(t.Context()); err != nil { // sent
		t.Fatal(err)
	}
	if have := r.load("pkm", "e1"); have.Status != Pending || have.Batch != first {
		t.Errorf("on its way: %+v", have)
	}
	r.Clock.Pass(time.Millisecond)
	second := r.queue("pkm", "e1", "e2").ID
	r.entries.Put("pkm", "e2", "Title e2", "Quite another text.")
	r.entries.Delete("pkm", "e3")
	if _, err := r.s.Entry(t.Context(), "pkm", "e1"); err != nil {
		t.Fatal(err)
	}
	if failures := r.advance(); failures != nil {
		t.Fatal(failures)
	}
	if have := r.outcomes("pkm", first); have != "skipped skipped again skipped failed" {
		t.Errorf("first: %s", have)
	}
	if have := r.outcomes("pkm", second); have != "skipped skipped" {
		t.Errorf("second: %s", have)
	}
	if r.asked("noon 0") != 1 || r.asked("noon 1") != 2 || r.asked("another text") != 1 {
		t.Errorf("asked: %q", r.Asked())
	}
	if have := r.load("pkm", "e2"); have.Status != Enriched || !strings.HasPrefix(have.Fields.Gist, "another text.") {
		t.Errorf("e2: %+v", have)
	}
}

// TestD8BatchIsPutOff checks that a batch that the service refuses waits, records why, and is sent later.
func TestD8BatchIsPutOff(t *testing.T) {
	for name, f := range map[string]llmtest.Fault{
		"the key": llmtest.Status(401, ""), "the model or route": llmtest.Status(404, ""), "the request": llmtest.Status(400,
			""), "a pause": llmtest.Status(429, "7200"),
	} {
		r := newRig(t)
		r.Break(f)
		b := r.queue("pkm", r.put("pkm", 1)...)
		if _, err := r.s.Advance(t.Context()); err == nil {
			t.Errorf("%s: no error", name)
		}
		have := r.batch("pkm", b.ID)
		if have.State != Queued || have.Message == "" || have.NotBefore.Sub(r.Clock.Now()) < refusedWait {
			t.Errorf("%s: %+v", name, have)
		}
		if failures := r.advance(); failures != nil || r.batch("pkm", b.ID).Enriched != 1 || r.Batches() != 1 {
			t.Errorf("%s: %v, %+v, %d batches", name, failures, r.batch("pkm", b.ID), r.Batches())
		}
	}
}

// TestD9ForgottenBatch checks that a batch is sent again when the service has forgotten it.
func TestD9ForgottenBatch(t *testing.T) {
	r := newRig(t)
	id := r.queue("pkm", r.put("pkm", 1)...).ID
	if _, err := r.s.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Break(llmtest.Status(404, ""))
	if failures := r.advance(); failures != nil {
		t.Fatal(failures)
	}
	if b := r.batch("pkm", id); b.Again != 1 || r.batch("pkm", b.Next).Enriched != 1 {
		t.Errorf("%+v", b)
	}
}

// TestD9Bounds checks the bounds of requests.
func TestD9Bounds(t *testing.T) {
	r := newRig(t)
	many := make([]string, MaxLines+1)
	for i := range many {
		many[i] = strings.Repeat("x", i%250+1) + string(rune('a'+i/250))
	}
	for name, ids := range map[string][]string{"none": nil, "too many": many, "an empty one": {"a", ""},
		"a long one": {strings.Repeat("x", 257)}, "no text": {"\xff"}} {
		if _, err := r.s.Schedule(t.Context(), "pkm", ids); !fault.Is(err, fault.Invalid) ||
			fault.FieldOf(err) != "entry_ids" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.s.Schedule(t.Context(), "other", []string{"a"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("no such schema: %v", err)
	}
	for _, id := range []string{"", "x", "active|t1-x", "t1-/", "t1-" + strings.Repeat("x", 100)} {
		if _, err := r.s.Batch(t.Context(), "pkm", id); !fault.Is(err, fault.Invalid) {
			t.Errorf("batch %q: %v", id, err)
		}
	}
	if _, err := r.s.Batch(t.Context(), "pkm", "t1-x"); !fault.Is(err, fault.NotFound) {
		t.Errorf("batch of nobody: %v", err)
	}
	for range maxActive {
		r.queue("pkm", "a")
	}
	if _, err := r.s.Schedule(t.Context(), "pkm", []string{"a"}); !fault.Is(err, fault.Conflict) {
		t.Errorf("one more: %v", err)
	}
	if id := lineID(r.queue("pkm_test", "a").ID+".3", MaxLines, strings.Repeat("f", 2*digestBytes)); len(
		id) > llm.MaxLineID {
		t.Errorf("%s has %d bytes", id, len(id))
	}
}

// TestD9List checks that the newest batches are listed first, page by page.
func TestD9List(t *testing.T) {
	r := newRig(t)
	var want []string
	for range 5 {
		want = append([]string{r.queue("pkm", "nobody").ID}, want...)
		r.Clock.Pass(time.Millisecond)
	}
	var have []string
	for before := ""; ; {
		page, err := r.s.List(t.Context(), "pkm", 2, before)
		r.Must(err)
		if len(page) == 0 {
			break
		}
		for _, b := range page {
			before = b.ID
			have = append(have, b.ID)
		}
	}
	if !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
	for _, top := range []int{0, MaxList + 1} {
		if _, err := r.s.List(t.Context(), "pkm", top, ""); !fault.Is(err, fault.Invalid) {
			t.Errorf("top %d: %v", top, err)
		}
	}
}

// TestD9IdleCostsNothing checks that an idle step costs a query for each schema and no request.
func TestD9IdleCostsNothing(t *testing.T) {
	r := newRig(t)
	if report, err := r.s.Advance(t.Context()); err != nil || report != (Report{}) || r.Requests() != 0 {
		t.Errorf("%+v %v, %d requests", report, err, r.Requests())
	}
}

// TestY11OneUploadOneBatch checks that a service that takes its time over a file gets one file and one batch, and
// that no file stays there (Y11).
func TestY11OneUploadOneBatch(t *testing.T) {
	for _, pending := range []int{0, 3, 40} {
		r := newRig(t)
		r.Server.Azure, r.Server.Pending = true, pending
		id := r.queue("pkm", r.put("pkm", 2)...).ID
		r.advance()
		b := r.batch("pkm", id)
		if b.Enriched != 2 || r.Batches() != 1 || r.Uploads() != 1 || r.Files() != 0 {
			t.Errorf("pending %d times: %+v; %d batches, %d uploads, %d files stay", pending, b, r.Batches(), r.Uploads(),
				r.Files())
		}
		if took := b.EndedAt.Sub(b.CreatedAt); took > 20*time.Minute {
			t.Errorf("pending %d times: it took %s", pending, took)
		}
	}
}

// TestY11ServicesWithoutLabels checks that a batch whose start is not answered is found by its file at a service that
// keeps no labels, and is not sent twice (Y11).
func TestY11ServicesWithoutLabels(t *testing.T) {
	r := newRig(t)
	r.Unlabelled, r.FailAfter = true, true
	r.Break(nil, llmtest.Cut)
	id := r.queue("pkm", r.put("pkm", 2)...).ID
	r.advance()
	if have := r.settled(id); have != 2 || r.Batches() != 1 || strings.Contains(r.log.String(), "sent twice") {
		t.Errorf("%d enriched in %d batches\n%s", have, r.Batches(), r.log.String())
	}
}

// TestY11NoFileStays checks that the files of a batch are deleted however it ends: those of refused attempts, of
// uploads whose answer is lost, and of batches that are cancelled or forgotten (Y11).
func TestY11NoFileStays(t *testing.T) {
	cut := llmtest.Cut
	for name, tc := range map[string]struct {
		faults []llmtest.Fault // of the upload, the start, and what follows
		after  bool            // the faults come after the request took effect
		cancel bool
	}{
		"the start is refused":            {faults: []llmtest.Fault{nil, llmtest.Status(400, "")}},
		"the start is throttled":          {faults: []llmtest.Fault{nil, llmtest.Status(429, "7200")}},
		"the upload is refused afterward": {faults: []llmtest.Fault{llmtest.Status(400, "")}, after: true},
		"the upload's answer is lost":     {faults: []llmtest.Fault{cut, cut, cut, cut}, after: true},
		"the start's answer is lost":      {faults: []llmtest.Fault{nil, cut}, after: true},
		"the service forgets the batch":   {faults: []llmtest.Fault{nil, nil, llmtest.Status(404, "")}},
		"cancelled after a refusal":       {faults: []llmtest.Fault{nil, llmtest.Status(400, "")}, cancel: true},
		"cancelled after a lost upload":   {faults: []llmtest.Fault{cut, cut, cut, cut}, after: true, cancel: true},
	} {
		r := newRig(t)
		r.FailAfter = tc.after
		r.Break(tc.faults...)
		id := r.queue("pkm", r.put("pkm", 1)...).ID
		_, _ = r.s.Advance(t.Context())
		if tc.cancel {
			if _, err := r.s.Cancel(t.Context(), "pkm", id); err != nil {
				t.Fatal(err)
			}
		}
		r.advance()
		if r.Files() != 0 {
			t.Errorf("%s: %d files stay", name, r.Files())
		}
		if have := r.settled(id); !tc.cancel && have != 1 {
			t.Errorf("%s: %d enriched", name, have)
		}
	}
}

// TestY11AnotherModelMeanwhile checks that a file with questions for one model is not used for another (Y11).
func TestY11AnotherModelMeanwhile(t *testing.T) {
	r := newRig(t)
	r.s.models.Batch = "tide-old"
	r.Break(nil, llmtest.Status(429, "7200"))
	id := r.queue("pkm", r.put("pkm", 1)...).ID
	_, _ = r.s.Advance(t.Context())
	r.s.models.Batch = model
	r.advance()
	if b := r.batch("pkm", id); b.Enriched != 1 || b.Model != model || r.Uploads() != 2 || r.Files() != 0 {
		t.Errorf("%+v, %d uploads, %d files stay", b, r.Uploads(), r.Files())
	}
}

// TestY11FilesAfterAKill checks that only the answers' files stay when the process dies just after it has stored that
// a batch is done (Y11).
func TestY11FilesAfterAKill(t *testing.T) {
	r := newRig(t)
	r.Hook.Set(storagetest.Hooks{OnAfter: func(_ context.Context, c storagetest.Call, err error) error {
		if err == nil && c.Op == "table.Transact" && slices.ContainsFunc(c.Ops, func(op storage.Op) bool {
			return op.Entity.Props["state"] == string(Done)
		}) {
			return fault.New(fault.Unavailable, "the process died")
		}
		return err
	}})
	id := r.queue("pkm", r.put("pkm", 1)...).ID
	failures := r.advance()
	if b := r.batch("pkm", id); len(failures) != 1 || b.State != Done || r.Files() != 1 {
		t.Errorf("%v, %+v, %d files", failures, b, r.Files())
	}
}

package openai

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
)

func lines(n int) (out []llm.Line) {
	for i := range n {
		out = append(out, llm.Line{ID: fmt.Sprintf("b-%05d", i), Request: question(fmt.Sprintf("words number %d", i))})
	}
	return out
}

// begun uploads and starts a batch of n lines.
func (r *rig) begun(t *testing.T, n int) llm.Batch {
	t.Helper()
	file, err := r.client.Upload(t.Context(), "b.jsonl", lines(n))
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.client.Start(t.Context(), llm.Order{File: file, Window: 24 * time.Hour, Label: "b"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ended polls until a batch is over, and reads its files: the result of each id.
func (r *rig) ended(t *testing.T, id string) (b llm.Batch, results map[string]string, broken int) {
	t.Helper()
	for range 5 {
		var err error
		if b, err = r.client.Batch(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	results = map[string]string{}
	for _, file := range b.Files {
		out, err := r.client.Results(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		broken += out.Broken
		for _, res := range out.Results {
			text := string(res.Answer.Finish)
			if res.Err != nil {
				text = string(fault.KindOf(res.Err))
			}
			results[res.ID] += text
		}
	}
	return b, results, broken
}

// TestD8Batch checks files and batches, however they end (D8).
func TestD8Batch(t *testing.T) {
	for _, tc := range []struct {
		name   string
		end    llmtest.Outcome
		spoil  llmtest.Spoil
		state  llm.BatchState
		want   map[string]string
		broken int
	}{
		{"completed", nil, nil, llm.Completed, map[string]string{"b-00000": "complete", "b-00001": "complete",
			"b-00002": "complete"}, 0},
		{"answers that ended otherwise", nil, llmtest.TooLong, llm.Completed, map[string]string{"b-00000": "truncated",
			"b-00001": "complete", "b-00002": "complete"}, 0},
		{"a refusal", nil, llmtest.Refusal, llm.Completed, map[string]string{"b-00000": "refused", "b-00001": "complete",
			"b-00002": "complete"}, 0},
		{"an answer without one", nil, llmtest.Nothing, llm.Completed, map[string]string{"b-00000": "unavailable",
			"b-00001": "complete", "b-00002": "complete"}, 0},
		{"partial failures", llmtest.AtOnce(llmtest.LineFails(0, 400), llmtest.LineFails(1, 429), llmtest.LineFails(2, 500)),
			nil, llm.Completed,
			map[string]string{"b-00000": "invalid", "b-00001": "throttled", "b-00002": "unavailable"}, 0},
		{"expired", llmtest.Expires(1), nil, llm.Expired, map[string]string{"b-00000": "complete", "b-00001": "unavailable",
			"b-00002": "unavailable"}, 0},
		{"cancelled", llmtest.IsCancelled(2), nil, llm.Cancelled, map[string]string{"b-00000": "complete",
			"b-00001": "complete", "b-00002": "conflict"}, 0},
		{"failed", llmtest.Fails("token_limit_exceeded"), nil, llm.Failed, map[string]string{}, 0},
		{"a stranger, a double and one missing", llmtest.AtOnce(llmtest.LineTwice(1), llmtest.LineMissing(0),
			llmtest.Stranger), nil, llm.Completed,
			map[string]string{"b-00001": "completecomplete", "b-00002": "complete", "somebody-elses-00001": "complete"}, 0},
		{"a broken line", llmtest.BrokenLine, nil, llm.Completed, map[string]string{"b-00000": "complete",
			"b-00001": "complete", "b-00002": "complete"}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			r.End(tc.end)
			r.Spoil(tc.spoil)
			b := r.begun(t, 3)
			if b.State != llm.Working || b.Label != "b" || b.ID == "" {
				t.Errorf("begun: %+v", b)
			}
			b, have, broken := r.ended(t, b.ID)
			if b.State != tc.state || broken != tc.broken {
				t.Errorf("%+v, %d broken lines", b, broken)
			}
			if diff := cmp.Diff(tc.want, have); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
			}
			if tc.state == llm.Failed && b.Message != "token_limit_exceeded: the batch failed" {
				t.Errorf("message %q", b.Message)
			}
		})
	}
}

// TestD8StartIsNotRepeated checks that a batch is started once, also when the answer is lost, and found by its label
// (D8).
func TestD8StartIsNotRepeated(t *testing.T) {
	for _, after := range []bool{false, true} {
		for name, f := range map[string]llmtest.Fault{"500": llmtest.Status(500, ""), "cut off": llmtest.Cut} {
			r := newRig(t)
			r.PageSize = 1
			r.begun(t, 1)
			file, err := r.client.Upload(t.Context(), "b.jsonl", lines(1))
			if err != nil {
				t.Fatal(err)
			}
			sent := r.Requests()
			r.FailAfter = after
			r.Break(f)
			if _, err := r.client.Start(t.Context(), llm.Order{File: file, Window: 24 * time.Hour,
				Label: "lost"}); !fault.Is(err, fault.Unavailable) || r.Requests() != sent+1 {
				t.Errorf("%s: %v after %d requests", name, err, r.Requests()-sent)
			}
			var labels []string
			for b, err := range r.client.Recent(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				labels = append(labels, b.Label)
			}
			if found := slices.Contains(labels, "lost"); found != after || !slices.Contains(labels, "b") {
				t.Errorf("%s, effect %v: listed are %v", name, after, labels)
			}
		}
	}
	r := newRig(t)
	file, _ := r.client.Upload(t.Context(), "b.jsonl", lines(1))
	r.Break(llmtest.Status(429, "1"))
	if _, err := r.client.Start(t.Context(), llm.Order{File: file, Window: 24 * time.Hour}); err != nil ||
		r.Batches() != 1 {
		t.Errorf("after a pause that was asked for: %v, %d batches", err, r.Batches())
	}
}

// TestD8Cancel checks the cancellation of a batch (D8).
func TestD8Cancel(t *testing.T) {
	r := newRig(t)
	b := r.begun(t, 2)
	if b, err := r.client.Cancel(t.Context(), b.ID); err != nil || b.Status != "cancelling" || b.State != llm.Working {
		t.Fatalf("%+v %v", b, err)
	}
	if _, have, _ := r.ended(t, b.ID); !cmp.Equal(have, map[string]string{"b-00000": "complete", "b-00001": "conflict"}) {
		t.Errorf("have %v", have)
	}
}

// TestD8Delete checks that files can be removed (D8).
func TestD8Delete(t *testing.T) {
	r := newRig(t)
	b := r.begun(t, 1)
	b, _, _ = r.ended(t, b.ID)
	for _, file := range append(b.Files, b.Input) {
		if err := r.client.Delete(t.Context(), file); err != nil {
			t.Error(err)
		}
	}
	if r.Files() != 0 {
		t.Errorf("%d files lie there", r.Files())
	}
	if err := r.client.Delete(t.Context(), b.Input); !fault.Is(err, fault.NotFound) {
		t.Errorf("again: %v", err)
	}
}

// TestD8BatchFailures checks unknown files and batches, and files of another kind (D8).
func TestD8BatchFailures(t *testing.T) {
	r := newRig(t)
	if _, err := r.client.Batch(t.Context(), "batch_9/../x"); !fault.Is(err, fault.NotFound) {
		t.Errorf("batch: %v", err)
	}
	if _, err := r.client.Results(t.Context(), "file-9"); !fault.Is(err, fault.NotFound) {
		t.Errorf("file: %v", err)
	}
	_, err := r.client.Start(t.Context(), llm.Order{File: "file-9", Window: 24 * time.Hour})
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("start: %v", err)
	}
	r.Break(slices.Repeat([]llmtest.Fault{llmtest.Status(503, "")}, maxTries)...)
	for _, err := range r.client.Recent(t.Context()) {
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("list: %v", err)
		}
	}
	if _, err := r.client.Upload(t.Context(), "b.jsonl", nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("an empty file: %v", err)
	}
}

// TestResultsDoNotTellTheKey checks that a key that a line repeats is removed from its error.
func TestResultsDoNotTellTheKey(t *testing.T) {
	r := newRig(t)
	out := r.client.results([]byte(`{"custom_id":"a","response":{"status_code":401,"body":{"error":{"message":"bad key ` +
		llmtest.Key + `"}}}}`))
	if err := out.Results[0].Err; !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), llmtest.Key) {
		t.Error(err)
	}
}

// FuzzResults checks that every line of any file is a result with an id or is counted as broken.
func FuzzResults(f *testing.F) {
	f.Add(`{"custom_id":"a","response":{"status_code":200,"body":` +
		`{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}}}`)
	f.Add("{\"custom_id\":\"a\"}\n\n{\"custom_id\":\"\"}\nnull")
	f.Fuzz(func(t *testing.T, body string) {
		c, err := New(Options{BaseURL: "http://localhost"})
		if err != nil {
			t.Fatal(err)
		}
		out := c.results([]byte(body))
		want := 0
		for line := range strings.Lines(body) {
			if strings.TrimSpace(line) != "" {
				want++
			}
		}
		if have := out.Broken + len(out.Results); have > want {
			t.Errorf("%d results of %d lines", have, want)
		}
		for _, r := range out.Results {
			if r.ID == "" || r.Err == nil && r.Answer.Finish == "" {
				t.Errorf("%+v", r)
			}
		}
	})
}

// TestY11Azure checks that what Azure OpenAI answers is understood: 201 for what it created, and a file that it is
// still processing (Y11).
func TestY11Azure(t *testing.T) {
	r := newRig(t)
	r.Server.Azure, r.Server.Pending = true, 2
	b, have, _ := r.ended(t, r.begun(t, 1).ID)
	if b.State != llm.Completed || have["b-00000"] != "complete" || r.Batches() != 1 {
		t.Errorf("%+v %v, %d batches", b, have, r.Batches())
	}
	file, err := r.client.Upload(t.Context(), "c.jsonl", lines(1))
	if err != nil {
		t.Fatal(err)
	}
	r.Server.Pending = 1000
	if _, err := r.client.Start(t.Context(), llm.Order{File: file, Window: 24 * time.Hour}); !errors.Is(err,
		llm.ErrPending) {
		t.Errorf("pending for long: %v", err)
	}
	if named, err := r.client.Named(t.Context(), "c.jsonl"); err != nil || !slices.Equal(named, []string{file}) {
		t.Errorf("named: %v %v", named, err)
	}
}

// TestY11FilesThatAreNotReady checks the messages by which services say that a file is still processed (Y11).
func TestY11FilesThatAreNotReady(t *testing.T) {
	for said, want := range map[string]bool{
		"The input file is not in a terminal state. Current state: Pending":    true,
		"The file file-1 is still being processed":                             true,
		"File file-1 is not ready":                                             true,
		"input file has not yet been processed. not processed":                 true,
		"input_file_id: no such file":                                          false,
		"Invalid file format for Batch API":                                    false,
		"Enqueued token limit reached for this model: too many pending tokens": false,
	} {
		if notReady.MatchString(said) != want {
			t.Errorf("%s: %v", said, !want)
		}
	}
}

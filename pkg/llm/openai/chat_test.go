package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
)

var gist = llm.Schema{Name: "gist", JSON: json.RawMessage(
	`{"type":"object","properties":{"gist":{"type":"string"}},` +
		`"required":["gist"],"additionalProperties":false}`)}

func question(user string) llm.Request {
	return llm.Request{Model: "tide-embed", System: "Give the gist.", User: user, Schema: gist, MaxTokens: 100}
}

// TestD8Chat checks one request over /v1/chat/completions, with its cost (D8).
func TestD8Chat(t *testing.T) {
	r := newRig(t)
	have, err := r.client.Chat(t.Context(), question("The tide turns at noon."))
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Answer{
		Text: `{"gist":"turns at noon."}`, Finish: llm.Complete, Model: "tide-embed-2026-01-01",
		Usage: llm.Usage{In: 8, Out: 3, Cost: llmtest.Cost}, Attempts: 1,
	}
	if diff := cmp.Diff(want, have, cmpopts.IgnoreFields(llm.Answer{}, "Latency")); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	if have.Latency <= 0 {
		t.Error("no latency")
	}
	if u := r.client.Usage(); u != (Usage{Requests: 1, Tokens: 11}) {
		t.Errorf("usage %+v", u)
	}
}

// TestD9CallsAreLogged checks that each call is logged with its model, usage and result, and without its content
// (D9).
func TestD9CallsAreLogged(t *testing.T) {
	r := newRig(t)
	r.Break(llmtest.Status(429, "1"))
	if _, err := r.client.Chat(t.Context(), question("Private words.")); err != nil {
		t.Fatal(err)
	}
	other := question("Private words.")
	other.Model = "other"
	_, _ = r.client.Chat(t.Context(), other)
	said := r.log.String()
	for _, want := range []string{
		`msg="model called" route=/chat/completions attempts=2 dur=`, "outcome=ok", "model=tide-embed",
		"served=tide-embed-2026-01-01", "finish=complete",
		"tokens_in=5 tokens_out=2 cost=0.000125", "outcome=invalid", "model=other", "level=WARN",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the log has no %s:\n%s", want, said)
		}
	}
	if strings.Contains(said, "Private") || strings.Contains(said, llmtest.Key) {
		t.Errorf("the log tells too much:\n%s", said)
	}
}

// TestD8ChatFinish checks the ways in which an answer may end (D8).
func TestD8ChatFinish(t *testing.T) {
	for _, tc := range []struct {
		name  string
		spoil llmtest.Spoil
		want  llm.Finish
	}{
		{"complete", nil, llm.Complete},
		{"truncated", llmtest.TooLong, llm.Truncated},
		{"refused", llmtest.Refusal, llm.Refused},
		{"filtered", llmtest.Filtered, llm.Refused},
		{"what is no JSON is the parser's", llmtest.Says("Sure! Here it is"), llm.Complete},
	} {
		r := newRig(t)
		r.Spoil(tc.spoil)
		if have, err := r.client.Chat(t.Context(), question("a b")); err != nil || have.Finish != tc.want {
			t.Errorf("%s: have %q, %v", tc.name, have.Finish, err)
		}
	}
}

// TestD8ChatFailures checks the kind of each failure, and the number of attempts (D8).
func TestD8ChatFailures(t *testing.T) {
	for _, tc := range []struct {
		name   string
		faults []llmtest.Fault
		spoil  llmtest.Spoil
		model  string
		kind   fault.Kind
		says   string
		tries  int
	}{
		{name: "429, then an answer", faults: []llmtest.Fault{llmtest.Status(429, "2")}, tries: 2},
		{name: "500 twice, then an answer", faults: slices.Repeat([]llmtest.Fault{llmtest.Status(500, "")}, 2), tries: 3},
		{name: "500 for ever", faults: slices.Repeat([]llmtest.Fault{llmtest.Status(500, "")}, 9), kind: fault.Unavailable,
			says: "500", tries: maxTries},
		{name: "a long pause", faults: []llmtest.Fault{llmtest.Status(429, "3600")}, kind: fault.Throttled, says: "pause",
			tries: 1},
		{name: "cut off", faults: slices.Repeat([]llmtest.Fault{llmtest.Cut}, 9), kind: fault.Unavailable,
			says: "OPENAI_BASE_URL", tries: maxTries},
		{name: "a page of a gateway", faults: []llmtest.Fault{llmtest.NotJSON}, kind: fault.Unavailable,
			says: "cannot be used", tries: 1},
		{name: "no choice", spoil: llmtest.Nothing, kind: fault.Unavailable, says: "0 answers", tries: 1},
		{name: "nothing said", spoil: llmtest.Says(""), kind: fault.Unavailable, says: "0 bytes", tries: 1},
		{name: "no such model", model: "other", kind: fault.Invalid, says: "T1_DEFAULT_MODEL", tries: 1},
		{name: "a model for something else", model: "text-davinci-003", kind: fault.Invalid, says: "T1_DEFAULT_MODEL"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			r.Break(tc.faults...)
			r.Spoil(tc.spoil)
			q := question("a b")
			if tc.model != "" {
				q.Model = tc.model
			}
			a, err := r.client.Chat(t.Context(), q)
			if fault.KindOf(err) != tc.kind || !strings.Contains(fmt.Sprint(err), tc.says) {
				t.Errorf("have %v (%s), want %s that says %q", err, fault.KindOf(err), tc.kind, tc.says)
			}
			if r.Requests() != tc.tries || a.Attempts != tc.tries {
				t.Errorf("%d requests, %d attempts, want %d", r.Requests(), a.Attempts, tc.tries)
			}
		})
	}
}

// TestD8ContractIsStrict checks that the fake server is as strict as real services (D8).
func TestD8ContractIsStrict(t *testing.T) {
	r := newRig(t)
	open := question("a")
	open.Schema.JSON = json.RawMessage(`{"type":"object","properties":{"gist":{"type":"string"}},` +
		`"required":[],"additionalProperties":false}`)
	if _, err := r.client.Chat(t.Context(), open); !fault.Is(err, fault.Invalid) {
		t.Errorf("an optional property: %v", err)
	}
	for _, body := range []string{`{"model":"tide-embed","messages":[],"temprature":1}`, `{`,
		`{"model":"tide-embed","messages":[]}`} {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+"/chat/completions", strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+llmtest.Key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d", body, resp.StatusCode)
		}
	}
}

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
	if u := r.client.usage(); u != (usage{Requests: 1, Tokens: 11}) {
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
		{"without a reason", llmtest.EndsWith(""), llm.Complete},
		{"eos", llmtest.EndsWith("eos_token"), llm.Complete},
		{"in capitals", llmtest.EndsWith("STOP"), llm.Complete},
		{"the turn", llmtest.EndsWith("end_turn"), llm.Complete},
		{"a limit in other words", llmtest.EndsWith("MAX_TOKENS"), llm.Truncated},
		{"a filter in other words", llmtest.EndsWith("SAFETY"), llm.Refused},
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
		{name: "a model for something else", model: "text-davinci-003", kind: fault.Invalid, says: "T1_DEFAULT_MODEL",
			tries: 1},
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

// TestY11FormsOfAnswers checks the bodies that services and gateways send in other forms than OpenAI (Y11).
func TestY11FormsOfAnswers(t *testing.T) {
	for _, tc := range []struct {
		name, body, text string
		in               int
		kind             fault.Kind
	}{
		{"parts", `{"choices":[{"finish_reason":null,"message":{"content":[{"type":"reasoning","text":"Hm."},` +
			`{"type":"text","text":"{\"a\":"},"1}"]}}]}`, `{"a":1}`, 0, ""},
		{"an object", `{"choices":[{"finish_reason":"stop","message":{"content":{"a":1}}}]}`, `{"a":1}`, 0, ""},
		{"a call of a tool", `{"choices":[{"finish_reason":"tool_calls","message":{"content":null,"tool_calls":[` +
			`{"function":{"name":"gist","arguments":"{\"a\":1}"}}]}}]}`, `{"a":1}`, 0, ""},
		{"numbers as fractions", `{"created":1.7e9,"usage":{"prompt_tokens":7.0,"completion_tokens":"2"},"choices":[` +
			`{"finish_reason":"stop","message":{"content":"x"}}]}`, "x", 7, ""},
		{"null for the usage, and a mark", "\ufeff" + `{"usage":null,"choices":[{"finish_reason":"eos","message":` +
			`{"content":"x","refusal":null}}]}`, "x", 0, ""},
		{"two answers", `{"choices":[{"message":{"content":"x"}},{"message":{"content":"y"}}]}`, "x", 0, ""},
		{"an error with status 200", `{"error":{"message":"upstream is gone","code":502}}`, "", 0, fault.Unavailable},
		{"an error that is a text", `{"error":"upstream is gone"}`, "", 0, fault.Unavailable},
		{"a limit with status 200", `{"error":{"message":"slow down: upstream is gone","code":"429"}}`, "", 0,
			fault.Throttled},
		{"an error in the choice", `{"choices":[{"finish_reason":"error","error":{"code":400,"message":"upstream is gone"},` +
			`"message":{"content":"{"}}]}`, "{", 0, fault.Invalid},
		{"an end by an error", `{"choices":[{"finish_reason":"error","message":{"content":"{"}}]}`, "{", 0,
			fault.Unavailable},
		{"a list", `[]`, "", 0, fault.Unavailable},
	} {
		a, err := answerOf([]byte(tc.body), func(s string) string { return s })
		if a.Text != tc.text || a.Usage.In != tc.in || fault.KindOf(err) != tc.kind {
			t.Errorf("%s: %+v, %v", tc.name, a, err)
		}
		if strings.Contains(tc.body, "upstream") && !strings.Contains(fmt.Sprint(err), "upstream is gone") {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// TestY11ServicesWithoutSchemas checks that a service that knows no json_schema or no max_completion_tokens is asked
// in another form, at once and in batches, and only once in the form that it refuses (Y11).
func TestY11ServicesWithoutSchemas(t *testing.T) {
	for _, tc := range []struct {
		knows []string
		old   bool
		tries int
	}{{[]string{"json_object", "text"}, false, 2}, {[]string{"text"}, true, 4}, {nil, true, 2}} {
		r := newRig(t)
		r.Server.Knows, r.Server.Old = tc.knows, tc.old
		for i, want := range []int{tc.tries, 1} {
			a, err := r.client.Chat(t.Context(), question("a b"))
			if err != nil || a.Text != `{"gist":"a b"}` || a.Attempts != want {
				t.Errorf("%v, request %d: %+v %v", tc.knows, i, a, err)
			}
		}
		b, have, _ := r.ended(t, r.begun(t, 1).ID)
		if have["b-00000"] != "complete" {
			t.Errorf("%v: batch %+v: %v", tc.knows, b, have)
		}
	}
	r := newRig(t)
	r.Server.Knows = []string{}
	if _, err := r.client.Chat(t.Context(), question("a b")); !fault.Is(err, fault.Invalid) || r.Requests() != 3 {
		t.Errorf("no form at all: %v after %d requests", err, r.Requests())
	}
}

// TestY11RefusalsOfAnotherKind checks that a refusal for another reason does not change the form of requests (Y11).
func TestY11RefusalsOfAnotherKind(t *testing.T) {
	for _, said := range []string{"max_completion_tokens is too large: 100000", "the text is too long", ""} {
		if d, ok := (dialect{}).simpler(fault.Field("Input", "%s", said)); ok {
			t.Errorf("%q: %+v", said, d)
		}
	}
	if _, ok := (dialect{}).simpler(fault.New(fault.Unavailable, "response_format is not supported")); ok {
		t.Error("a failure that may pass changes the form")
	}
}

// TestY11LinesWithoutSchemas checks that lines of a batch that are refused for their form can be asked again, in
// another form (Y11).
func TestY11LinesWithoutSchemas(t *testing.T) {
	r := newRig(t)
	line := `{"custom_id":"%s","response":{"status_code":400,"body":{"error":{"message":"%s"}}}}` + "\n"
	out := r.client.results(fmt.Appendf(nil, line+line+line, "a", "response_format json_schema is not supported", "b",
		"response_format json_schema is not supported", "c", "the text is too long"))
	for i, want := range []fault.Kind{fault.Unavailable, fault.Unavailable, fault.Invalid} {
		if err := out.Results[i].Err; !fault.Is(err, want) {
			t.Errorf("line %d: %v", i, err)
		}
	}
	if d := r.client.dialects.ofLines("any"); d != (dialect{format: byObject}) {
		t.Errorf("further lines are asked for in %+v", d)
	}
	for _, tc := range []struct {
		said string
		want dialect
	}{
		{"response_format json_schema is not supported", dialect{format: byObject}}, // of a batch that was sent before
		{"Unsupported parameter: max_completion_tokens", dialect{byObject, true}},
		{"response_format json_object is not supported", dialect{byWords, true}},
		{"response_format is not supported", dialect{byWords, true}},
		{"response_format json_schema is not supported", dialect{byWords, true}},
	} {
		out := r.client.results(fmt.Appendf(nil, line, "a", tc.said))
		if err := out.Results[0].Err; !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", tc.said, err)
		}
		if d := r.client.dialects.ofLines("any"); d != tc.want {
			t.Errorf("after %q, further lines are asked for in %+v", tc.said, d)
		}
	}
}

// FuzzAnswerOf checks that any body is an answer with a text, or with the reason for having none, or an error.
func FuzzAnswerOf(f *testing.F) {
	f.Add(`{"choices":[{"finish_reason":"stop","message":{"content":[{"text":"x"}]}}],"usage":{"prompt_tokens":1e9}}`)
	f.Add(`{"error":{"code":{}}}`)
	f.Fuzz(func(t *testing.T, body string) {
		a, err := answerOf([]byte(body), func(s string) string { return s })
		if err == nil && (a.Finish == "" || a.Finish == llm.Complete && a.Text == "") || a.Usage.In < 0 {
			t.Errorf("%+v", a)
		}
	})
}

// usage is the number of requests and tokens that a client has used since it was made.
type usage struct {
	Requests int64 // number of requests sent, including retries
	Tokens   int64 // number of tokens, as counted by the service
}

// usage returns the usage so far.
func (c *Client) usage() usage { return usage{c.requests.Load(), c.tokens.Load()} }

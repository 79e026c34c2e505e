package openai

import (
	"slices"
	"strings"
	"sync"

	api "github.com/sashabaranov/go-openai"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// dialect is what a model's service understands. The zero value is the API of OpenAI.
type dialect struct {
	format    format
	maxTokens bool // it knows max_tokens, and not max_completion_tokens
}

// format is the way in which an answer in JSON is asked for.
type format int

const (
	bySchema format = iota // response_format has the schema
	byObject               // response_format is json_object, and the schema is in the instructions
	byWords                // the schema is in the instructions
)

// dialects remembers the dialect of each model, as far as refusals of the service have shown it. The dialect of the
// model "" is that of lines in batches.
type dialects struct {
	mu sync.Mutex
	of map[string]dialect
}

func (d *dialects) get(model string) dialect {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.of[model]
}

// ofLines returns the dialect of a model's lines in a batch.
func (d *dialects) ofLines(model string) dialect {
	return d.get(model).with(d.get(""))
}

// with joins two dialects: what one of them must not use, the result does not use.
func (a dialect) with(b dialect) dialect {
	return dialect{max(a.format, b.format), a.maxTokens || b.maxTokens}
}

// learn changes the dialect of a model after a refusal of a request in the given dialect. It reports whether the
// request may be asked again.
func (d *dialects) learn(model string, asked dialect, refusal error) bool {
	next, ok := asked.simpler(refusal)
	if !ok {
		return false
	}
	d.add(model, next)
	return true
}

// add remembers what a model does not know.
func (d *dialects) add(model string, to dialect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of == nil {
		d.of = map[string]dialect{}
	}
	d.of[model] = d.of[model].with(to)
}

// learnLine changes the dialect of lines after the refusal of one. In which dialect that one was asked is unknown,
// because another batch may have changed it since. So the refusal alone decides: unless it names schemas only, further
// lines are asked without a format. It reports whether the line may be asked again.
func (d *dialects) learnLine(refusal error) bool {
	next, ok := dialect{}.simpler(refusal)
	if !ok {
		return false
	}
	schemas := says(refusal, "schema", "structured", "guided_json") && !says(refusal, "json_object")
	if next.format == byObject && !schemas {
		next.format = byWords
	}
	d.add("", next)
	return true
}

// says reports whether an error has one of these words.
func says(err error, words ...string) bool {
	said := strings.ToLower(err.Error())
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(said, w) })
}

// simpler returns a dialect without what a service has refused. It returns ok = false if the refusal has another
// reason.
func (d dialect) simpler(refusal error) (_ dialect, ok bool) {
	if !fault.Is(refusal, fault.Invalid) {
		return d, false
	}
	names := func(words ...string) bool { return says(refusal, words...) }
	switch {
	case !d.maxTokens && names("max_completion_tokens") && names("support", "unknown", "unrecog", "unexpected", "extra",
		"permit", "allow", "invalid param"): // and not a number that is too large
		d.maxTokens = true
	case d.format < byWords && names("response_format", "response format", "json_schema", "json schema", "json_object",
		"structured output", "json mode", "guided_json"):
		d.format++
	default:
		return d, false
	}
	return d, true
}

// completion converts a request to the API's form, which is the same for single requests and for batches.
func (d dialect) completion(r llm.Request) api.ChatCompletionRequest {
	out := api.ChatCompletionRequest{Model: r.Model, MaxCompletionTokens: r.MaxTokens}
	if d.maxTokens {
		out.MaxCompletionTokens, out.MaxTokens = 0, r.MaxTokens
	}
	system := r.System
	if d.format != bySchema {
		system += "\n\nAnswer with one JSON object and nothing else. It follows this JSON schema:\n" + string(r.Schema.JSON)
	}
	switch d.format {
	case bySchema:
		out.ResponseFormat = &api.ChatCompletionResponseFormat{
			Type:       api.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{Name: r.Schema.Name, Schema: r.Schema.JSON, Strict: true},
		}
	case byObject:
		out.ResponseFormat = &api.ChatCompletionResponseFormat{Type: api.ChatCompletionResponseFormatTypeJSONObject}
	}
	out.Messages = []api.ChatCompletionMessage{
		{Role: api.ChatMessageRoleSystem, Content: system},
		{Role: api.ChatMessageRoleUser, Content: r.User},
	}
	return out
}

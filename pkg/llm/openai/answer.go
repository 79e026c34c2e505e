package openai

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// completed is the body of an answer, in all the forms that services and gateways send. The library's own type takes
// only the form of OpenAI.
type completed struct {
	Model   string        `json:"model"`
	Choices []choice      `json:"choices"`
	Error   *serviceError `json:"error"` // some gateways send errors with status 200
	Usage   struct {
		In  count `json:"prompt_tokens"`
		Out count `json:"completion_tokens"`
	} `json:"usage"`
}

type choice struct {
	Reason  string        `json:"finish_reason"` // null is ""
	Error   *serviceError `json:"error"`
	Message struct {
		Content content `json:"content"`
		Refusal string  `json:"refusal"`
		Calls   []struct {
			Function struct {
				Arguments content `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"message"`
}

// serviceError is an error in a body. Its code is a number or a name.
type serviceError struct {
	Code    any    `json:"code"`
	Message string `json:"message"`
}

// UnmarshalJSON also accepts an error that is only a text.
func (e *serviceError) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &e.Message) == nil {
		return nil
	}
	type plain serviceError
	return json.Unmarshal(b, (*plain)(e))
}

// status returns the HTTP status in the code of an error, or 0.
func (e *serviceError) status() int {
	switch code := e.Code.(type) {
	case float64:
		return int(code)
	case string:
		n, _ := strconv.Atoi(code)
		return n
	}
	return 0
}

// count is a number of tokens. Some services send it as a fraction or as a text, or leave it out.
type count int

// UnmarshalJSON accepts everything; what is not a number counts as 0.
func (n *count) UnmarshalJSON(b []byte) error {
	if f, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64); err == nil && f >= 0 && f < 1<<31 {
		*n = count(f)
	}
	return nil
}

// content is the text of a message: a text, a list of parts with texts, or the JSON itself that was asked for.
type content string

// UnmarshalJSON implements [json.Unmarshaler].
func (c *content) UnmarshalJSON(b []byte) error {
	var text string
	var parts []json.RawMessage
	switch b = bytes.TrimSpace(b); {
	case json.Unmarshal(b, &text) == nil: // null leaves the text empty
		*c = content(text)
	case json.Unmarshal(b, &parts) == nil:
		for _, p := range parts {
			*c += textOf(p)
		}
	default:
		*c = content(b)
	}
	return nil
}

// textOf returns the text of a part. Parts of other types, such as reasoning, have none.
func textOf(part json.RawMessage) content {
	var text string
	if json.Unmarshal(part, &text) == nil {
		return content(text)
	}
	var p struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(part, &p) != nil || p.Type != "" && p.Type != "text" && p.Type != "output_text" {
		return ""
	}
	return content(p.Text)
}

// ends maps the reasons for which models stop to those of package llm. A reason that is not listed is a complete
// answer if there is a text, because its reader notices what is missing.
var ends = map[string]llm.Finish{
	"length": llm.Truncated, "max_tokens": llm.Truncated, "max_output_tokens": llm.Truncated,
	"max_length": llm.Truncated, "model_length": llm.Truncated, "token_limit": llm.Truncated,
	"content_filter": llm.Refused, "content_filtered": llm.Refused, "refusal": llm.Refused, "safety": llm.Refused,
	"recitation": llm.Refused, "blocklist": llm.Refused, "prohibited_content": llm.Refused, "spii": llm.Refused,
	"guardrail_intervened": llm.Refused,
}

// answerOf reads the body of the response to a single request or to a line of a batch. It returns the usage even with
// an error. The function told shortens what a service says, and removes the key.
func answerOf(body []byte, told func(string) string) (a llm.Answer, err error) {
	var c completed
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), &c); err != nil {
		return a, unusable("%v", err)
	}
	a = llm.Answer{Model: c.Model, Usage: llm.Usage{In: int(c.Usage.In), Out: int(c.Usage.Out)}}
	if c.Error != nil {
		return a, c.Error.fault(told)
	}
	if len(c.Choices) == 0 {
		return a, unusable("0 answers where one was asked for")
	}
	first := c.Choices[0]
	a.Text = string(first.Message.Content)
	if calls := first.Message.Calls; strings.TrimSpace(a.Text) == "" && len(calls) > 0 {
		a.Text = string(calls[0].Function.Arguments)
	}
	switch end := ends[strings.ToLower(first.Reason)]; {
	case first.Error != nil:
		return a, first.Error.fault(told)
	case first.Message.Refusal != "":
		a.Text, a.Finish = first.Message.Refusal, llm.Refused
	case end != "":
		a.Finish = end
	case strings.TrimSpace(a.Text) != "" && first.Reason != "error":
		a.Finish = llm.Complete
	default:
		return a, unusable("it ends with %.40q after %d bytes", first.Reason, len(a.Text))
	}
	return a, nil
}

// fault returns the error with its kind.
func (e *serviceError) fault(told func(string) string) error {
	said := told(e.Message)
	switch status := e.status(); {
	case status == 429:
		return fault.After(0, "the service asks for a pause: %s", said)
	case status == 401 || status == 403:
		return fault.New(fault.Blocked, "the service refuses the key: check LITELLM_MASTER_KEY")
	case status >= 400 && status < 500 && status != 408:
		return fault.Field("Input", "the service refuses the request: %s", said)
	}
	return fault.New(fault.Unavailable, "the service answers with an error: %s", said)
}

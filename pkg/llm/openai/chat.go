package openai

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	api "github.com/sashabaranov/go-openai"

	"github.com/tidemark/tidemark/pkg/llm"
)

var _ llm.Chatter = (*Client)(nil)

// costHeader is the header in which LiteLLM states the cost of an answer, in US dollars.
// (https://docs.litellm.ai/docs/proxy/response_headers)
const costHeader = "X-Litellm-Response-Cost"

// Chat implements [llm.Chatter].
func (c *Client) Chat(ctx context.Context, r llm.Request) (llm.Answer, error) {
	began := time.Now()
	k := &call{route: "/chat/completions", setting: "T1_DEFAULT_MODEL"}
	resp, err := c.api.CreateChatCompletion(k.in(ctx), completion(r))
	var a llm.Answer
	if err = k.kinded(err); err == nil {
		a, err = answerOf(resp)
		a.Usage.Cost, _ = strconv.ParseFloat(resp.Header().Get(costHeader), 64)
	}
	a.Attempts, a.Latency = k.attempts, time.Since(began)
	c.over(ctx, k, began, a.Usage, err, slog.String("model", r.Model), slog.String("served", a.Model),
		slog.String("finish", string(a.Finish)))
	return a, err
}

// completion converts a request to the API's form, which is the same for single requests and for batches.
func completion(r llm.Request) api.ChatCompletionRequest {
	return api.ChatCompletionRequest{
		Model: r.Model, MaxCompletionTokens: r.MaxTokens,
		Messages: []api.ChatCompletionMessage{
			{Role: api.ChatMessageRoleSystem, Content: r.System},
			{Role: api.ChatMessageRoleUser, Content: r.User},
		},
		ResponseFormat: &api.ChatCompletionResponseFormat{
			Type:       api.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{Name: r.Schema.Name, Schema: r.Schema.JSON, Strict: true},
		},
	}
}

// answerOf converts the API's response to a single request or to a line of a batch. It returns the usage even with an
// error.
func answerOf(resp api.ChatCompletionResponse) (llm.Answer, error) {
	a := llm.Answer{Model: resp.Model, Usage: llm.Usage{In: resp.Usage.PromptTokens, Out: resp.Usage.CompletionTokens}}
	if len(resp.Choices) != 1 {
		return a, unusable("%d answers where one was asked for", len(resp.Choices))
	}
	choice := resp.Choices[0]
	a.Text = choice.Message.Content
	switch {
	case choice.Message.Refusal != "":
		a.Text, a.Finish = choice.Message.Refusal, llm.Refused
	case choice.FinishReason == api.FinishReasonContentFilter:
		a.Finish = llm.Refused
	case choice.FinishReason == api.FinishReasonLength:
		a.Finish = llm.Truncated
	case choice.FinishReason == api.FinishReasonStop && a.Text != "":
		a.Finish = llm.Complete
	default:
		return a, unusable("it ends with %.40q after %d bytes", choice.FinishReason, len(a.Text))
	}
	return a, nil
}

package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

var _ llm.Chatter = (*Client)(nil)

// costHeader is the header in which LiteLLM states the cost of an answer, in US dollars.
// (https://docs.litellm.ai/docs/proxy/response_headers)
const costHeader = "X-Litellm-Response-Cost"

// maxDialects is the number of forms in which one request is asked: each of the two formats and max_completion_tokens
// may be refused once.
const maxDialects = 4

// Chat implements [llm.Chatter].
func (c *Client) Chat(ctx context.Context, r llm.Request) (llm.Answer, error) {
	began := time.Now()
	k := &call{route: "/chat/completions", setting: "T1_DEFAULT_MODEL"}
	a, err := c.ask(k.in(ctx), r)
	a.Attempts, a.Latency = k.attempts, time.Since(began)
	c.over(ctx, k, began, a.Usage, err, slog.String("model", r.Model), slog.String("served", a.Model),
		slog.String("finish", string(a.Finish)))
	return a, err
}

// ask sends a request. If the service does not understand it, ask sends it in a simpler form.
func (c *Client) ask(ctx context.Context, r llm.Request) (a llm.Answer, err error) {
	for range maxDialects {
		d := c.dialects.get(r.Model)
		if a, err = c.askIn(ctx, d, r); err == nil || !c.dialects.learn(r.Model, d, err) {
			break
		}
		c.log.WarnContext(ctx, "model does not understand a request, asked in a simpler form", "model", r.Model, "err", err)
	}
	return a, err
}

func (c *Client) askIn(ctx context.Context, d dialect, r llm.Request) (a llm.Answer, err error) {
	body, err := json.Marshal(d.completion(r))
	if err != nil {
		return a, fault.Field("Model", "the request cannot be sent: %w", err)
	}
	address := strings.TrimRight(c.sender.BaseURL, "/") + "/chat/completions"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return a, fault.Field("BaseURL", "the request cannot be sent: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.sender.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.sender.Key)
	}
	resp, err := c.sender.Do(req)
	if err != nil {
		return a, err
	}
	answer, err := io.ReadAll(resp.Body) // the sender has already read the body and bounded its size
	if err != nil {
		return a, unusable("%v", err)
	}
	a, err = answerOf(answer, c.sender.excerpt)
	a.Usage.Cost, _ = strconv.ParseFloat(resp.Header.Get(costHeader), 64)
	return a, err
}

// Package openai connects to language models over the API of OpenAI, which LiteLLM, vLLM, Ollama and most other
// services offer, too. It implements the ports of package llm: [Client] is a Chatter and a Batcher, and provides an
// Embedder for each model.
//
// Services may be busy, restarting or behind gateways. A request that fails for such a reason is retried, at most
// three times. If the service asks for a short pause, the retry comes after that pause. The number of concurrent
// requests is limited for the whole process. An answer with vectors is used only if it states which text each vector
// belongs to and if all vectors have the same dimension. The request that starts a batch is sent only once, because a
// second batch would have to be paid for, too.
//
// A model's service may not know the form of a request: a schema for the answer, or max_completion_tokens. A request
// that is refused for that reason is sent in a simpler form, and so are all further requests to the model.
//
// Every finished request to a model is logged with its route, model, tokens, cost, attempts, duration and outcome.
// The content of the request and of the answer is never logged.
//
// The key is sent only to the configured address, never to the target of a redirect, and appears in no error.
//
// # Alternatives considered
//
// openai-go, the library by OpenAI, has its own retries, but adds 18.5 MB to the executable. The library used here
// adds 0.1 MB.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	api "github.com/sashabaranov/go-openai"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// Options describe the service. BaseURL is required.
type Options struct {
	BaseURL string // the part of the address before /embeddings and the other routes
	Key     string // the bearer token; if empty, none is sent
	Log     *slog.Logger
	// Used is called with the tokens of every question and of its answer. Used may be nil.
	Used func(in, out int)

	// The following fields are for tests. Their zero values mean the real clock and random source.
	Sleep  func(ctx context.Context, d time.Duration) error
	Now    func() time.Time
	Jitter func() float64
}

// Client is a connection to a service. It is safe for concurrent use.
type Client struct {
	api    *api.Client
	sender *sender
	log    *slog.Logger
	used   func(in, out int)

	dialects         dialects
	requests, tokens atomic.Int64
}

// New returns a client, without sending a request. Errors: Invalid for a bad BaseURL.
func New(o Options) (*Client, error) {
	if err := CheckBaseURL(o.BaseURL); err != nil {
		return nil, err
	}
	defaults.Log(&o.Log)
	if o.Used == nil {
		o.Used = func(int, int) {}
	}
	defaults.Sleep(&o.Sleep)
	defaults.Clock(&o.Now)
	defaults.Jitter(&o.Jitter)
	c := &Client{log: o.Log, used: o.Used}
	config := api.DefaultConfig(o.Key)
	config.BaseURL = strings.TrimRight(o.BaseURL, "/")
	c.sender = &sender{Options: o, client: httpClient(), permits: make(chan struct{}, maxInFlight), sent: &c.requests}
	config.HTTPClient = c.sender
	c.api = api.NewClientWithConfig(config)
	return c, nil
}

// CheckBaseURL checks the address of a service, which must be http or https, without user, query or fragment. The
// address must not contain a key, because the key has its own setting.
func CheckBaseURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return fault.Field("BaseURL", "not an http or https address without user and query")
	}
	return nil
}

// httpClient returns a client that follows no redirect: a redirect would turn a POST into a GET, or send the key to
// another host.
func httpClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = maxInFlight
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

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

// Package openai speaks to language models over the API of OpenAI, which LiteLLM, vLLM, Ollama and
// most others offer too. It keeps the ports of package llm: [Client] is a Chatter and a Batcher, and
// has an Embedder for each model.
//
// Services are busy, restarted and behind gateways, so a request that fails for such a reason is
// sent again, at most three times, after the pause that the service asks for if that is short. What
// is sent at once is bounded for the whole process. An answer is believed only when it says which
// text each vector is for and all vectors are alike. What begins a batch is sent once, for a second
// one would be paid for, too.
//
// Every request to a model is logged when it is over, with its route, model, tokens, cost, attempts,
// duration and outcome; never with what was asked or answered.
//
// The key goes to the one address that was set, not to where that redirects, and into no error.
//
// # Alternatives considered
//
// openai-go, by OpenAI, retries by itself, but adds 18.5 MB to the executable against 0.1 MB.
package openai

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	api "github.com/sashabaranov/go-openai"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Options say where the service is. BaseURL is needed.
type Options struct {
	BaseURL string // what /embeddings and the other routes are appended to
	Key     string // sent as a bearer token; without it, none is
	Log     *slog.Logger
	// Used is told the tokens of every answer; nobody is when nil.
	Used func(in, out int)

	// For tests; a zero value is the real thing.
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

	requests, tokens atomic.Int64
}

// New makes a client; nothing is sent yet. A BaseURL that cannot be one is Invalid.
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

// CheckBaseURL refuses what is not the address of a service: http or https, without user, query or
// fragment. A key has its own setting.
func CheckBaseURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return fault.Field("BaseURL", "not an http or https address without user and query")
	}
	return nil
}

// Usage is what a client has asked for since it was made.
type Usage struct {
	Requests int64 // sent, repetitions included
	Tokens   int64 // that the service has counted
}

// Usage tells what was asked for so far.
func (c *Client) Usage() Usage { return Usage{c.requests.Load(), c.tokens.Load()} }

// httpClient follows no redirect: it would turn a POST into a GET, or take the key elsewhere.
func httpClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = maxInFlight
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

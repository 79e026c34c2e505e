// Package send sends a message to a receiver: a signed webhook, a service such as Slack, or a mailbox.
//
// Every connection passes the guard of package fetch, so an address that a user entered cannot reach internal hosts.
// Redirects are not followed, so the answer of a receiver never decides where a message goes. A send takes at most
// [Timeout]. Its result contains at most [MaxAnswer] bytes of the receiver's answer, and no address.
package send

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/fetch"
)

// Bounds of a send.
const (
	Timeout   = 15 * time.Second
	MaxAnswer = 500      // number of bytes of an answer that are stored
	maxRead   = 16 << 10 // number of bytes of an answer that are read
	maxText   = 3500     // number of characters of a message; the builder for Discord applies a lower limit
	maxAfter  = 4 * time.Hour
)

// Message is a message to a receiver.
type Message struct {
	ID    string // letters, digits and hyphens; the same for every attempt to send the message
	Title string // one line
	Text  string // several lines; may be empty
	URL   string // address of the page; may be empty
	Body  []byte // the body that webhooks receive
}

// Target is where a message goes: the URL of a webhook with its signing key, or the address of a service.
type Target struct {
	Webhook string
	Key     []byte // the key that signs messages to a webhook
	Service string // an address such as slack://…
}

// Result is the result of an attempt to send a message.
type Result struct {
	api.ReceiverAnswer

	Final bool          // a retry would fail in the same way
	After time.Duration // the pause that the receiver asks for; zero if it asks for none
	Ill   bool          // the receiver accepts no message at all now
}

// Sender sends messages. It is safe for concurrent use.
type Sender struct {
	http  *http.Client
	agent string
	mail  func(ctx context.Context, address string) (net.Conn, error)
	roots mailRoots
	now   func() time.Time
}

// New makes a sender whose connections pass the guard of the given client.
func New(web *fetch.Client, agent string, now func() time.Time) *Sender {
	return &Sender{
		http: &http.Client{Transport: web.Transport(), Timeout: Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		agent: agent, mail: web.Dialer(mailPorts...), now: now,
	}
}

// Send sends a message to a target.
func (s *Sender) Send(ctx context.Context, to Target, m Message) Result {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	if to.Webhook != "" {
		return s.webhook(ctx, to, m)
	}
	u, _, err := service(to.Service)
	switch {
	case err != nil:
		return refused(err)
	case u.Scheme == "smtp":
		return s.letter(ctx, u, m)
	}
	requests, err := services[u.Scheme](u, m)
	if err != nil {
		return refused(err)
	}
	var last Result
	for _, r := range requests {
		if last = s.post(ctx, r); !last.OK {
			break
		}
	}
	return last
}

// refused returns the result for a message that can never be sent.
func refused(err error) Result {
	return Result{ReceiverAnswer: api.ReceiverAnswer{Error: err.Error()}, Final: true}
}

// request is an HTTP request.
type request struct {
	method string // POST if empty
	url    string
	header http.Header
	body   []byte
}

// post makes a request and reads the receiver's answer.
func (s *Sender) post(ctx context.Context, r request) Result {
	method := http.MethodPost
	if r.method != "" {
		method = r.method
	}
	req, err := http.NewRequestWithContext(ctx, method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return refused(errors.New("its address cannot be read"))
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", s.agent)
	res, err := s.http.Do(req)
	if err != nil {
		return unreached(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxRead))
	out := Result{ReceiverAnswer: api.ReceiverAnswer{Status: res.StatusCode, Body: shown(body)}}
	switch code := res.StatusCode; {
	case code >= 200 && code < 300:
		out.OK = true
	case code >= 300 && code < 400:
		out.Error = "it redirects, which is not followed: use the address that it leads to"
	case code == http.StatusGone:
		out.Error, out.Final = "it is gone for good", true
	case code == http.StatusTooManyRequests || code >= 500 || code == http.StatusRequestTimeout:
		out.Error, out.Ill = "it cannot take messages now", true
		if n, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && n > 0 {
			out.After = min(time.Duration(min(n, 1<<20))*time.Second, maxAfter)
		}
	default:
		out.Error = "it refuses the message"
	}
	return out
}

// unreached returns the result of a request that got no answer. Its error contains no address, because the address
// may be a secret.
func unreached(err error) Result {
	out := Result{Ill: true}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	switch {
	case fault.Is(err, fault.Blocked):
		out.Error = err.Error() + "; if the receiver is yours, add its host to WEBHOOK_ALLOW_HOSTS and start again"
	case fault.Is(err, fault.Invalid):
		out.Error = err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		out.Error = "no answer within " + Timeout.String()
	default:
		out.Error = "no answer: " + err.Error()
	}
	return out
}

// shown returns the beginning of an answer in a form that is fit for display.
func shown(body []byte) string {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(body), "\uFFFD"))
	return words.Ellipsis(strings.TrimSpace(text), MaxAnswer)
}

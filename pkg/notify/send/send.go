// Package send sends a message to a receiver: a signed webhook, a service such as Slack, or a mailbox.
//
// Every connection passes the guard of package fetch, so an address that a user entered cannot reach internal hosts.
// Redirects are not followed, so the answer of a receiver never decides where a message goes. A send takes at most
// [Timeout]. Its result names the receiver, contains at most maxAnswer bytes of its answer, and never the address
// with its secrets.
package send

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	maxAnswer = 500       // number of bytes of an answer that are stored
	maxRead   = 256 << 10 // number of bytes of an answer that are read; services repeat the message in it
	maxAfter  = 4 * time.Hour
)

// Message is a message to a receiver.
type Message struct {
	ID    string // letters, digits and hyphens; the same for every attempt to send the message
	Title string // one line
	Text  string // several lines; may be empty. What is too long for a service is cut
	URL   string // address of the page; may be empty
	Foot  string // lines that follow the text, links among them. A service gets those that fit
	Mail  string // the text that mail gets in place of all of these; may be empty
	HTML  string // the same in HTML; may be empty
	Body  []byte // the body that webhooks receive
	Stop  string // address that stops such mails at one press; may be empty
	Alone bool   // the text stands without the address and the foot, as a user has worded it
}

// Target is where a message goes: the URL of a webhook with its signing key, or the address of a service. An address
// may have several receivers, such as chats. See [Check].
type Target struct {
	Webhook string
	Key     []byte   // the key that signs messages to a webhook
	Service string   // an address such as slack://…
	Only    []string // the names of the receivers that the message is for; nil for all of them
}

// Result is the result of an attempt to send a message to a receiver.
type Result struct {
	api.ReceiverAnswer

	Name  string        // the receiver; see [Check]
	Final bool          // a retry would fail in the same way
	After time.Duration // the pause that the receiver asks for; zero if it asks for none
	Ill   bool          // the receiver accepts no message at all now
}

// Sender sends messages. It is safe for concurrent use.
type Sender struct {
	http  *http.Client
	agent string
	mail  func(ctx context.Context, address string) (net.Conn, error)
	admit func(ctx context.Context, address string, ports ...uint16) error
	roots mailRoots
	now   func() time.Time
}

// New makes a sender whose connections pass the guard of the given client.
func New(web *fetch.Client, agent string, now func() time.Time) *Sender {
	return &Sender{
		http: &http.Client{Transport: web.Transport(), Timeout: Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		agent: agent, mail: web.Dialer(mailPorts...), admit: web.AdmitAddress, now: now,
	}
}

// Send sends a message to the receivers of a target, to each for itself, and returns a result for each.
func (s *Sender) Send(ctx context.Context, to Target, m Message) []Result {
	out, hide := s.send(ctx, to, m), secretsOf(to)
	for i := range out {
		out[i].Body, out[i].Error = hidden(out[i].Body, hide), hidden(out[i].Error, hide)
	}
	return out
}

func (s *Sender) send(ctx context.Context, to Target, m Message) []Result {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	if to.Webhook != "" {
		return []Result{s.webhook(ctx, to, m)}
	}
	u, kind, err := service(to.Service)
	if err != nil {
		return []Result{refused(err)}
	}
	if u.Scheme == "smtp" {
		return s.letter(ctx, u, to.Only, m)
	}
	requests, err := kind.build(u, m)
	if err != nil {
		return []Result{refused(err)}
	}
	requests = slices.DeleteFunc(requests, func(r request) bool { return !wanted(to.Only, r.name) })
	out := make([]Result, len(requests))
	var group sync.WaitGroup // a receiver that does not answer costs the others no time
	for i, r := range requests {
		group.Go(func() {
			out[i] = s.post(ctx, r, kind.refusal)
			out[i].Name = r.name
		})
	}
	group.Wait()
	return out
}

func wanted(only []string, name string) bool { return only == nil || slices.Contains(only, name) }

// Summary returns one answer for a message to several receivers. It is OK if all of them took the message; if not, its
// error names those that did not.
func Summary(all []Result) (out api.ReceiverAnswer) {
	var failed []string
	for _, r := range all {
		if len(failed) == 0 {
			out = r.ReceiverAnswer // the first that failed, or the last if none did
		}
		if !r.OK {
			failed = append(failed, r.Name+": "+r.Error)
		}
	}
	if len(failed) > 0 && (len(all) > 1 || all[0].Name != "") {
		const most = 5
		if more := len(failed) - most; more > 0 {
			failed = append(failed[:most], fmt.Sprintf("and %d more", more))
		}
		out.Error = "not sent to " + strings.Join(failed, "; ")
	}
	return out
}

// refused returns the result for a message that can never be sent.
func refused(err error) Result {
	return Result{ReceiverAnswer: api.ReceiverAnswer{Error: err.Error()}, Final: true}
}

// request is an HTTP request to a receiver.
type request struct {
	name   string // of the receiver, if the address has several
	method string // POST if empty
	url    string
	header http.Header
	body   []byte
}

// post makes a request and reads the receiver's answer. refusal says why an answer with a status of success refuses the
// message; nil if none does.
func (s *Sender) post(ctx context.Context, r request, refusal refusal) Result {
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
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRead))
	out := Result{ReceiverAnswer: api.ReceiverAnswer{Status: res.StatusCode, Body: shown(body)}}
	switch code := res.StatusCode; {
	case code >= 200 && code < 300:
		if err != nil && refusal != nil {
			return unreached(err) // the rest of the body might refuse the message
		}
		var why string
		if refusal != nil {
			why = refusal(body)
		}
		if out.OK = why == ""; out.OK {
			return out
		}
		out.Error, out.Ill = "it refuses the message: "+why, overloaded.MatchString(why)
	case code >= 300 && code < 400:
		out.Error = "it redirects, which is not followed: use the address that it leads to"
	case code == http.StatusGone:
		out.Error, out.Final = "it is gone for good", true
	case code == http.StatusTooManyRequests || code >= 500 || code == http.StatusRequestTimeout:
		out.Error, out.Ill = "it cannot take messages now", true
	default:
		out.Error = "it refuses the message"
	}
	out.After = asked(res.Header, body, s.now())
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
		out.NotSent = true
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
	return words.Ellipsis(strings.TrimSpace(text), maxAnswer)
}

// keyPrefix is the beginning of a secret in the form of Standard Webhooks (https://www.standardwebhooks.com).
const keyPrefix = "whsec_"

// NewSecret makes a secret for signing webhooks.
func NewSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return keyPrefix + base64.StdEncoding.EncodeToString(key)
}

// Key decodes a secret and returns the signing key. The error does not repeat the secret.
func Key(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, keyPrefix))
	if err != nil || len(key) < 24 || len(key) > 64 {
		return nil, fault.New(fault.Invalid, "want %s and 24 to 64 bytes in base64", keyPrefix)
	}
	return key, nil
}

// sign returns the signature of a message with the given id and body, for the given time of sending.
func sign(key []byte, id string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.", id, at.Unix())
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func (s *Sender) webhook(ctx context.Context, to Target, m Message) Result {
	now := s.now()
	return s.post(ctx, request{url: to.Webhook, body: m.Body, header: http.Header{
		"Content-Type":      {"application/cloudevents+json; charset=utf-8"},
		"Webhook-Id":        {m.ID},
		"Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)},
		"Webhook-Signature": {sign(to.Key, m.ID, now, m.Body)},
	}}, nil)
}

// Shorter texts are not hidden, since they occur in any answer.
const (
	leastSecret  = 4
	leastSegment = 8
)

// secretsOf returns the secrets of a target: tokens, passwords, parts of the path and of the query of its address. The
// longest is the first. User names and addresses of mail are not secret.
func secretsOf(to Target) (out []string) {
	add := func(least int, all ...string) {
		for _, text := range all {
			if len(text) >= least {
				out = append(out, text, url.PathEscape(text), url.QueryEscape(text))
			}
		}
	}
	u, err := url.Parse(cmp.Or(to.Webhook, to.Service))
	if err != nil {
		return nil
	}
	password, _ := u.User.Password()
	add(leastSecret, password)
	if len(to.Key) > 0 {
		add(leastSecret, base64.StdEncoding.EncodeToString(to.Key))
	}
	if !strings.EqualFold(u.Scheme, "smtp") {
		add(leastSecret, u.User.Username())
		add(leastSegment, strings.Split(u.Path, "/")...)
		for _, values := range u.Query() {
			add(leastSegment, values...)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// hidden replaces secrets in a text, and the beginning of one at the end of a text that was cut.
func hidden(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "…")
	}
	start, cut := strings.CutSuffix(text, "…")
	if !cut {
		return text
	}
	for _, secret := range secrets {
		for n := len(secret) - 1; n >= leastSecret; n-- {
			if short, found := strings.CutSuffix(start, secret[:n]); found {
				return short + "…"
			}
		}
	}
	return text
}

// Mail is the name of the service that sends mail.
const Mail = "smtp"

// Address is where a message is sent.
type Address struct {
	HostPort string // host and port
	Mail     bool   // a mail server, which has other ports
}

// Addresses returns where the messages to a target are sent. It is empty if the target cannot be read.
func Addresses(t Target) (out []Address) {
	if t.Webhook != "" {
		return webAddress(t.Webhook)
	}
	u, kind, err := service(t.Service)
	if err != nil {
		return nil
	}
	if u.Scheme == Mail {
		b, err := mailbox(u)
		if err != nil {
			return nil
		}
		return append([]Address{{b.address, true}}, webAddress(b.grant.address)...)
	}
	requests, _ := kind.build(u, Message{ID: "check"})
	if len(requests) == 0 {
		return nil
	}
	return webAddress(requests[0].url)
}

func webAddress(text string) []Address {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return []Address{{net.JoinHostPort(u.Hostname(), port), false}}
}

// Admit checks whether messages may be sent to addresses. It looks up names, and connects to nobody. Errors: Blocked,
// with what to do about it; Unavailable if a name cannot be looked up.
func (s *Sender) Admit(ctx context.Context, to ...Address) error {
	for _, a := range to {
		ports := webPorts
		if a.Mail {
			ports = mailPorts
		}
		if err := s.admit(ctx, a.HostPort, ports...); fault.Is(err, fault.Blocked) {
			return fault.New(fault.Blocked, "Tidemark may not send anything to %s (%w). %s", a.HostPort, err, advice(a.HostPort))
		} else if err != nil {
			return err
		}
	}
	return nil
}

// advice says how an address is allowed.
func advice(hostPort string) string {
	return "If the receiver is yours, add it to the setting WEBHOOK_ALLOW_HOSTS, such as WEBHOOK_ALLOW_HOSTS=" + hostPort +
		", and start Tidemark again. Only the person who runs Tidemark can do that, so that a channel cannot be used to " +
		"reach machines of your network"
}

var webPorts = []uint16{80, 443}

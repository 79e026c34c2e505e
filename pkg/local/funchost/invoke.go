package funchost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

const (
	hostVersion = "4.1052.200"
	userAgent   = "Azure-Functions-Host/" + hostVersion

	headerVersion    = "X-Azure-Functions-HostVersion"
	headerInvocation = "X-Azure-Functions-InvocationId"
)

// errTimeout is the cause of an invocation that ran longer than functionTimeout.
var errTimeout = fault.New(fault.Unavailable, "ran longer than functionTimeout")

// newEnvelopeClient returns the client for envelopes. It follows redirects, as the real host does.
func newEnvelopeClient() *http.Client {
	t := newProxyTransport()
	t.DialContext = nil // an envelope that is not taken is sent again with its message
	return &http.Client{Transport: t}
}

// An invoker runs functions in the handler process.
type invoker struct {
	handler *supervisor
	client  *http.Client
	timeout time.Duration // functionTimeout
	log     *slog.Logger
	wake    func() // called when new messages are likely
}

// invoke sends an envelope to the handler to run one function. If that takes longer than functionTimeout, invoke
// kills the handler process.
func (i *invoker) invoke(ctx context.Context, f *function, e envelope) (err error) {
	id := uuid.NewString()
	begin := time.Now()
	defer func() { i.report(f, id, begin, err) }()
	defer fault.Wrap(&err, "function %s", f.name)
	c, err := i.handler.await(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := i.limit(ctx)
	defer cancel()
	defer i.wakeEach(wakeEvery)()
	logs, err := i.post(ctx, c, f, id, e)
	if errors.Is(err, errNoResult) {
		i.log.Error("EMPTY ANSWER: the real host hangs here until functionTimeout and then kills the handler; always "+
			"answer a JSON object, {} at least",
			"function", f.name, "invocation", id)
		<-ctx.Done()
	}
	if context.Cause(ctx) == errTimeout {
		i.handler.restart(c, "function "+f.name+" "+errTimeout.Error())
		return errors.Join(errTimeout, err)
	}
	if err != nil {
		return err
	}
	for _, line := range logs {
		i.log.Info("function says", "function", f.name, "invocation", id, "line", line)
	}
	// New messages often appear when an invocation ends.
	i.wake()
	return nil
}

// wakeEvery is the time between two polls of idle queues while an invocation runs, which may send messages.
const wakeEvery = time.Second

// wakeEach calls wake at intervals until stop is called.
func (i *invoker) wakeEach(interval time.Duration) (stop func()) {
	ticker, done := time.NewTicker(interval), make(chan struct{})
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				i.wake()
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}

// limit returns a context that ends after functionTimeout.
func (i *invoker) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, i.timeout, errTimeout)
}

func (i *invoker) post(ctx context.Context, c *child, f *function, id string, e envelope) (logs []string, err error) {
	body, err := marshal(e)
	if err != nil {
		return nil, fault.New(fault.Invalid, "encode: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url()+"/"+f.name, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.ContentLength = -1 // chunked, as in Azure
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set(api.HostSecretHeader, c.secret)
	req.Header.Set(headerVersion, hostVersion)
	req.Header.Set(headerInvocation, id)
	resp, err := i.client.Do(req)
	if err != nil {
		i.handler.awaitEnd(ctx, c) // otherwise the message could fail once more before the death is noticed
		return nil, fault.New(fault.Unavailable, "%w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, fault.New(fault.Unavailable, "read answer: %w", err)
	}
	if len(answer) > maxBody {
		return nil, fault.New(fault.TooLarge, "answer of more than %d bytes", maxBody)
	}
	return readAnswer(resp.StatusCode, resp.Header.Get("Content-Type"), answer)
}

// report logs the end of an invocation that has failed.
func (i *invoker) report(f *function, id string, begin time.Time, err error) {
	if err != nil {
		i.log.Error("invocation failed", "function", f.name, "invocation", id, "dur", time.Since(begin),
			"kind", fault.KindOf(err), "err", err)
	}
}

// errNoResult is the error for an empty answer. The real host never notices such an answer: it keeps waiting until
// functionTimeout and then kills the process.
var errNoResult = fault.New(fault.Invalid, "empty answer")

// readAnswer evaluates a handler's answer by the rules of the real host, and returns its log lines. For an answer
// without content it returns errNoResult. It ignores values of outputs: no function.json defines outputs, and Azure
// ignores values of undefined outputs.
func readAnswer(status int, contentType string, body []byte) (logs []string, err error) {
	if status < 200 || status > 299 {
		return nil, fault.New(fault.Unavailable, "handler answered %d: %s", status, excerpt(body))
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if status == http.StatusNoContent || len(body) == 0 || string(body) == "null" {
		return nil, errNoResult
	}
	media, _, _ := mime.ParseMediaType(contentType)
	if media != "application/json" && media != "text/json" {
		return nil, fault.New(fault.Invalid, "handler answered with Content-Type %q, want application/json: %s", contentType,
			excerpt(body))
	}
	var r struct {
		Outputs map[string]json.RawMessage
		Logs    []string
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fault.New(fault.Invalid, "handler answered what is no invocation result: %w: %s", err, excerpt(body))
	}
	return r.Logs, nil
}

// excerpt returns the beginning of a body, for a log.
func excerpt(body []byte) string {
	const most = 500
	if len(body) > most {
		return strings.ToValidUTF8(string(body[:most]), "") + "…"
	}
	return string(body)
}

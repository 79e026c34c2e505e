package funchost

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
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

	// maxBody is what the real host takes in one request, FUNCTIONS_REQUEST_BODY_SIZE_LIMIT.
	maxBody = 104_857_600
)

// errTimeout is the cause of an invocation that ran longer than functionTimeout.
var errTimeout = fault.New(fault.Unavailable, "ran longer than functionTimeout")

// newInvoker makes the client for envelopes. It follows redirects, as the real host does.
func newInvoker() *http.Client {
	return &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     time.Minute,
		DisableCompression:  true,
	}}
}

// invoke runs one function by envelope. It takes as long as functionTimeout allows, and then kills the
// handler process.
func (h *Host) invoke(ctx context.Context, f *function, e envelope) (err error) {
	id := uuid.NewString()
	begin := time.Now()
	defer func() { h.report(f, id, begin, err) }()
	defer fault.Wrap(&err, "function %s", f.name)
	c, err := h.handler.await(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := h.limit(ctx)
	defer cancel()
	logs, err := h.post(ctx, c, f, id, e)
	if errors.Is(err, errNoResult) {
		h.log.Error("EMPTY ANSWER: the real host hangs here until functionTimeout and then kills the handler; always "+
			"answer a JSON object, {} at least",
			"function", f.name, "invocation", id)
		<-ctx.Done()
	}
	if context.Cause(ctx) == errTimeout {
		h.handler.restart(c, "function "+f.name+" "+errTimeout.Error())
		return errors.Join(errTimeout, err)
	}
	if err != nil {
		return err
	}
	for _, line := range logs {
		h.log.Info("function says", "function", f.name, "invocation", id, "line", line)
	}
	// The end of an invocation is when new messages appear.
	h.wake()
	return nil
}

// limit ends a context after functionTimeout.
func (h *Host) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, h.config.timeout, errTimeout)
}

func (h *Host) post(ctx context.Context, c *child, f *function, id string, e envelope) (logs []string, err error) {
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
	resp, err := h.client.Do(req)
	if err != nil {
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

// report logs the end of an invocation.
func (h *Host) report(f *function, id string, begin time.Time, err error) {
	took := time.Now().Sub(begin)
	if err != nil {
		h.log.Error("invocation failed", "function", f.name, "invocation", id, "dur", took,
			"kind", fault.KindOf(err), "err", err)
		return
	}
	h.log.Debug("invocation done", "function", f.name, "invocation", id, "dur", took)
}

package azure

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
)

// Service is one of the three services of an account.
type Service int

// The services that a [Counter] tells apart.
const (
	Table Service = iota
	Queue
	Blob
)

// call travels in the context of one call of the SDK. It counts the attempts, and for tables it carries the body in
// and the answer out: the SDK is called with a stand-in, callPolicy replaces it by the body and returns [errAnswered]
// instead of the answer, so that the SDK does not read it in its way.
type call struct {
	service  Service
	body     func(endpoint string) (body []byte, contentType string) // nil keeps the SDK's
	header   http.Header                                             // set beside the SDK's
	take     bool                                                    // keep the answer from the SDK
	batch    bool                                                    // the answer holds answers
	answer   *http.Response
	attempts atomic.Int32
	counters []*Counter
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// errAnswered tells the caller, through the SDK, that call.answer is set.
var errAnswered = errors.New("answered")

// send makes one call of the SDK with a deadline.
func send(ctx context.Context, s Service, do func(ctx context.Context) error) error {
	return (&call{service: s}).send(ctx, do)
}

func (c *call) send(ctx context.Context, do func(ctx context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := deadline(ctx)
	defer cancel()
	err := do(context.WithValue(ctx, callKey{}, c))
	if errors.Is(err, errAnswered) {
		return nil
	}
	return err
}

// retried reports whether the request was sent more than once, so that an earlier attempt may
// have done what the last one was refused.
func (c *call) retried() bool { return c.attempts.Load() > 1 }

// rows adds to the counters that saw the call.
func (c *call) rows(read, written int) {
	for _, counter := range c.counters {
		counter.rowsRead.Add(int64(read))
		counter.rowsWritten.Add(int64(written))
	}
}

// deadline bounds a call that has no bound. What the tries of a call hold on to ends with it.
func deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, callTimeout)
}

// callPolicy is the outermost policy.
type callPolicy struct{}

// Do is for the SDK.
func (callPolicy) Do(req *policy.Request) (*http.Response, error) {
	c := callOf(req.Raw().Context())
	if c == nil {
		return req.Next()
	}
	if c.body != nil {
		u := *req.Raw().URL
		u.RawQuery = ""
		body, contentType := c.body(u.String())
		if err := req.SetBody(streaming.NopCloser(bytes.NewReader(body)), contentType); err != nil {
			return nil, err
		}
	}
	for name, values := range c.header {
		req.Raw().Header[name] = values
	}
	resp, err := req.Next()
	if err != nil || !c.take || resp.StatusCode >= 400 {
		return resp, err
	}
	c.answer = resp
	return nil, errAnswered
}

// payload is the answer's body, which the pipeline has already read.
func (c *call) payload() ([]byte, error) { return runtime.Payload(c.answer) }

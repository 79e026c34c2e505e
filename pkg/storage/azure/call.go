package azure

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"sync/atomic"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
)

// Service is one of the three services of an account.
type Service int

// These are the services that a [Counter] distinguishes.
const (
	Table Service = iota
	Queue
	Blob
)

// A call is carried in the context of one call of the SDK. It counts the attempts. For tables, the SDK gets a
// placeholder body, which callPolicy replaces with the real body from the call. callPolicy also stores the answer in
// the call and returns [errAnswered] to the SDK, so that the SDK does not decode the answer.
type call struct {
	service    Service
	body       func(endpoint string) (body []byte, contentType string) // nil keeps the SDK's body
	header     http.Header                                             // sent in addition to the SDK's header
	keepAnswer bool                                                    // the SDK does not get the answer
	batch      bool                                                    // the answer contains several responses
	answer     *http.Response
	attempts   atomic.Int32
	counters   []*Counter
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// errAnswered passes through the SDK to the caller if call.answer is set.
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

// retried reports whether the request was sent more than once. If it was, the last try may have failed because an
// earlier one succeeded.
func (c *call) retried() bool { return c.attempts.Load() > 1 }

// rows adds the numbers of rows to the counters that observe this call.
func (c *call) rows(read, written int) {
	for _, counter := range c.counters {
		counter.rowsRead.Add(int64(read))
		counter.rowsWritten.Add(int64(written))
	}
}

// deadline sets a deadline for a call that has none. The cancel function also releases the resources that the tries
// of the call hold.
func deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, callTimeout)
}

// callPolicy is the outermost policy.
type callPolicy struct{}

// Do implements [policy.Policy].
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
	maps.Copy(req.Raw().Header, c.header)
	resp, err := req.Next()
	if err != nil || !c.keepAnswer || resp.StatusCode >= 400 {
		return resp, err
	}
	c.answer = resp
	return nil, errAnswered
}

// payload returns the body of the answer, which the pipeline has already read.
func (c *call) payload() ([]byte, error) { return runtime.Payload(c.answer) }

// Counter counts the requests that stores send to Azure. It includes retries, because Azure bills them. One counter
// may serve several stores. It is for benchmarks and status pages.
type Counter struct {
	requests              [3]atomic.Int64
	rowsRead, rowsWritten atomic.Int64
}

// Counts is a snapshot of a [Counter].
type Counts struct {
	Table, Queue, Blob int64 // requests that were sent, including retries
	RowsRead           int64 // entities in the answers to Get and Query
	RowsWritten        int64 // entities in transactions that were applied, including deletes
}

// Policy returns a policy that counts requests. Add it to [Options.Policies].
func (c *Counter) Policy() policy.Policy { return counting{c} }

// Snapshot returns the counts so far. If calls are running, the counts may be from slightly different moments.
func (c *Counter) Snapshot() Counts {
	return Counts{
		Table: c.requests[Table].Load(), Queue: c.requests[Queue].Load(), Blob: c.requests[Blob].Load(),
		RowsRead: c.rowsRead.Load(), RowsWritten: c.rowsWritten.Load(),
	}
}

// Sub returns the counts since an earlier snapshot.
func (c Counts) Sub(earlier Counts) Counts {
	return Counts{
		Table: c.Table - earlier.Table, Queue: c.Queue - earlier.Queue, Blob: c.Blob - earlier.Blob,
		RowsRead: c.RowsRead - earlier.RowsRead, RowsWritten: c.RowsWritten - earlier.RowsWritten,
	}
}

type counting struct{ *Counter }

// Do implements [policy.Policy].
func (p counting) Do(req *policy.Request) (*http.Response, error) {
	c := callOf(req.Raw().Context())
	if c == nil {
		return req.Next()
	}
	c.counters = append(c.counters, p.Counter)
	before := c.attempts.Load()
	resp, err := req.Next()
	p.requests[c.service].Add(int64(c.attempts.Load() - before))
	return resp, err
}

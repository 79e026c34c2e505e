package azure

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
)

const (
	// tryTimeout is how long a try may take until its answer begins, so that one that is never answered
	// leaves time for others within [callTimeout].
	tryTimeout = 8 * time.Second
	// slowest is the rate, in bytes a second, at which a body may be sent beside it.
	slowest = 256 << 10
)

// attemptPolicy runs once for every time a request is sent.
type attemptPolicy struct{ timeout time.Duration }

// Do is for the SDK, which retries what this returns if it is worth it.
func (p attemptPolicy) Do(req *policy.Request) (*http.Response, error) {
	c := callOf(req.Raw().Context())
	if c != nil {
		c.attempts.Add(1)
	}
	resp, err := inTime(req, p.allowed(req.Raw().ContentLength))
	if err == nil && c != nil && c.batch {
		showRefusal(resp)
	}
	return resp, err
}

// allowed is how long a try with a body of so many bytes may take.
func (p attemptPolicy) allowed(bytes int64) time.Duration {
	return p.timeout + time.Duration(max(bytes, 0))*time.Second/slowest
}

var errNoAnswer = errors.New("no answer in time")

// inTime sends a request and gives up when the answer does not come. Where the SDK reads the answer
// itself, that is part of it; a blob, which its reader reads later, may take longer, so the SDK's own
// limit of a try will not do.
func inTime(req *policy.Request, limit time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Raw().Context())
	timer := time.AfterFunc(limit, func() { cancel(errNoAnswer) })
	resp, err := req.Clone(ctx).Next()
	if timer.Stop() || err == nil {
		return resp, err
	}
	return nil, errNoAnswer
}

// showRefusal makes an answer that says 202, and within it that the service is busy or has failed, one
// that says so itself: the SDK retries it as it does others, and it means the same in the end.
func showRefusal(resp *http.Response) {
	body, err := runtime.Payload(resp)
	if err != nil || resp.StatusCode >= 400 {
		return
	}
	parts, _ := parseBatch(body) // what cannot be read is told later
	for _, p := range parts {
		if p.status >= 500 || p.status == http.StatusTooManyRequests || p.status == http.StatusRequestTimeout {
			resp.StatusCode, resp.Status = p.status, http.StatusText(p.status)
			resp.Header.Set("x-ms-error-code", p.code)
			return
		}
	}
}

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
	// tryTimeout limits the time until the answer to a try begins. A try that is never answered must leave time for
	// other tries within [callTimeout].
	tryTimeout = 8 * time.Second
	// slowest is the lowest rate, in bytes per second, at which a body may be sent. The time for sending a body at
	// this rate is added to tryTimeout.
	slowest = 256 << 10
)

// attemptPolicy is applied to each attempt to send a request.
type attemptPolicy struct{ timeout time.Duration }

// Do implements [policy.Policy]. When it returns an error, the SDK retries the request if that makes sense.
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

// allowed returns the time that a try may take with a body of the given size.
func (p attemptPolicy) allowed(bytes int64) time.Duration {
	return p.timeout + time.Duration(max(bytes, 0))*time.Second/slowest
}

var errNoAnswer = errors.New("no answer in time")

// inTime sends a request and gives up if no answer arrives within the limit. If the SDK itself reads the body of the
// answer, the limit includes the reading. The body of a blob is read later and may take longer. This is why the SDK's
// own limit for a try is not used.
func inTime(req *policy.Request, limit time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Raw().Context())
	timer := time.AfterFunc(limit, func() { cancel(errNoAnswer) })
	resp, err := req.Clone(ctx).Next()
	if timer.Stop() || err == nil {
		return resp, err
	}
	return nil, errNoAnswer
}

// showRefusal changes an answer with status 202 whose body says that the service is busy or has failed. The answer
// gets the status of the failure. So the SDK retries the request as after any other failure, and the final error is
// the same.
func showRefusal(resp *http.Response) {
	body, err := runtime.Payload(resp)
	if err != nil || resp.StatusCode >= 400 {
		return
	}
	parts, _ := parseBatch(body) // unreadable parts are reported later
	for _, p := range parts {
		if p.status >= 500 || p.status == http.StatusTooManyRequests || p.status == http.StatusRequestTimeout {
			resp.StatusCode, resp.Status = p.status, http.StatusText(p.status)
			resp.Header.Set("x-ms-error-code", p.code)
			return
		}
	}
}

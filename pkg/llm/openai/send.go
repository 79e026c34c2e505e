package openai

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Bounds of requests and answers.
const (
	maxInFlight = 4                // number of concurrent requests of the process
	maxTries    = 4                // number of attempts of a request
	maxPause    = 20 * time.Second // if the service asks for a longer pause, the caller gets the error
	tryTime     = time.Minute      // duration of one attempt, including reading the body
	maxAnswer   = 32 << 20         // bytes of an answer; 64 vectors of 3,072 numbers are 5 MB
)

// sender sends requests, with retries, and turns every unsuccessful answer into an error with its kind. The library
// uses a sender in place of an [http.Client].
type sender struct {
	Options
	client  *http.Client
	permits chan struct{} // contains a token for each request in flight
	sent    *atomic.Int64
}

// Do sends a request. If the body cannot be read again, Do does not retry the request.
func (s *sender) Do(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	c := callOf(ctx)
	for try := 1; ; try++ {
		c.attempts++
		resp, err := s.once(req)
		if err == nil {
			return resp, nil
		}
		pause := s.pause(err, try)
		if try == maxTries || !c.again(ctx, err) || pause > maxPause || req.GetBody == nil {
			return nil, err
		}
		s.Log.WarnContext(ctx, "request to model repeated", "try", try, "pause", pause, "err", err)
		if s.Sleep(ctx, pause) != nil {
			return nil, err // the failure of an attempt is more informative than the timeout
		}
		if req.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
}

// pause returns the pause that the service asks for. If the service asks for none, the pause is half a second,
// doubled with each attempt, plus up to half of that at random.
func (s *sender) pause(err error, try int) time.Duration {
	if after := fault.RetryAfter(err); after > 0 {
		return after
	}
	backoff := 500 * time.Millisecond << (try - 1)
	return backoff + time.Duration(s.Jitter()*float64(backoff)/2)
}

// once sends a request without a retry. It keeps its permit until the answer has been read.
func (s *sender) once(req *http.Request) (*http.Response, error) {
	select {
	case s.permits <- struct{}{}:
		defer func() { <-s.permits }()
	case <-req.Context().Done():
		return nil, fault.New(fault.Unavailable, "waiting for other requests to the model: %w", req.Context().Err())
	}
	ctx, cancel := context.WithTimeout(req.Context(), tryTime)
	defer cancel()
	s.sent.Add(1)
	resp, err := s.client.Do(req.WithContext(ctx))
	if err != nil {
		return nil, fault.New(fault.Unavailable, "%s does not answer (OPENAI_BASE_URL): %w", s.BaseURL, s.clean(err))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299: // Azure answers 201 to what it has created
		return nil, s.refused(callOf(req.Context()), resp, body)
	case err != nil:
		return nil, fault.New(fault.Unavailable, "%s: the answer broke off: %w", s.BaseURL, s.clean(err))
	case len(body) > maxAnswer:
		return nil, fault.New(fault.Unavailable, "%s: the answer has more than %d bytes", s.BaseURL, maxAnswer)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// retryAfter parses a Retry-After header, which is a number of seconds or a date (RFC 9110 §10.2.3). The result is in
// [0, 1 day].
func retryAfter(value string, now time.Time) time.Duration {
	const most = 24 * time.Hour
	if n, err := strconv.ParseFloat(value, 64); err == nil && n >= 0 { // some services send fractions of seconds
		return time.Duration(min(n, most.Seconds()) * float64(time.Second))
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), most)
}

package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/llm"
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

// maxMessage limits the length of the quoted part of a service's message, in bytes.
const maxMessage = 300

// pendingPause is the pause before a batch is started again whose file the service is still processing.
const pendingPause = 10 * time.Second

// notReady matches the messages of services that are still processing the file of a batch, among them Azure OpenAI.
var notReady = regexp.MustCompile(`(?i)not (?:yet )?in a terminal state|(?:is|are|still) (?:being )?(?:pending|processed|` +
	`processing|validated|uploading)|not (?:yet )?(?:ready|processed|been processed)|file.{0,80}\bpending\b`)

// refused returns the error for an unsuccessful answer. The field of the error is the setting that the user should
// check.
func (s *sender) refused(c *call, resp *http.Response, body []byte) error {
	said := s.messageOf(body)
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		// The service's message is omitted, because services repeat parts of the key.
		return fault.New(fault.Blocked, "%s refuses the key with HTTP %d: check LITELLM_MASTER_KEY", s.BaseURL, code)
	case code == http.StatusNotFound && c.setting == "":
		return fault.New(fault.NotFound, "%s has no such file or batch, or no %s at all (OPENAI_BASE_URL): %s", s.BaseURL,
			c.route, said)
	case code == http.StatusNotFound:
		return fault.Field("Model", "%s has no such model or route: check %s and OPENAI_BASE_URL: %s", s.BaseURL,
			c.setting, said)
	case code >= 300 && code < 400:
		return fault.Field("BaseURL", "%s redirects elsewhere: set OPENAI_BASE_URL to the final address", s.BaseURL)
	case code == http.StatusTooManyRequests:
		return fault.After(retryAfter(resp.Header.Get("Retry-After"), s.Now()), "%s asks for a pause: %s", s.BaseURL, said)
	case code >= 500 || code == http.StatusRequestTimeout:
		return s.unavailable(resp, said)
	case c.route == "/batches" && notReady.MatchString(said):
		return fault.After(pendingPause, "%w: %s", llm.ErrPending, said)
	default: // 400, 413, 422: too many texts, a text that is too long, or an unknown model
		return fault.Field("Input", "%s refuses the request with HTTP %d: %s", s.BaseURL, code, said)
	}
}

// unavailable returns an Unavailable error, with the pause that a 503 may ask for.
func (s *sender) unavailable(resp *http.Response, said string) error {
	after := retryAfter(resp.Header.Get("Retry-After"), s.Now())
	if after > 0 {
		return fault.After(after, "%s answers HTTP %d: %s", s.BaseURL, resp.StatusCode, said)
	}
	return fault.New(fault.Unavailable, "%s answers HTTP %d: %s", s.BaseURL, resp.StatusCode, said)
}

// messageOf returns the message in the body of an error. The message is truncated, and the key is removed.
func (s *sender) messageOf(body []byte) string {
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	text := string(body)
	if json.Unmarshal(body, &answer) == nil && answer.Error.Message != "" {
		text = answer.Error.Message
	}
	return s.excerpt(text)
}

// excerpt truncates a service's message, and removes the key from it.
func (s *sender) excerpt(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(s.secretless(text), "")), " ")
	return words.Ellipsis(text, maxMessage)
}

func (s *sender) secretless(text string) string {
	if s.Key == "" {
		return text
	}
	return strings.ReplaceAll(text, s.Key, "…")
}

// clean returns err, unless its text contains the key. In that case it returns another error, whose text is without
// the key.
func (s *sender) clean(err error) error {
	if text := err.Error(); s.secretless(text) != text {
		return fault.New(fault.Unavailable, "%s", s.secretless(text))
	}
	return err
}

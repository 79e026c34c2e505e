package azureaisearch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// apiVersion is the version of the service's API.
const apiVersion = "2026-04-01"

// Limits on the number of bytes that are read of an answer. An answer with a thousand chunks has a few MB.
const (
	maxAnswer  = 64 << 20
	maxMessage = 300 // number of bytes of the service's message that an error quotes at most
)

// service calls the REST API of one index.
type service struct {
	endpoint string
	name     string // name of the index
	pipeline runtime.Pipeline
	pause    time.Duration // the pause before documents that failed individually are sent again
}

// request is a call of the service.
type request struct {
	method, path  string // path is appended to the address of the index
	header, value string // one additional header, or ""
	body          []byte
}

// metadata returns the level of metadata that the answer should have. The definition of an index must come with its
// ETag, which the level "none" would omit (OData JSON Format 4.0, section 3.1.3).
func (r request) metadata() string {
	if r.path == "" {
		return "minimal"
	}
	return "none"
}

// call sends a request and decodes the answer into out. It also returns the status when it returns an error. The
// status is 0 if there was no answer.
func (s *service) call(ctx context.Context, r request, out any) (status int, err error) {
	req, err := runtime.NewRequest(ctx, r.method, fmt.Sprintf("%s/indexes('%s')%s?api-version=%s", s.endpoint, s.name,
		r.path, apiVersion))
	if err != nil {
		return 0, err
	}
	req.Raw().Header.Set("Accept", "application/json;odata.metadata="+r.metadata())
	if r.method == http.MethodPut {
		req.Raw().Header.Set("Prefer", "return=representation") // the specification requires this header
	}
	if r.header != "" {
		req.Raw().Header.Set(r.header, r.value)
	}
	if r.body != nil {
		if err := req.SetBody(streaming.NopCloser(bytes.NewReader(r.body)), "application/json"); err != nil {
			return 0, err
		}
	}
	resp, err := s.pipeline.Do(req)
	if err != nil {
		return 0, fault.New(fault.Unavailable, "the search service did not answer: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return 0, fault.New(fault.Unavailable, "the search service's answer broke off: %w", err)
	}
	if resp.StatusCode >= 300 {
		return resp.StatusCode, refusal(resp, body, time.Now())
	}
	if out == nil || len(body) == 0 {
		return resp.StatusCode, nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return resp.StatusCode, fault.New(fault.Unavailable, "the search service's answer cannot be read: %w", err)
	}
	return resp.StatusCode, nil
}

// refusal converts an unsuccessful answer to an error with a kind
// (https://learn.microsoft.com/rest/api/searchservice/http-status-codes). A bad request is Internal, because it is a
// bug in this program: the service reports errors in pages for each document, not for the request. Everything else is
// Unavailable, because an operator has to repair keys, permissions and missing indexes.
func refusal(resp *http.Response, body []byte, now time.Time) error {
	text := fmt.Sprintf("the search service answers %d: %s", resp.StatusCode, message(body))
	switch resp.StatusCode {
	case http.StatusBadRequest:
		return fault.New(fault.Internal, "%s", text)
	case http.StatusPreconditionFailed:
		return fault.New(fault.Conflict, "%s", text)
	case http.StatusRequestEntityTooLarge:
		return fault.New(fault.TooLarge, "%s", text)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if d := retryAfter(resp.Header.Get("Retry-After"), now); d > 0 {
			return fault.After(d, "%s", text)
		}
		if resp.StatusCode == http.StatusTooManyRequests {
			return fault.New(fault.Throttled, "%s", text)
		}
	}
	return fault.New(fault.Unavailable, "%s", text)
}

// message returns the service's error message, from {"error":{"message":…}}.
func message(body []byte) string {
	var said struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &said) != nil || said.Error.Message == "" {
		return "no reason is given"
	}
	return plain(said.Error.Message[:min(len(said.Error.Message), maxMessage)])
}

// retryAfter parses a Retry-After header (RFC 9110 section 10.2.3), which holds seconds or a date. The result is at
// most a day.
func retryAfter(value string, now time.Time) time.Duration {
	d := time.Duration(0)
	if seconds, err := strconv.Atoi(value); err == nil {
		d = time.Duration(min(seconds, 86_400)) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), 24*time.Hour)
}

package openai

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/llm"
)

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

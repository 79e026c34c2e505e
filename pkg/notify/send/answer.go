package send

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
)

// refusal returns the reason why an answer refuses a message, although its HTTP status is that of success. It returns
// "" if the receiver took the message.
type refusal func(body []byte) string

const (
	noReason = "it gives no reason"
	noYes    = "its answer does not say that it has taken the message"
)

// overloaded matches the reasons of a receiver that takes no message now.
var overloaded = regexp.MustCompile(
	`(?i)rate.?limit|too many|HTTP error (429|5\d\d)|(internal|fatal)_error|unavailable|timeout`)

// reply is a JSON object in the answer of a service. Its fields may have any type.
type reply map[string]json.RawMessage

func parseReply(body []byte) (s reply) {
	_ = json.Unmarshal(body, &s) // what is no object has no fields
	return s
}

// is reports whether a field has one of these values, in JSON.
func (s reply) is(name string, values ...string) bool {
	return slices.ContainsFunc(values, func(v string) bool { return string(s[name]) == v })
}

// text returns the text of the first of these fields that has some. An object has its text in its message.
func (s reply) text(names ...string) string {
	for _, name := range names {
		text := s.plain(name)
		if inner := parseReply(s[name]); inner != nil {
			text = cmp.Or(inner.plain("message"), inner.plain("reason"), inner.plain("code"), text)
		}
		if text = shown([]byte(text)); text != "" {
			return text
		}
	}
	return ""
}

// plain returns the text of a field, or its JSON if it is no text. Values that say nothing have no text.
func (s reply) plain(name string) (text string) {
	if json.Unmarshal(s[name], &text) != nil && !s.is(name, "false", "0", "[]", "{}") {
		text = string(s[name])
	}
	return text
}

// why returns the reason that an answer gives.
func (s reply) why() string {
	return cmp.Or(s.text("error", "errors", "description", "msg", "message", "errcode", "code"), noReason)
}

// saysNo finds a refusal in the words that services have for it, and in a web page, which is no service's answer.
func saysNo(body []byte) string {
	s := parseReply(body)
	switch {
	case s.is("ok", "false"), s.is("success", "false"), s.is("result", `"error"`), s.is("status", "0", `"error"`),
		s.text("error", "errors", "errcode") != "":
		return s.why()
	case page.Match(body):
		return "it answers with a web page"
	}
	return ""
}

var page = regexp.MustCompile(`(?i)^\s*(<!doctype html|<html)`)

// mustSayYes is for services that say so when they have taken a message.
func mustSayYes(body []byte) string {
	s := parseReply(body)
	if why := saysNo(body); why != "" {
		return why
	}
	if strings.TrimSpace(string(body)) == "ok" || s.is("ok", "true") || s.is("status", "1") {
		return ""
	}
	return noYes
}

// discordSays: Discord answers with the message that it has saved.
func discordSays(body []byte) string {
	s := parseReply(body)
	if s.text("id") != "" || len(bytes.TrimSpace(body)) == 0 {
		return ""
	}
	return cmp.Or(s.text("message", "code"), noYes)
}

// teamsSays: a connector of Teams reports a failure in words, with status 200. What a workflow answers is its owner's.
func teamsSays(body []byte) string {
	text := strings.TrimSpace(string(body))
	if failed := strings.ToLower(text); strings.Contains(failed, "failed with error") ||
		strings.Contains(failed, "http error") || strings.Contains(failed, "delivery failed") {
		return shown([]byte(text))
	}
	return saysNo(body)
}

// asked returns the pause that an answer asks for, in its header or in its body.
func asked(header http.Header, body []byte, now time.Time) (longest time.Duration) {
	for _, name := range []string{"Retry-After", "X-RateLimit-Reset-After"} {
		for _, value := range header.Values(name) {
			longest = max(longest, fetch.RetryAfter(value, now))
		}
	}
	longer := func(value string, unit time.Duration) {
		if n, err := strconv.ParseFloat(value, 64); err == nil && n > 0 {
			longest = max(longest, time.Duration(min(n, float64(maxAfter/unit))*float64(unit)))
		} else if unit == time.Second {
			longest = max(longest, fetch.RetryAfter(value, now))
		}
	}
	s := parseReply(body)
	for _, in := range []reply{s, parseReply(s["parameters"])} {
		for _, name := range []string{"retry_after", "retry-after", "retryAfter"} {
			longer(in.text(name), time.Second)
		}
		longer(in.text("retry_after_ms"), time.Millisecond)
	}
	return min(longest, maxAfter)
}

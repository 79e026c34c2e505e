package funchost

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
)

// httpAnswer is the response that a result describes.
type httpAnswer struct {
	status  int
	headers map[string]string
	body    []byte
}

// newHTTPAnswer finds the response for the http output of f.
func newHTTPAnswer(f *function, r *result) (httpAnswer, error) {
	none := httpAnswer{status: http.StatusOK, headers: map[string]string{}}
	if f.http == nil {
		none.status = http.StatusNoContent
		return none, nil
	}
	raw, ok := r.output(f, f.http.name)
	if !ok {
		if r.Outputs != nil {
			none.body = []byte("{}")
			none.headers["Content-Type"] = "application/json; charset=utf-8"
		}
		return none, nil
	}
	return describedAnswer(raw, f.http.name == returnName)
}

// describedAnswer reads {"statusCode","body","headers"}, itself or as JSON in a string. Any other
// string is refused, unless it is a $return value and thus the body.
func describedAnswer(raw json.RawMessage, returned bool) (httpAnswer, error) {
	var text string
	var fields map[string]json.RawMessage
	isText := json.Unmarshal(raw, &text) == nil
	if isText {
		raw = json.RawMessage(text)
	}
	if json.Unmarshal(raw, &fields) == nil {
		return answerFields(fields)
	}
	if !isText || !returned {
		return httpAnswer{}, fault.New(fault.Invalid, "the http output must be an object with statusCode, headers and body")
	}
	body, ok := dotNetBase64(text)
	if !ok {
		body = []byte(text)
	}
	return httpAnswer{status: http.StatusOK, body: body, headers: map[string]string{"Content-Type": "text/plain; charset=utf-8"}}, nil
}

func answerFields(fields map[string]json.RawMessage) (httpAnswer, error) {
	a := httpAnswer{status: http.StatusOK, headers: map[string]string{}}
	if v, ok := lookup(fields, "headers"); ok && isValue(v) {
		var headers map[string]json.RawMessage
		if err := json.Unmarshal(v, &headers); err != nil {
			return a, fault.New(fault.Invalid, "headers: %w", err)
		}
		for name, value := range headers {
			a.headers[name] = plainText(value)
		}
	}
	for _, name := range []string{"statusCode", "status"} {
		if v, ok := lookup(fields, name); ok && isValue(v) {
			n, err := strconv.Atoi(plainText(v))
			if err != nil || n < 200 || n > 599 {
				return a, fault.New(fault.Invalid, "%s: %s is no HTTP status", name, v)
			}
			a.status = n
			break
		}
	}
	if v, ok := lookup(fields, "body"); ok && isValue(v) {
		a.setBody(v)
	}
	return a, nil
}

// setBody takes a string as it is, text/plain unless said otherwise, and writes anything else as
// indented JSON.
func (a *httpAnswer) setBody(v json.RawMessage) {
	a.body = []byte(plainText(v))
	media := "application/json; charset=utf-8"
	if v[0] == '"' {
		media = "text/plain; charset=utf-8"
	}
	for name := range a.headers {
		if strings.EqualFold(name, "Content-Type") {
			return
		}
	}
	a.headers["Content-Type"] = media
}

func (a httpAnswer) write(w http.ResponseWriter) {
	for name, value := range a.headers {
		if !strings.EqualFold(name, "Content-Length") && !strings.EqualFold(name, "Transfer-Encoding") {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(a.status)
	w.Write(a.body)
}

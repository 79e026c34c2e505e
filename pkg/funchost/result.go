package funchost

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
)

// result is what the handler answers an envelope with. Unknown fields are ignored and names are
// matched whatever their case.
type result struct {
	Outputs     map[string]json.RawMessage
	Logs        []string
	ReturnValue json.RawMessage
}

// errNoResult is an answer that the real host never notices: it waits on until functionTimeout and
// then kills the process.
var errNoResult = fault.New(fault.Invalid, "empty answer")

// parseResult reads a handler's answer by the rules of the real host; errNoResult stands for an
// answer that says nothing.
func parseResult(status int, contentType string, body []byte) (*result, error) {
	if status < 200 || status > 299 {
		return nil, fault.New(fault.Unavailable, "handler answered %d: %s", status, excerpt(body))
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if status == http.StatusNoContent || len(body) == 0 || string(body) == "null" {
		return nil, errNoResult
	}
	media, _, _ := mime.ParseMediaType(contentType)
	if media != "application/json" && media != "text/json" {
		return nil, fault.New(fault.Invalid, "handler answered with Content-Type %q, want application/json: %s", contentType, excerpt(body))
	}
	var r result
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fault.New(fault.Invalid, "handler answered what is no invocation result: %w: %s", err, excerpt(body))
	}
	return &r, nil
}

// excerpt is the beginning of a body, for a log.
func excerpt(body []byte) string {
	const most = 500
	if len(body) > most {
		return strings.ToValidUTF8(string(body[:most]), "") + "…"
	}
	return string(body)
}

// output finds the value for a binding. ReturnValue belongs to $return; without such a binding an
// object there is spread over the outputs.
func (r *result) output(f *function, name string) (json.RawMessage, bool) {
	if name == returnName {
		return r.ReturnValue, isValue(r.ReturnValue)
	}
	if v, ok := lookup(r.Outputs, name); ok {
		return v, isValue(v)
	}
	var spread map[string]json.RawMessage
	if f.returns() || json.Unmarshal(r.ReturnValue, &spread) != nil {
		return nil, false
	}
	v, ok := lookup(spread, name)
	return v, ok && isValue(v)
}

func (f *function) returns() bool {
	for _, o := range f.outputs {
		if o.name == returnName {
			return true
		}
	}
	return false
}

func isValue(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] != 'n' }

func lookup(m map[string]json.RawMessage, name string) (json.RawMessage, bool) {
	if v, ok := m[name]; ok {
		return v, true
	}
	for k, v := range m {
		if strings.EqualFold(k, name) {
			return v, true
		}
	}
	return nil, false
}

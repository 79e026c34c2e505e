package funchost

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// errNoResult is the error for an empty answer. The real host never notices such an answer: it keeps waiting until
// functionTimeout and then kills the process.
var errNoResult = fault.New(fault.Invalid, "empty answer")

// readAnswer evaluates a handler's answer by the rules of the real host, and returns its log lines. For an answer
// without content it returns errNoResult. It ignores values of outputs: no function.json defines outputs, and Azure
// ignores values of undefined outputs.
func readAnswer(status int, contentType string, body []byte) (logs []string, err error) {
	if status < 200 || status > 299 {
		return nil, fault.New(fault.Unavailable, "handler answered %d: %s", status, excerpt(body))
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if status == http.StatusNoContent || len(body) == 0 || string(body) == "null" {
		return nil, errNoResult
	}
	media, _, _ := mime.ParseMediaType(contentType)
	if media != "application/json" && media != "text/json" {
		return nil, fault.New(fault.Invalid, "handler answered with Content-Type %q, want application/json: %s", contentType,
			excerpt(body))
	}
	var r struct {
		Outputs map[string]json.RawMessage
		Logs    []string
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fault.New(fault.Invalid, "handler answered what is no invocation result: %w: %s", err, excerpt(body))
	}
	return r.Logs, nil
}

// excerpt returns the beginning of a body, for a log.
func excerpt(body []byte) string {
	const most = 500
	if len(body) > most {
		return strings.ToValidUTF8(string(body[:most]), "") + "…"
	}
	return string(body)
}

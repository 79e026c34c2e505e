package funchost

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// TestL5OneFormatOfTheLog checks that what the handler logs as JSON is an entry of the host's log, in its format, and
// that any other line is kept as it is (L5).
func TestL5OneFormatOfTheLog(t *testing.T) {
	const secret = "abcdefghijklmnopqrstuvwxyz234567"
	const record = `{"time":"2026-03-01T12:00:00.5Z","level":"WARN","msg":"slow page","url":"https://a.example/?x=1",` +
		`"ms":1200,"share":0.25,"host":{"name":"a","open":true},"why":null}`
	for name, c := range map[string]struct{ line, text, json string }{
		"a record": {record, `time=2026-03-01T12:00:00.500Z level=WARN msg="slow page" url="https://a.example/?x=1" ms=1200 ` +
			`share=0.25 host.name=a host.open=true why=<nil>`, record},
		"a key in a list": {`{"time":"2026-03-01T12:00:00Z","level":"INFO","msg":"m","list":[1,"tm_` + secret + `"],"x":{}}`,
			"list=", `"list":[1,"tm_…234567"],"x":{}}`},
		"a panic":    {"panic: no", `level=ERROR msg="handler says" line="panic: no"`, `"msg":"handler says","line":"panic: no"`},
		"other JSON": {`{"a":1}`, `msg="handler says" line="{\"a\":1}"`, `"line":"{\"a\":1}"`},
		"cut":        {record[:60], `msg="handler says" line="{\"time\":`, `"line":"{\"time\":`},
		"an array":   {`[1]`, `line=[1]`, `"line":"[1]"`},
	} {
		var text, js bytes.Buffer
		redacted := &slog.HandlerOptions{ReplaceAttr: keys.RedactAttr} // as the log of a data folder
		log := slog.New(slog.NewMultiHandler(slog.NewTextHandler(&text, redacted), slog.NewJSONHandler(&js, redacted)))
		logLine(log, true, c.line)
		if !strings.Contains(text.String(), c.text) {
			t.Errorf("%s: %s", name, text.String())
		}
		if !strings.Contains(js.String(), c.json) {
			t.Errorf("%s: %s", name, js.String())
		}
	}
	var out bytes.Buffer
	logLine(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelError})), true, record)
	if out.Len() > 0 {
		t.Errorf("a warning is logged where only errors are: %s", out.String())
	}
}

// FuzzRecord checks that any line gives an entry of one line.
func FuzzRecord(f *testing.F) {
	f.Add(`{"time":"2026-03-01T12:00:00Z","level":"INFO","msg":"m","a":{"b":[1,"\n"]}}`)
	f.Add(`{"time":"2026-03-01T12:00:00Z","level":"ERROR+2","msg":"m"}{`)
	f.Fuzz(func(t *testing.T, line string) {
		var out bytes.Buffer
		logLine(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug - 1000})), false, line)
		if n := strings.Count(out.String(), "\n"); n > 1 {
			t.Errorf("%d lines of %q: %s", n, line, out.String())
		}
	})
}

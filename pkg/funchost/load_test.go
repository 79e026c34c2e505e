package funchost

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage/mem"
)

func newHost(t *testing.T, f files, env ...string) (*Host, error) {
	t.Helper()
	return New(Options{AppDir: writeRoot(t, f), Env: append([]string{"X=y"}, env...), Store: mem.New(time.Now)})
}

func customHandler(more string) string {
	return `{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"handler"}` + more + `}}`
}

func TestHostJSON(t *testing.T) {
	rows := []struct{ name, json, want string }{
		{"version must be 2.0", `{"customHandler":{"description":{"defaultExecutablePath":"handler"}}}`, "version"},
		{"no description", `{"version":"2.0"}`, "customHandler.description.defaultExecutablePath"},
		{"not JSON", `{`, "not a JSON object"},
		{"null", `null`, "not a JSON object"},
		{"text behind", `{"version":"2.0"} x`, "text after"},
		{"batchSize above 32", queues(`{"batchSize":33}`)["host.json"], "extensions.queues.batchSize"},
		{"batchSize 0", queues(`{"batchSize":0}`)["host.json"], "extensions.queues.batchSize"},
		{"maxPollingInterval below 100 ms", queues(`{"maxPollingInterval":"00:00:00.01"}`)["host.json"], "extensions.queues.maxPollingInterval"},
		{"messageEncoding unknown", queues(`{"messageEncoding":"utf8"}`)["host.json"], "extensions.queues.messageEncoding"},
		{"messageEncoding none without a raw store", queues(`{"messageEncoding":"none"}`)["host.json"], "extensions.queues.messageEncoding"},
		{"visibilityTimeout no time span", queues(`{"visibilityTimeout":"5s"}`)["host.json"], "extensions.queues.visibilityTimeout"},
		{"forwarding is refused and names proxying", customHandler(`,"enableForwardingHttpRequest":true`), "enableProxyingHttpRequest"},
		{"flag that is text", customHandler(`,"enableProxyingHttpRequest":"maybe"`), "customHandler.enableProxyingHttpRequest"},
		{"routes instead of functions", customHandler(`,"http":{"routes":[]}`), "customHandler.http"},
		{"initializationTimeout zero", customHandler(`,"initializationTimeout":"00:00:00"`), "customHandler.initializationTimeout"},
		{"arguments that are text", `{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"handler","arguments":"-a"}}}`, "customHandler.description.arguments"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, err := newHost(t, queueApp.with(files{"host.json": row.json}))
			if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "host.json") {
				t.Errorf("have %v, want %s", err, row.want)
			}
		})
	}
}

func TestHostJSONOverrides(t *testing.T) {
	h, err := newHost(t, helloApp.with(files{"host.json": "\xef\xbb\xbf" + `{"version":"1.0","Functions":["hello"],"extensionBundle":{"id":"x"},"customHandler":{"Description":{"defaultExecutablePath":"nowhere","arguments":["a"]}}}`,
		"Other/function.json": helloJSON}),
		"AzureFunctionsJobHost__version=2.0",
		"AzureFunctionsJobHost__functionTimeout=-1",
		"AZUREFUNCTIONSJOBHOST__customHandler__description__DEFAULTEXECUTABLEPATH=handler",
		"AzureFunctionsJobHost__customHandler__description__arguments__1=b",
		"AzureFunctionsJobHost__extensions__http__routePrefix=",
		"AzureFunctionsJobHost__extensions__queues__batchSize=8")
	if err != nil {
		t.Fatal(err)
	}
	c := h.config
	if c.timeout != 0 || c.routePrefix != "" || c.queues.batchSize != 8 || c.queues.maxPoll != 2*time.Second || len(h.functions) != 1 {
		t.Errorf("have %+v with %d functions", c, len(h.functions))
	}
	if diff := cmp.Diff([]string{"a", "b"}, h.handler.command.args); diff != "" {
		t.Error(diff)
	}
}

func TestFunctionJSON(t *testing.T) {
	binding := func(b string) string { return `{"bindings":[` + b + `]}` }
	rows := []struct{ name, dir, json, want string }{
		{"H04 name begins with a digit", "1x", queueJSON, `"1x"`},
		{"H04 name host", "Host", queueJSON, `"Host"`},
		{"H04 name with a dot", "a.b", queueJSON, `"a.b"`},
		{"H04 binding name my_q", "F", strings.Replace(queueJSON, "msg", "my_q", 1), `"my_q"`},
		{"H04 two triggers", "F", binding(`{"name":"a","type":"queueTrigger","queueName":"jobs"},{"name":"b","type":"httpTrigger"}`), "exactly one trigger"},
		{"H04 no trigger", "F", binding(``), "exactly one trigger"},
		{"not JSON", "F", "{", "not a JSON object"},
		{"unknown trigger", "F", binding(`{"name":"a","type":"blobTrigger","direction":"in"}`), "blobtrigger"},
		{"input binding", "F", binding(`{"name":"a","type":"timerTrigger","schedule":"0 0 0 1 1 *"},{"name":"t","type":"table","direction":"in"}`), "triggers and outputs only"},
		{"unknown output", "F", binding(`{"name":"a","type":"timerTrigger","schedule":"0 0 0 1 1 *"},{"name":"t","type":"table","direction":"out"}`), "not known"},
		{"http output without httpTrigger", "F", binding(`{"name":"a","type":"timerTrigger","schedule":"0 0 0 1 1 *"},{"name":"t","type":"http","direction":"out"}`), "needs an httpTrigger"},
		{"trigger that goes out", "F", binding(`{"name":"a","type":"queueTrigger","direction":"out","queueName":"jobs"}`), "direction"},
		{"queue name", "F", strings.Replace(queueJSON, "jobs", "No_Queue", 1), "queueName"},
		{"queue name missing", "F", binding(`{"name":"a","type":"queueTrigger"}`), "queueName"},
		{"queue name from a setting that is missing", "F", strings.Replace(queueJSON, "jobs", "%NONE%", 1), "NONE"},
		{"schedule", "F", binding(`{"name":"a","type":"timerTrigger","schedule":"daily"}`), "schedule"},
		{"authLevel", "F", binding(`{"name":"a","type":"httpTrigger","authLevel":"user"}`), "authLevel"},
		{"H32 route below admin", "F", binding(`{"name":"a","type":"httpTrigger","route":"admin/x"}`), "admin"},
		{"H32 constraint unknown", "F", binding(`{"name":"a","type":"httpTrigger","route":"{x:even}"}`), "even"},
		{"retry", "F", strings.Replace(queueJSON, `{"bindings"`, `{"retry":{},"bindings"`, 1), "retry"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			// A prefix of "" puts routes where the reserved ones are.
			h, err := newHost(t, helloApp.with(files{row.dir + "/function.json": row.json}), "AzureFunctionsJobHost__extensions__http__routePrefix=")
			if err != nil {
				t.Fatal(err)
			}
			errs := h.LoadErrors()
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), row.want) || !strings.Contains(errs[0].Error(), "function.json") || !fault.Is(errs[0], fault.Invalid) && !strings.Contains(errs[0].Error(), row.want) {
				t.Errorf("have %v, want %s", errs, row.want)
			}
			if len(h.functions) != 1 || h.functions[0].name != "Hello" {
				t.Errorf("the others must load: %v", h.functions)
			}
		})
	}
	t.Run("H04 nested function.json is ignored", func(t *testing.T) {
		h, err := newHost(t, helloApp.with(files{"a/b/function.json": helloJSON}))
		if err != nil || len(h.functions) != 1 || len(h.LoadErrors()) != 0 {
			t.Errorf("have %v, %v", h, err)
		}
	})
	t.Run("none at all", func(t *testing.T) {
		if _, err := newHost(t, files{"host.json": hostPlain}); err == nil || !strings.Contains(err.Error(), "make app") {
			t.Errorf("have %v", err)
		}
	})
	t.Run("queues without a store", func(t *testing.T) {
		if _, err := New(Options{AppDir: writeRoot(t, queueApp), Env: []string{}}); fault.FieldOf(err) != "Store" {
			t.Errorf("have %v", err)
		}
	})
	t.Run("disabled by setting", func(t *testing.T) {
		h, err := newHost(t, queueApp, "AzureWebJobs.Q.Disabled=true")
		if err != nil || !h.functions[0].disabled || len(h.listeners.queues) != 0 {
			t.Errorf("have %v, %v", h, err)
		}
	})
}

func TestConformanceLocalSettings(t *testing.T) {
	const good = `{"IsEncrypted":false,"Host":{"LocalHttpPort":7999},"Values":{"A":"file","B":"file","N":5},"ConnectionStrings":{"Db":"c"}}`
	t.Run("H35 values are exported and the environment wins", func(t *testing.T) {
		h, err := newHost(t, helloApp.with(files{"local.settings.json": good}), "A=env")
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range map[string]string{"A": "env", "B": "file", "N": "5", "ConnectionStrings:Db": "c", "AZURE_FUNCTIONS_ENVIRONMENT": "Development"} {
			if have := h.env[k]; have != want {
				t.Errorf("%s: have %q, want %q", k, have, want)
			}
		}
		if h.Addr() != "127.0.0.1:7999" {
			t.Errorf("address %s", h.Addr())
		}
	})
	rows := []struct{ name, json, want string }{
		{"H35 IsEncrypted missing", `{"Values":{}}`, "IsEncrypted"},
		{"H35 encrypted", `{"IsEncrypted":true}`, "IsEncrypted"},
		{"nested value", `{"IsEncrypted":false,"Values":{"A":{"B":"c"}}}`, "Values.A"},
		{"values that are a list", `{"IsEncrypted":false,"Values":[]}`, "Values"},
		{"port out of range", `{"IsEncrypted":false,"Host":{"LocalHttpPort":70000}}`, "Host.LocalHttpPort"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, err := newHost(t, helloApp.with(files{"local.settings.json": row.json}))
			if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "local.settings.json") {
				t.Errorf("have %v, want %s", err, row.want)
			}
		})
	}
}

func TestSplitArguments(t *testing.T) {
	rows := []struct {
		name, line string
		want       []string
	}{
		{"blanks", " a \t b ", []string{"a", "b"}},
		{"quotes keep blanks", `"a b" c`, []string{"a b", "c"}},
		{"quotes inside a word", `--x="a b"`, []string{"--x=a b"}},
		{"empty quotes are an argument", `""`, []string{""}},
		{"escaped quote", `\"a`, []string{`"a`}},
		{"other backslashes stay", `C:\x`, []string{`C:\x`}},
		{"nothing", "", nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, splitArguments(row.line)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExecutableFromPath(t *testing.T) {
	root, bin := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	have, err := findExecutable("tool", root)
	if err != nil || have != filepath.Join(bin, "tool") {
		t.Errorf("H03: have %s, %v", have, err)
	}
}

func TestLineWriter(t *testing.T) {
	var have []string
	w := &lineWriter{emit: func(line string) { have = append(have, line) }}
	for _, s := range []string{"a\r\nb", "c\n\n", strings.Repeat("x", maxConsoleLine+3), "\nend"} {
		w.Write([]byte(s))
	}
	w.flush()
	want := []string{"a", "bc", strings.Repeat("x", maxConsoleLine), "xxx", "end"}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	if l := consoleLevel(true, "a WARNing"); l != slog.LevelWarn {
		t.Errorf("level %v", l)
	}
}

func TestPollPause(t *testing.T) {
	rows := []struct {
		name   string
		misses int
		jitter float64
		want   time.Duration
	}{
		{"first", 0, 0.5, 100 * time.Millisecond},
		{"second", 1, 0.5, 200 * time.Millisecond},
		{"third", 2, 0.5, 300 * time.Millisecond},
		{"jitter down", 3, 0, 420 * time.Millisecond},
		{"limit", 40, 0.5, 2 * time.Second},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if have := pollPause(row.misses, 2*time.Second, row.jitter); have.Round(time.Millisecond) != row.want {
				t.Errorf("have %v, want %v", have, row.want)
			}
		})
	}
}

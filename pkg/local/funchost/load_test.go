package funchost

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

func newHost(t *testing.T, f files, env ...string) (*Host, error) {
	t.Helper()
	return New(Options{AppDir: writeRoot(t, f), Env: append([]string{"X=y"}, env...), Store: mem.New(time.Now)})
}

func customHandler(more string) string {
	return `{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"handler"}` + more + `}}`
}

func described(more string) string {
	return `{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"handler",` + more + `}}}`
}

func TestHostJSON(t *testing.T) {
	rows := []struct{ name, json, want string }{
		{"version must be 2.0", `{"customHandler":{"description":{"defaultExecutablePath":"handler"}}}`, "version"},
		{"no description", `{"version":"2.0"}`, "customHandler.description.defaultExecutablePath"},
		{"not JSON", `{`, "not a JSON object"},
		{"null", `null`, "version"},
		{"a list", `[]`, "not a JSON object"},
		{"text behind", `{"version":"2.0"} x`, "text after"},
		{"batchSize above 32", queues(`{"batchSize":33}`)["host.json"], "extensions.queues.batchSize"},
		{"batchSize 0", queues(`{"batchSize":0}`)["host.json"], "extensions.queues.batchSize"},
		{"maxPollingInterval below 100 ms", queues(`{"maxPollingInterval":"00:00:00"}`)["host.json"],
			"extensions.queues.maxPollingInterval"},
		{"messageEncoding none", queues(`{"messageEncoding":"none"}`)["host.json"], "extensions.queues.messageEncoding"},
		{"visibilityTimeout no time span", queues(`{"visibilityTimeout":"5s"}`)["host.json"],
			"extensions.queues.visibilityTimeout"},
		{"forwarding", customHandler(`,"enableProxyingHttpRequest":true,"enableForwardingHttpRequest":true`),
			"enableForwardingHttpRequest: not supported"},
		{"functionTimeout that has no end", `{"functionTimeout":"-1",` + hostPlain[1:], "functionTimeout"},
		{"flag that is text", customHandler(`,"enableProxyingHttpRequest":"maybe"`),
			"EnableProxyingHTTPRequest: want bool, not string"},
		{"no proxying", customHandler(``), "customHandler.enableProxyingHttpRequest: want true"},
		{"routes instead of functions", customHandler(`,"http":{"routes":[]}`), "http: not supported"},
		{"initializationTimeout", customHandler(`,"initializationTimeout":"00:01:00"`),
			"initializationTimeout: not supported"},
		{"a port for the handler", customHandler(`,"port":7999`), "port: not supported"},
		{"arguments", described(`"arguments":["-a"]`), "customHandler.description.arguments: not supported"},
		{"another working directory", described(`"workingDirectory":"sub"`),
			"customHandler.description.workingDirectory: not supported"},
		{"a list of functions", `{"functions":["Q"],` + hostPlain[1:], "functions: not supported"},
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

func TestHostJSONIsTakenAsDotNetTakesIt(t *testing.T) {
	h, err := newHost(t, helloApp.with(files{"host.json": "\xef\xbb\xbf" +
		`{"Version":"2.0","functionTimeout":"00:01:00","extensionBundle":{"id":"x"},` +
		`"extensions":{"http":{"routePrefix":""},"queues":{"batchSize":8}},` +
		`"CustomHandler":{"Description":{"DEFAULTEXECUTABLEPATH":"handler"},"enableproxyinghttprequest":true}}`}))
	if err != nil {
		t.Fatal(err)
	}
	if c := h.config; c.timeout != time.Minute || c.routePrefix != "" || c.queues.batchSize != 8 ||
		c.queues.maxPoll != 2*time.Second {
		t.Errorf("have %+v", c)
	}
}

func TestHostJSONFromTheEnvironmentIsRefused(t *testing.T) {
	_, err := newHost(t, helloApp, "AzureFunctionsJobHost__extensions__queues__batchSize=8")
	if err == nil || !strings.Contains(err.Error(),
		"AzureFunctionsJobHost__extensions__queues__batchSize: not supported") {
		t.Errorf("have %v", err)
	}
}

// badFunctions are functions that cannot be loaded, each with a part of the error.
var badFunctions = []struct{ name, dir, json, want string }{
	{"name begins with a digit", "1x", queueJSON, `"1x"`},
	{"name host", "Host", queueJSON, `"Host"`},
	{"name with a dot", "a.b", queueJSON, `"a.b"`},
	{"binding name my_q", "F", strings.Replace(queueJSON, "msg", "my_q", 1), `"my_q"`},
	{"two triggers", "F", bindings(`{"name":"a","type":"queueTrigger","queueName":"jobs","dataType":"binary"},` +
		`{"name":"b","type":"httpTrigger"}`), "exactly one trigger"},
	{"no trigger", "F", bindings(``), "exactly one trigger"},
	{"not JSON", "F", "{", "not a JSON object"},
	{"unknown trigger", "F", bindings(`{"name":"a","type":"blobTrigger","direction":"in"}`), "blobtrigger"},
	{"input binding", "F", bindings(`{"name":"a","type":"timerTrigger","schedule":"0 0 0 1 1 *"},{"name":"t",` +
		`"type":"table","direction":"in"}`), "triggers and the http output only"},
	{"queue output", "F", `{"bindings":[{"name":"a","type":"httpTrigger"},{"name":"res","type":"http",` +
		`"direction":"out"},{"name":"o","type":"queue","direction":"out","queueName":"jobs"}]}`,
		`"queue", direction "out": this host knows`},
	{"no http output", "F", bindings(`{"name":"a","type":"httpTrigger"}`), "exactly one http output, and has 0"},
	{"two http outputs", "F", bindings(`{"name":"a","type":"httpTrigger"},{"name":"b","type":"http","direction":"out"},` +
		`{"name":"c","type":"http","direction":"out"}`), "exactly one http output, and has 2"},
	{"unknown output", "F", bindings(`{"name":"a","type":"timerTrigger","schedule":"0 0 0 1 1 *"},{"name":"t",` +
		`"type":"table","direction":"out"}`), "the http output only"},
	{"http output without httpTrigger", "F",
		bindings(`{"name":"a","type":"timerTrigger","schedule":"0 0 0 1 1 *"},{"name":"t","type":"http","direction":"out"}`),
		"needs an httpTrigger"},
	{"trigger that goes out", "F", bindings(`{"name":"a","type":"queueTrigger","direction":"out","queueName":"jobs"}`),
		"direction"},
	{"queue name", "F", strings.Replace(queueJSON, "jobs", "No_Queue", 1), "queueName"},
	{"messages as text", "F", strings.Replace(queueJSON, "binary", "string", 1), "bindings.dataType: want \"binary\""},
	{"another connection", "F", strings.Replace(queueJSON, `"dataType"`, `"connection":"Other","dataType"`, 1),
		"bindings.connection"},
	{"no data type", "F", bindings(`{"name":"a","type":"queueTrigger","queueName":"jobs"}`),
		"bindings.dataType: want \"binary\""},
	{"queue name missing", "F", bindings(`{"name":"a","type":"queueTrigger"}`), "queueName"},
	{"queue name from a setting", "F", strings.Replace(queueJSON, "jobs", "%NAME%", 1), "no settings"},
	{"schedule", "F", bindings(`{"name":"a","type":"timerTrigger","schedule":"daily"}`), "schedule"},
	{"each second", "F", bindings(`{"name":"a","type":"timerTrigger","schedule":"*/30 * * * * *"}`),
		"more than once a minute"},
	{"interval", "F", bindings(`{"name":"a","type":"timerTrigger","schedule":"00:05:00"}`), "want 6 fields"},
	{"run at the start", "F", bindings(`{"name":"a","type":"timerTrigger","schedule":"0 0 0 1 1 *","runOnStartup":true}`),
		"bindings.runOnStartup"},
	{"no monitor", "F", bindings(`{"name":"a","type":"timerTrigger","schedule":"0 0 0 1 1 *","useMonitor":false}`),
		"bindings.useMonitor"},
	{"authLevel", "F", bindings(`{"name":"a","type":"httpTrigger","authLevel":"admin"}`), "authLevel"},
	{"route below admin", "F", bindings(`{"name":"a","type":"httpTrigger","route":"admin/x"}`), "admin"},
	{"constraint", "F", bindings(`{"name":"a","type":"httpTrigger","route":"{x:int}"}`),
		"no constraints, defaults or optional ones"},
	{"optional parameter", "F", bindings(`{"name":"a","type":"httpTrigger","route":"a/{x?}"}`),
		"no constraints, defaults or optional ones"},
	{"a setting of another kind of trigger", "F", strings.Replace(queueJSON, `"dataType"`,
		`"isSessionsEnabled":true,"dataType"`, 1), "isSessionsEnabled: not supported"},
	{"retry", "F", strings.Replace(queueJSON, `{"bindings"`, `{"retry":{},"bindings"`, 1), "retry"},
}

func bindings(list string) string { return `{"bindings":[` + list + `]}` }

func TestFunctionJSON(t *testing.T) {
	for _, row := range badFunctions {
		t.Run(row.name, func(t *testing.T) {
			// A prefix of "" places routes among the reserved ones.
			h, err := newHost(t, helloApp.with(files{"host.json": hostBare, row.dir + "/function.json": row.json}))
			if err != nil {
				t.Fatal(err)
			}
			errs := h.LoadErrors()
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), row.want) || !strings.Contains(errs[0].Error(),
				"function.json") || !fault.Is(errs[0], fault.Invalid) && !strings.Contains(errs[0].Error(), row.want) {
				t.Errorf("have %v, want %s", errs, row.want)
			}
			if len(h.functions) != 1 || h.functions[0].name != "Hello" {
				t.Errorf("the others must load: %v", h.functions)
			}
		})
	}
	t.Run("nested function.json is ignored", func(t *testing.T) {
		h, err := newHost(t, helloApp.with(files{"a/b/function.json": helloJSON}))
		if err != nil || len(h.functions) != 1 || len(h.LoadErrors()) != 0 {
			t.Errorf("have %v, %v", h, err)
		}
	})
	t.Run("none at all", func(t *testing.T) {
		if _, err := newHost(t, files{"host.json": hostPlain}); err == nil || !strings.Contains(err.Error(), "tidemark app") {
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
		if err != nil || !h.functions[0].disabled || len(h.queues) != 0 {
			t.Errorf("have %v, %v", h, err)
		}
	})
}

func TestConformanceLocalSettings(t *testing.T) {
	const good = `{"IsEncrypted":false,"Host":{"LocalHttpPort":7999},"Values":{"A":"file","B":"file","N":5},` +
		`"ConnectionStrings":{}}`
	t.Run("values are exported and the environment wins", func(t *testing.T) {
		h, err := newHost(t, helloApp.with(files{"local.settings.json": good}), "A=env")
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range map[string]string{"A": "env", "B": "file", "N": "5",
			"AZURE_FUNCTIONS_ENVIRONMENT": "Development"} {
			if have := h.env[k]; have != want {
				t.Errorf("%s: have %q, want %q", k, have, want)
			}
		}
	})
	rows := []struct{ name, json, want string }{
		{"IsEncrypted missing", `{"Values":{}}`, "IsEncrypted"},
		{"encrypted", `{"IsEncrypted":true}`, "IsEncrypted"},
		{"nested value", `{"IsEncrypted":false,"Values":{"A":{"B":"c"}}}`, "Values.A"},
		{"values that are a list", `{"IsEncrypted":false,"Values":[]}`, "Values"},
		{"connection strings", `{"IsEncrypted":false,"ConnectionStrings":{"Db":"c"}}`, "ConnectionStrings"},
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

// This host must support everything that the functions of this repository use, and nothing else.
func TestOurFunctionsLoad(t *testing.T) {
	dir := writeRoot(t, files{})
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "..", "functions"))); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"host.json": "host.json",
		"local.settings.json.example": "local.settings.json"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", from))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folders, err := filepath.Glob(filepath.Join(dir, "*", "function.json"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(Options{AppDir: dir, Env: []string{}, Store: mem.New(time.Now)})
	if err != nil || len(h.LoadErrors()) > 0 || len(h.functions) != len(folders) {
		t.Fatalf("%v; %d of %d functions: %v", err, len(h.functions), len(folders), h.LoadErrors())
	}
}

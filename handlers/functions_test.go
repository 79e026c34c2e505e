package handlers

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/local/funchost/conformance"
	"github.com/tidemark/tidemark/pkg/local/programtest"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// functionFile has the parts of a function.json that the tests use.
type functionFile struct {
	name     string // the folder's name
	Bindings []binding
}

type binding struct {
	Name, Type, Direction, Route, AuthLevel string
	Methods                                 []string
	QueueName, Connection, DataType         string
	Schedule                                string
}

func readFunctions(t *testing.T) []functionFile {
	t.Helper()
	paths, err := filepath.Glob("../functions/*/function.json")
	must(t, err)
	var out []functionFile
	for _, path := range paths {
		f := functionFile{name: filepath.Base(filepath.Dir(path))}
		b, err := os.ReadFile(path)
		must(t, err)
		if err := json.Unmarshal(b, &f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		t.Fatal("no functions")
	}
	return out
}

// TestEveryRouteIsHandled checks that every route of the table has a handler.
func TestEveryRouteIsHandled(t *testing.T) {
	var want []string
	have, _ := newRig(t).handled()
	for _, e := range api.Routes() {
		want = append(want, e.Pattern())
	}
	slices.Sort(have)
	slices.Sort(want)
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-table +handlers\n%s", diff)
	}
}

// handled returns the routes and triggers of all areas.
func (r *rig) handled() (patterns, names []string) {
	areas, workers := r.v.areas(&server{Options: Options{Log: discard()}})
	for _, a := range areas {
		for _, h := range a.Routes() {
			patterns = append(patterns, h.Pattern())
		}
	}
	for _, w := range workers {
		for name := range w.Triggers() {
			names = append(names, name)
		}
	}
	return patterns, names
}

// TestFunctionsAndRoutes checks that functions/ matches the table of routes and the list of triggers (F1).
func TestFunctionsAndRoutes(t *testing.T) {
	answered := map[string][]string{dashboardRoute: dashboardMethods} // methods by route
	for _, e := range api.Routes() {
		answered[e.Path] = append(answered[e.Path], e.Method)
	}
	var proxied, others []string
	for _, f := range readFunctions(t) {
		trigger := f.Bindings[0]
		if f.name == lastFunction {
			continue
		}
		switch trigger.Type {
		case "httpTrigger":
			for _, m := range trigger.Methods {
				m = strings.ToUpper(m)
				if trigger.AuthLevel == "anonymous" && !slices.Contains(answered[trigger.Route], m) || m == http.MethodHead {
					continue // the handler answers 405, or a route for GET takes it
				}
				proxied = append(proxied, m+" "+trigger.Route)
			}
		default:
			others = append(others, f.name)
		}
	}
	var ours []string
	for _, e := range api.Routes() {
		ours = append(ours, e.Pattern())
	}
	for _, method := range dashboardMethods {
		ours = append(ours, method+" "+dashboardRoute)
	}
	_, called := newRig(t).handled()
	names := slices.Clone(triggerNames)
	for _, list := range [][]string{proxied, others, ours, called, names} {
		slices.Sort(list)
	}
	if diff := cmp.Diff(proxied, ours); diff != "" {
		t.Errorf("routes (-functions +table):\n%s", diff)
	}
	if diff := cmp.Diff(others, called); diff != "" {
		t.Errorf("triggers (-functions +handler):\n%s", diff)
	}
	if diff := cmp.Diff(others, names); diff != "" {
		t.Errorf("triggers (-functions +names):\n%s", diff)
	}
}

// lastFunction accepts the requests that have no route.
const lastFunction = "ZUnknownRoute"

// TestUnknownRoutesReachTheHandler checks that requests without a function of their own reach the handler, whatever
// their path and method. The function that accepts them has the last name, because hosts try routes in the order of
// names.
func TestUnknownRoutesReachTheHandler(t *testing.T) {
	all := readFunctions(t)
	last := slices.MaxFunc(all, func(a, b functionFile) int {
		return strings.Compare(strings.ToUpper(a.name), strings.ToUpper(b.name))
	})
	if b := last.Bindings[0]; last.name != lastFunction || b.Route != "{*path}" || b.Methods != nil {
		t.Errorf("the last function is %s: %+v", last.name, b)
	}
}

// AZ3: the methods that clients of the anonymous functions send. A method that such a function does not list falls to a
// function that demands a key of the host, which these clients do not have, and the host answers it with an empty 401.
var sentByClients = map[string][]string{
	"Health":      {"get", "head"},                              // monitors
	"Schema":      {"get", "head"},                              // editors
	"Tools":       {"post", "get", "delete", "options", "head"}, // MCP: GET opens a stream, DELETE ends a session
	"Dashboard":   {"get", "head", "post", "options", "delete"}, // browsers, and programs that look whether it is there
	"ChangesAtom": {"get", "head", "options", "post", "delete"}, // readers of feeds
	"ChangesJSON": {"get", "head", "options", "post", "delete"},
}

func TestAZ3AnonymousFunctionsListWhatClientsSend(t *testing.T) {
	g := newGuarded(t, HostKeys)
	for _, f := range readFunctions(t) {
		trigger := f.Bindings[0]
		sent, anonymous := sentByClients[f.name]
		if anonymous != (trigger.AuthLevel == "anonymous") {
			t.Errorf("%s: level %q, but the methods that its clients send are %v", f.name, trigger.AuthLevel, sent)
		}
		for _, method := range sent {
			if !slices.Contains(trigger.Methods, method) {
				t.Errorf("%s does not list %s", f.name, method)
			}
			path := "/api/" + strings.TrimSuffix(trigger.Route, "/{*path}")
			w := ask(t, g, strings.ToUpper(method), path, "", "X-Functions-Key", g.keys[api.ScopeRead])
			if w.Code == http.StatusUnauthorized || w.Code == http.StatusMethodNotAllowed && w.Header().Get("Allow") == "" {
				t.Errorf("%s %s: %d %v %.200s", method, path, w.Code, w.Header(), w.Body)
			}
		}
	}
	if w := ask(t, g, "GET", "/api/mcp", ""); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
		t.Errorf("a stream of MCP: %d %v", w.Code, w.Header())
	}
}

// A host passes over a function that it could not name; "host" is a word of its own.
func TestFunctionNames(t *testing.T) {
	name := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,126}$`)
	for _, f := range readFunctions(t) {
		if !name.MatchString(f.name) || strings.EqualFold(f.name, "host") {
			t.Errorf("no function can be named %s", f.name)
		}
	}
}

// TestHTTPBindings checks that each HTTP function has exactly one httpTrigger and one http binding, because a host
// proxies no other. Every function except the health check needs a key; the dashboard and feeds check Tidemark's own
// keys.
func TestHTTPBindings(t *testing.T) {
	for _, f := range readFunctions(t) {
		trigger := f.Bindings[0]
		if trigger.Type != "httpTrigger" {
			continue
		}
		if len(f.Bindings) != 2 || trigger.Direction != "in" || f.Bindings[1].Type != "http" ||
			f.Bindings[1].Direction != "out" {
			t.Errorf("%s: bindings %+v", f.name, f.Bindings)
		}
		want := "function"
		anonymous := slices.ContainsFunc(api.Routes(), func(e *api.Endpoint) bool {
			return e.Path == trigger.Route && e.Anonymous
		})
		if anonymous || trigger.Route == dashboardRoute { // the dashboard checks Tidemark's keys
			want = "anonymous"
		}
		if trigger.AuthLevel != want || (len(trigger.Methods) == 0) != (f.name == lastFunction) || trigger.Route == "" {
			t.Errorf("%s: authLevel %q, methods %v, route %q", f.name, trigger.AuthLevel, trigger.Methods, trigger.Route)
		}
	}
}

// TestQueueBindings checks that queue functions listen to the queues that the registry fills, and receive undecoded
// messages.
func TestQueueBindings(t *testing.T) {
	want := map[string]string{"CrawlWorker": registry.JobQueue, "CrawlPoison": registry.PoisonQueue,
		"CrawlSlowWorker": registry.SlowQueue, "CrawlSlowPoison": registry.SlowPoisonQueue, "RebuildWorker": rebuild.Queue,
		"BulkWorker": bulk.Queue,
		"MboxWorker": mailimport.Queue, "BackfillWorker": backfill.Queue, "BackfillPoison": backfill.PoisonQueue,
		"SentinelWorker": sitepoll.Queue, "DeliveryWorker": notify.Queue, "DeliveryPoison": notify.PoisonQueue}
	have := map[string]string{}
	for _, f := range readFunctions(t) {
		b := f.Bindings[0]
		if b.Type != "queueTrigger" {
			continue
		}
		have[f.name] = b.QueueName
		if b.Name != "job" || b.DataType != "binary" || b.Connection != "AzureWebJobsStorage" || len(f.Bindings) != 1 {
			t.Errorf("%s: %+v", f.name, f.Bindings)
		}
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("queues (-registry +functions):\n%s", diff)
	}
}

// TestHostJSON checks that host.json fits the code: an invocation ends before the host would end the process, and
// message bodies have the encoding that the storage adapter writes.
func TestHostJSON(t *testing.T) {
	b, err := os.ReadFile("../host.json")
	must(t, err)
	var h struct {
		Version, FunctionTimeout string
		CustomHandler            struct {
			Description               struct{ DefaultExecutablePath string }
			EnableProxyingHTTPRequest bool `json:"enableProxyingHttpRequest"`
		}
		Extensions struct {
			HTTP   struct{ RoutePrefix string }
			Queues struct {
				BatchSize, NewBatchThreshold, MaxDequeueCount int
				MessageEncoding                               string
			}
		}
	}
	must(t, json.Unmarshal(b, &h))
	clock, err := time.Parse(time.TimeOnly, h.FunctionTimeout)
	must(t, err)
	timeout := clock.Sub(clock.Truncate(24 * time.Hour))
	if margin := timeout - defaultTimeout; margin < 20*time.Second {
		t.Errorf("functionTimeout %s leaves %v after an invocation's own limit", h.FunctionTimeout, margin)
	}
	q := h.Extensions.Queues
	if h.Version != "2.0" || h.CustomHandler.Description.DefaultExecutablePath != "handler" ||
		!h.CustomHandler.EnableProxyingHTTPRequest ||
		h.Extensions.HTTP.RoutePrefix != "api" || q.MessageEncoding != "base64" || q.MaxDequeueCount < 2 || q.BatchSize < 1 ||
		q.BatchSize > 32 {
		t.Errorf("host.json: %+v", h)
	}
}

// TestS3HostJSON checks that host.json fits the slots for silent hosts: they are half of a worker's slots, and the
// host continues to deliver messages while all of them are in use (S3).
func TestS3HostJSON(t *testing.T) {
	b, err := os.ReadFile("../host.json")
	must(t, err)
	var h struct {
		Extensions struct {
			Queues struct{ BatchSize, NewBatchThreshold int }
		}
	}
	must(t, json.Unmarshal(b, &h))
	q := h.Extensions.Queues
	slots := q.BatchSize + q.NewBatchThreshold
	if 2*crawl.SilentInWorker != slots || 2*crawl.SilentJobs != 2*slots || q.NewBatchThreshold < crawl.SilentInWorker {
		t.Errorf("host.json: %+v; of these slots silent hosts have %d, of both workers' %d", q, crawl.SilentInWorker,
			crawl.SilentJobs)
	}
}

// TestS10HostLogsNoPolls checks that polls of queues are not logged. Each poll writes two entries at Information:
// 170,000 a day and instance.
func TestS10HostLogsNoPolls(t *testing.T) {
	b, err := os.ReadFile("../host.json")
	must(t, err)
	var h struct {
		Logging struct{ LogLevel map[string]string }
	}
	must(t, json.Unmarshal(b, &h))
	if have := h.Logging.LogLevel["Azure.Core"]; have != "Warning" {
		t.Errorf("Azure.Core is logged from %q on", have)
	}
}

// TestS10HealthByHeadNeedsNoKey checks that the health check accepts HEAD without a key, as monitors send it.
func TestS10HealthByHeadNeedsNoKey(t *testing.T) {
	for _, f := range readFunctions(t) {
		if f.name == "Health" && (!slices.Contains(f.Bindings[0].Methods, "head") || f.Bindings[0].AuthLevel != "anonymous") {
			t.Errorf("%+v", f.Bindings[0])
		}
	}
	r := newRig(t)
	if w := do(t, r, "HEAD", "/api/health", ""); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// buildApp builds Tidemark, which writes the folder that a host runs.
func buildApp(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "app")
	if out, err := exec.CommandContext(t.Context(), programtest.Build(t), "app", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// TestConformance calls the real handler as the Functions host does (with the functions of the conformance package),
// once with its storage and once without.
func TestConformance(t *testing.T) {
	app := buildApp(t)
	job, _ := json.Marshal(registry.Job{
		PartitionKey: "port.example", Host: "port.example", Reason: registry.ReasonDue,
		Items: []registry.JobItem{{ID: "url_aaaaaaaaaaaaaaaaaaaaaaaaaa", RowKey: "aaaaaaaaaaaaaaaaaaaaaaaaaa"}},
	})
	refused := func(conformance.Answer) error { return nil } // any status: only its form matters
	few := t.TempDir()                                       // every attempt to open missing storage is slow
	must(t, os.CopyFS(few, os.DirFS(app)))
	for _, f := range readFunctions(t) {
		if f.name != "CrawlWorker" && f.name != "Health" {
			must(t, os.RemoveAll(filepath.Join(few, f.name)))
		}
	}
	for _, tt := range []struct {
		name, dir, storage string
		taken              func(conformance.Answer) error
	}{
		{"with storage", app, azuritetest.Start(t).ConnectionString(), nil},
		{"without storage", few, "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=a2V5;" +
			"BlobEndpoint=http://127.0.0.1:1/devstoreaccount1;" +
			"QueueEndpoint=http://127.0.0.1:1/devstoreaccount1;TableEndpoint=http://127.0.0.1:1/devstoreaccount1", refused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conformance.Handler(t, tt.dir, conformance.Options{
				AnswerWithin: time.Minute, Ready: time.Minute, // the machine may be busy
				Env: []string{
					"PATH=" + os.Getenv("PATH"), "TIDEMARK_DATA=" + t.TempDir(), "AzureWebJobsStorage=" + tt.storage,
				},
				Messages: map[string]conformance.Message{
					"CrawlWorker":   {Body: job, Taken: tt.taken},
					"CrawlPoison":   {Body: job, Taken: tt.taken},
					"RebuildWorker": {Body: []byte(`{"run":"none","step":0}`), Taken: tt.taken},
					"MboxWorker":    {Body: []byte(`{"import":"mbox-none","turn":0}`), Taken: tt.taken},
				},
			})
		})
	}
}

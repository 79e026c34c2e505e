package funchost

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// hostConfig is the configuration from host.json.
type hostConfig struct {
	timeout     time.Duration // functionTimeout
	routePrefix string        // without slashes
	queues      queueConfig
	executable  string // customHandler.description.defaultExecutablePath
}

// queueConfig is extensions.queues of host.json.
type queueConfig struct {
	batchSize  int
	threshold  int // when at most this many messages are being processed, the next batch is fetched
	maxPoll    time.Duration
	rounds     time.Duration // the time between two [rounds]
	retryDelay time.Duration // visibilityTimeout: how long a failed message stays hidden
	maxDequeue int
}

// hostJSON is the supported content of host.json.
type hostJSON struct {
	Version         string
	FunctionTimeout string
	Logging         json.RawMessage // only Azure uses it
	ExtensionBundle json.RawMessage // only Azure uses it; queue bindings are built into this host
	CustomHandler   struct {
		Description struct {
			DefaultExecutablePath string
			WorkingDirectory      string
			Arguments             []string
		}
		EnableProxyingHTTPRequest bool
	}
	Extensions struct {
		HTTP   struct{ RoutePrefix string }
		Queues struct {
			BatchSize, NewBatchThreshold, MaxDequeueCount          int
			VisibilityTimeout, MaxPollingInterval, MessageEncoding string
		}
	}
}

const (
	overridePrefix = "azurefunctionsjobhost__"
	// developmentPoll is the longest polling interval under AZURE_FUNCTIONS_ENVIRONMENT=Development.
	developmentPoll = 2 * time.Second
	maxBatch        = 32
	noThreshold     = -1 // the threshold is not given, so it is derived from the batch size
	minPoll         = 100 * time.Millisecond

	executableField = "customHandler.description.defaultExecutablePath"
)

// defaultHostJSON returns the real host's defaults; its functionTimeout is the real host's default for local runs.
func defaultHostJSON() hostJSON {
	h := hostJSON{FunctionTimeout: "00:30:00"}
	h.Extensions.HTTP.RoutePrefix = "api"
	q := &h.Extensions.Queues
	q.BatchSize, q.NewBatchThreshold, q.MaxDequeueCount = 16, noThreshold, 5
	q.VisibilityTimeout, q.MaxPollingInterval, q.MessageEncoding = "00:00:00", "00:01:00", "base64"
	return h
}

// readHostConfig reads host.json in dir. In Azure, app settings of the form AzureFunctionsJobHost__a__b would
// override it.
func readHostConfig(dir string, env environ) (hostConfig, error) {
	path, h := filepath.Join(dir, "host.json"), defaultHostJSON()
	if err := readStrict(path, &h); err != nil {
		return hostConfig{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if strings.HasPrefix(strings.ToLower(name), overridePrefix) {
			return hostConfig{}, fault.Field(name, "%s: not supported by this host; write it into host.json", name)
		}
	}
	c, err := h.check(&findings{file: path})
	c.queues.rounds = c.queues.maxPoll
	if v, _ := env.setting("AZURE_FUNCTIONS_ENVIRONMENT"); strings.EqualFold(v, "Development") {
		c.queues.maxPoll = min(c.queues.maxPoll, developmentPoll)
	}
	return c, err
}

func (h hostJSON) check(f *findings) (hostConfig, error) {
	const description = "customHandler.description."
	d := h.CustomHandler.Description
	if h.Version != "2.0" {
		f.add("version", `want "2.0", not %q`, h.Version)
	}
	if d.DefaultExecutablePath == "" {
		f.add(executableField, "want the path of the handler executable")
	}
	if d.WorkingDirectory != "" {
		f.add(description+"workingDirectory", "not supported by this host")
	}
	if len(d.Arguments) > 0 {
		f.add(description+"arguments", "not supported by this host")
	}
	if !h.CustomHandler.EnableProxyingHTTPRequest {
		f.add("customHandler.enableProxyingHttpRequest",
			"want true: this host passes HTTP requests and answers through as they are")
	}
	c := hostConfig{
		routePrefix: strings.Trim(h.Extensions.HTTP.RoutePrefix, "/"),
		executable:  d.DefaultExecutablePath, queues: h.checkQueues(f),
	}
	if c.timeout = f.span("functionTimeout", h.FunctionTimeout); c.timeout == 0 {
		f.add("functionTimeout", "want more than 00:00:00: this host ends every invocation at some time")
	}
	return c, f.err()
}

func (h hostJSON) checkQueues(f *findings) queueConfig {
	const at = "extensions.queues."
	q := h.Extensions.Queues
	if q.NewBatchThreshold == noThreshold {
		q.NewBatchThreshold = q.BatchSize / 2 * runtime.NumCPU()
	}
	for _, n := range []struct {
		name               string
		have, least, limit int
	}{
		{"batchSize", q.BatchSize, 1, maxBatch}, {"newBatchThreshold", q.NewBatchThreshold, 0, 100_000},
		{"maxDequeueCount", q.MaxDequeueCount, 1, 1_000_000},
	} {
		if n.have < n.least || n.have > n.limit {
			f.add(at+n.name, "want a whole number from %d to %d, not %d", n.least, n.limit, n.have)
		}
	}
	c := queueConfig{
		batchSize: q.BatchSize, threshold: q.NewBatchThreshold, maxDequeue: q.MaxDequeueCount,
		maxPoll:    f.span(at+"maxPollingInterval", q.MaxPollingInterval),
		retryDelay: f.span(at+"visibilityTimeout", q.VisibilityTimeout),
	}
	if c.maxPoll < minPoll {
		f.add(at+"maxPollingInterval", "want at least %v", minPoll)
	}
	if !strings.EqualFold(q.MessageEncoding, "base64") {
		f.add(at+"messageEncoding", "want base64, not %q", q.MessageEncoding)
	}
	return c
}

func (f *findings) span(path, text string) time.Duration {
	d, err := parseTimeSpan(text)
	if err != nil {
		f.add(path, "%w", err)
	}
	return d
}

var errNoFunctions = fault.New(fault.Invalid,
	"no function found: the script root needs one folder with function.json per function, as `tidemark app` writes them")

// override replaces durations of host.json by those of the options.
func (c *hostConfig) override(o Options) {
	if o.Timeout > 0 {
		c.timeout = o.Timeout
	}
	if o.MaxPoll > 0 {
		c.queues.maxPoll, c.queues.rounds = o.MaxPoll, o.MaxPoll
	}
}

// A command describes how to start the handler; only the port differs from run to run.
type command struct {
	path string
	args []string
	root string // script root, and the working directory
	env  environ
	// secret is sent with each request, so that the handler can distinguish its host from other callers.
	secret string
}

// newCommand finds the handler: the command in the options, or the executable that host.json names in the script
// root.
func newCommand(o Options, executable string, env environ) (command, error) {
	c := command{root: o.AppDir, env: env, secret: rand.Text()}
	if len(o.Handler) > 0 {
		c.path, c.args = o.Handler[0], o.Handler[1:]
		return c, nil
	}
	path := executable
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.root, path)
	}
	var err error
	if c.path, err = exec.LookPath(path); err == nil {
		return c, nil
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return command{}, fault.Field(executableField, "host.json: %s: %s is not in %s; write the folder with `tidemark app`",
			executableField, executable, c.root)
	}
	return command{}, fault.Field(executableField, "host.json: %s: %s is not executable (chmod +x)", executableField, path)
}

// environ is the environment of the host and of the handler process. The Functions host does not distinguish app
// settings from the process environment.
type environ map[string]string

func newEnviron(list []string) environ {
	e := environ{}
	for _, kv := range list {
		if name, value, ok := strings.Cut(kv, "="); ok {
			e[name] = value
		}
	}
	return e
}

// list returns NAME=value pairs in order of name.
func (e environ) list() []string {
	out := make([]string, 0, len(e))
	for _, name := range slices.Sorted(maps.Keys(e)) {
		out = append(out, name+"="+e[name])
	}
	return out
}

// setting returns an app setting. Names of settings are case-insensitive in .NET, and the section separator is : in
// configuration and __ in the environment.
func (e environ) setting(name string) (string, bool) {
	if v, ok := e[name]; ok {
		return v, true
	}
	want := strings.ReplaceAll(name, ":", "__")
	for _, k := range slices.Sorted(maps.Keys(e)) {
		if strings.EqualFold(strings.ReplaceAll(k, ":", "__"), want) {
			return e[k], true
		}
	}
	return "", false
}

// defaults adds settings that are not set yet.
func (e environ) defaults(more map[string]string) {
	for name, value := range more {
		if _, ok := e[name]; !ok {
			e[name] = value
		}
	}
}

// readLocalSettings returns the values that local.settings.json in dir adds to the environment, or none if there is
// no such file. It ignores the file's settings for the host of the Core Tools, such as the port.
func readLocalSettings(dir string) (map[string]string, error) {
	file := struct {
		IsEncrypted               bool
		Values, ConnectionStrings map[string]any
	}{IsEncrypted: true} // without the field, Core Tools treat the file as encrypted
	f := &findings{file: filepath.Join(dir, "local.settings.json")}
	if err := readJSON(f.file, &file); fault.Is(err, fault.NotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if file.IsEncrypted {
		f.add("IsEncrypted", "encrypted settings cannot be read here; set it to false")
	}
	if len(file.ConnectionStrings) > 0 {
		f.add("ConnectionStrings", "not supported by this host; settings go into Values")
	}
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(file.Values)) {
		switch v := file.Values[name].(type) {
		case nil:
		case string, json.Number, bool:
			out[name] = fmt.Sprint(v)
		default:
			f.add("Values."+name, "want a string; nested settings are written with __")
		}
	}
	return out, f.err()
}

// add adds local settings that the environment does not have.
func (e environ) add(values map[string]string, log *slog.Logger) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, ok := e[name]; ok {
			log.Info("local setting skipped, the environment has it", "name", name)
			continue
		}
		e[name] = values[name]
	}
}

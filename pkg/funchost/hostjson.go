package funchost

import (
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
)

// hostConfig is what this host reads of host.json. The section extensionBundle is passed over:
// queue bindings are built in here.
type hostConfig struct {
	timeout     time.Duration // functionTimeout; 0 means unbounded
	only        []string      // allow-list of functions; nil means all
	routePrefix string        // without slashes
	queues      queueConfig
	command     commandConfig
	proxy       bool // customHandler.enableProxyingHttpRequest
	initTimeout time.Duration
	port        int // customHandler.port, or 0 for any free one
}

// queueConfig is extensions.queues of host.json.
type queueConfig struct {
	batchSize   int
	threshold   int // fetch again once this many or fewer run
	maxPoll     time.Duration
	retryDelay  time.Duration // visibilityTimeout: how long a failed message rests
	maxDequeue  int
	rawEncoding bool // messageEncoding none
}

// commandConfig is customHandler.description of host.json.
type commandConfig struct {
	executable, workingDir, workerPath string
	arguments, workerArguments         []string
}

const (
	overridePrefix = "AzureFunctionsJobHost__"
	// defaultTimeout is that of every plan but Consumption, and of local runs.
	defaultTimeout     = 30 * time.Minute
	defaultInitTimeout = 30 * time.Second
	defaultMaxPoll     = time.Minute
	// developmentPoll is the most under AZURE_FUNCTIONS_ENVIRONMENT=Development.
	developmentPoll = 2 * time.Second
	maxBatch        = 32
)

// readHostConfig reads host.json in dir with the overrides AzureFunctionsJobHost__a__b of env.
func readHostConfig(dir string, env environ) (hostConfig, error) {
	t, err := readTree(filepath.Join(dir, "host.json"))
	if err != nil {
		return hostConfig{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if len(name) > len(overridePrefix) && strings.EqualFold(name[:len(overridePrefix)], overridePrefix) {
			t.set(strings.Split(name[len(overridePrefix):], "__"), env[name])
		}
	}
	c, err := parseHostConfig(t)
	if v, _ := env.setting("AZURE_FUNCTIONS_ENVIRONMENT"); strings.EqualFold(v, "Development") {
		c.queues.maxPoll = min(c.queues.maxPoll, developmentPoll)
	}
	return c, err
}

func parseHostConfig(t *tree) (hostConfig, error) {
	if v := t.text("version", ""); v != "2.0" {
		t.blame("version", `want "2.0", not %q`, v)
	}
	c := hostConfig{
		timeout:     readTimeout(t),
		only:        t.texts("functions"),
		routePrefix: strings.Trim(t.text("extensions.http.routePrefix", "api"), "/"),
		queues:      readQueueConfig(t),
		command:     readCommand(t),
		proxy:       t.flag("customHandler.enableProxyingHttpRequest", false),
		initTimeout: t.span("customHandler.initializationTimeout", defaultInitTimeout),
		port:        t.number("customHandler.port", 0, 0, 65535),
	}
	if c.initTimeout <= 0 {
		t.blame("customHandler.initializationTimeout", "want a positive time span")
	}
	refuseUnsupported(t, c)
	return c, t.err()
}

// refuseUnsupported names the settings that would change behaviour and that this host lacks.
func refuseUnsupported(t *tree, c hostConfig) {
	if t.flag("customHandler.enableForwardingHttpRequest", false) && !c.proxy {
		t.blame("customHandler.enableForwardingHttpRequest", "not supported by this host; set enableProxyingHttpRequest, which Azure prefers too")
	}
	if s := t.text("customHandler.type", "http"); !strings.EqualFold(s, "http") {
		t.blame("customHandler.type", `want "http", not %q`, s)
	}
	for _, path := range []string{"customHandler.http", "configurationProfile", "httpWorker", "retry"} {
		if _, ok := t.value(path); ok {
			t.blame(path, "not supported by this host")
		}
	}
}

func readTimeout(t *tree) time.Duration {
	if t.text("functionTimeout", "") == "-1" {
		return 0
	}
	d := t.span("functionTimeout", defaultTimeout)
	if d <= 0 {
		t.blame("functionTimeout", `want a positive time span, or "-1" for none`)
	}
	return d
}

func readQueueConfig(t *tree) queueConfig {
	const at = "extensions.queues."
	c := queueConfig{
		batchSize:  t.number(at+"batchSize", 16, 1, maxBatch),
		maxPoll:    t.span(at+"maxPollingInterval", defaultMaxPoll),
		retryDelay: t.span(at+"visibilityTimeout", 0),
		maxDequeue: t.number(at+"maxDequeueCount", 5, 1, 1_000_000),
	}
	c.threshold = t.number(at+"newBatchThreshold", c.batchSize/2*runtime.NumCPU(), 0, 100_000)
	if c.maxPoll < minPoll {
		t.blame(at+"maxPollingInterval", "want at least %v", minPoll)
	}
	if c.retryDelay < 0 || c.retryDelay > 7*24*time.Hour {
		t.blame(at+"visibilityTimeout", "want 00:00:00 to 7 days")
	}
	switch s := strings.ToLower(t.text(at+"messageEncoding", "base64")); s {
	case "base64":
	case "none":
		c.rawEncoding = true
	default:
		t.blame(at+"messageEncoding", "want base64 or none, not %q", s)
	}
	return c
}

func readCommand(t *tree) commandConfig {
	const at = "customHandler.description."
	c := commandConfig{
		executable:      t.text(at+"defaultExecutablePath", ""),
		workingDir:      t.text(at+"workingDirectory", ""),
		workerPath:      t.text(at+"defaultWorkerPath", ""),
		arguments:       t.texts(at + "arguments"),
		workerArguments: t.texts(at + "workerArguments"),
	}
	if c.executable == "" {
		t.blame(at+"defaultExecutablePath", "want the path of the handler executable")
	}
	return c
}

// allows reports whether the allow-list, if any, names the function.
func (c hostConfig) allows(function string) bool {
	return len(c.only) == 0 || slices.ContainsFunc(c.only, func(s string) bool { return strings.EqualFold(s, function) })
}

var errNoFunctions = fault.New(fault.Invalid, "no function found: the script root needs one folder with function.json per function, as `make app` lays them out")

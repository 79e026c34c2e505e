package funchost

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
)

// function is one loaded function: exactly one trigger and any outputs.
type function struct {
	name     string
	trigger  binding
	outputs  []binding
	disabled bool

	route    route     // of an httpTrigger
	methods  []string  // upper case; nil means all
	level    authLevel // of an httpTrigger
	queue    string    // of a queueTrigger
	timer    timerSpec // of a timerTrigger
	http     *binding  // the http output, if any
	warnings []string  // what is odd but tolerated
}

// binding is one entry of bindings in function.json.
type binding struct {
	name, kind string
	binary     bool   // dataType binary
	queue      string // of a queue output
}

const (
	httpTrigger  = "httptrigger"
	queueTrigger = "queuetrigger"
	timerTrigger = "timertrigger"
	httpOutput   = "http"
	queueOutput  = "queue"
	returnName   = "$return"

	maxFunctions = 500
)

var (
	functionName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,127}$`)
	bindingName  = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9]{0,127}|\$return)$`)
	queueName    = regexp.MustCompile(`^[a-z0-9](-?[a-z0-9]){2,62}$`)
)

// loader knows what function.json may refer to.
type loader struct {
	dir    string
	env    environ
	config hostConfig
}

// load reads every immediate subfolder that has a function.json, in the host's order: by name,
// case aside. A function that cannot be loaded is reported and the others go on.
func (l loader) load() (loaded []*function, bad []error, err error) {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return nil, nil, fault.New(fault.NotFound, "script root: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(l.dir, e.Name(), "function.json")
		if _, err := os.Stat(path); err != nil || !l.config.allows(e.Name()) {
			continue
		}
		f, err := l.function(e.Name(), path)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		loaded = append(loaded, f)
	}
	if len(loaded) > maxFunctions {
		return nil, nil, fault.New(fault.TooLarge, "more than %d functions", maxFunctions)
	}
	slices.SortFunc(loaded, func(a, b *function) int {
		return strings.Compare(strings.ToUpper(a.name), strings.ToUpper(b.name))
	})
	return loaded, bad, nil
}

func (l loader) function(name, path string) (*function, error) {
	if !functionName.MatchString(name) || strings.EqualFold(name, "host") {
		return nil, fault.New(fault.Invalid, "%s: %q cannot name a function: want a letter, then letters, digits, _ or -, and not \"host\"", path, name)
	}
	t, err := readTree(path)
	if err != nil {
		return nil, err
	}
	f := &function{name: name, disabled: l.disabled(name) || t.flag("disabled", false)}
	if _, ok := t.value("retry"); ok {
		t.blame("retry", "retry policies are not supported by this host")
	}
	l.bindings(f, t)
	return f, t.err()
}

// disabled reads the settings that switch a function off, AzureWebJobs.<name>.Disabled.
func (l loader) disabled(name string) bool {
	for _, key := range []string{"AzureWebJobs." + name + ".Disabled", "AzureWebJobs__" + name + "__Disabled"} {
		if v, _ := l.env.setting(key); strings.EqualFold(v, "true") || v == "1" {
			return true
		}
	}
	return false
}

func (l loader) bindings(f *function, t *tree) {
	v, _ := t.value("bindings")
	list, _ := v.([]any)
	triggers := 0
	for i, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			t.blame("bindings", "entry %d: want an object", i)
			continue
		}
		b := t.sub(m)
		if l.binding(f, b) {
			triggers++
		}
		t.errs = append(t.errs, b.errs...)
	}
	if triggers != 1 && len(t.errs) == 0 {
		t.blame("bindings", "want exactly one trigger, have %d", triggers)
	}
	l.checkHTTP(f, t)
}

func (l loader) checkHTTP(f *function, t *tree) {
	for i := range f.outputs {
		if f.outputs[i].kind == httpOutput {
			f.http = &f.outputs[i]
		}
	}
	if f.http != nil && f.trigger.kind != httpTrigger && len(t.errs) == 0 {
		t.blame("bindings", "an http output needs an httpTrigger")
	}
}

// binding reads one binding into f and reports whether it is a trigger.
func (l loader) binding(f *function, t *tree) (isTrigger bool) {
	b := binding{name: t.text("name", ""), kind: strings.ToLower(t.text("type", ""))}
	if !bindingName.MatchString(b.name) {
		t.blame("bindings.name", "%q cannot name a binding: want a letter, then letters and digits, or $return", b.name)
	}
	b.binary = strings.EqualFold(t.text("dataType", ""), "binary")
	direction := strings.ToLower(t.text("direction", ""))
	switch {
	case strings.HasSuffix(b.kind, "trigger"):
		if direction != "in" && direction != "" {
			t.blame("bindings.direction", `a trigger's direction is "in", not %q`, direction)
		}
		f.trigger = b
		l.triggerDetails(f, t)
		return true
	case direction != "out":
		t.blame("bindings.type", "binding %q of type %q, direction %q: this host knows triggers and outputs only", b.name, b.kind, direction)
	case b.kind == queueOutput:
		b.queue = l.queueName(t)
	case b.kind != httpOutput:
		t.blame("bindings.type", "binding type %q is not known to this host", b.kind)
	}
	f.outputs = append(f.outputs, b)
	return false
}

func (l loader) triggerDetails(f *function, t *tree) {
	switch f.trigger.kind {
	case httpTrigger:
		l.httpDetails(f, t)
	case queueTrigger:
		f.queue = l.queueName(t)
		if c := t.text("connection", ""); c != "" && !strings.EqualFold(c, "AzureWebJobsStorage") {
			f.warnings = append(f.warnings, "connection "+c+" is read as AzureWebJobsStorage: this host has one store")
		}
	case timerTrigger:
		l.timerDetails(f, t)
	default:
		t.blame("bindings.type", "trigger type %q is not known to this host", f.trigger.kind)
	}
}

func (l loader) httpDetails(f *function, t *tree) {
	text := t.text("route", f.name)
	r, err := parseRoute(joinRoute(l.config.routePrefix, text))
	if err == nil && r.reserved() {
		err = errors.New("routes below admin and runtime belong to the host")
	}
	if err != nil {
		t.blame("bindings.route", "%q: %w", text, err)
	}
	f.route = r
	for _, m := range t.texts("methods") {
		f.methods = append(f.methods, strings.ToUpper(m))
	}
	switch f.level = authLevel(strings.ToLower(t.text("authLevel", string(levelFunction)))); f.level {
	case levelAnonymous, levelFunction, levelAdmin:
	default:
		t.blame("bindings.authLevel", "want anonymous, function or admin, not %q", f.level)
	}
}

func (l loader) timerDetails(f *function, t *tree) {
	text, err := l.env.resolve(t.text("schedule", ""))
	if err != nil {
		t.blame("bindings.schedule", "%w", err)
		return
	}
	s, err := parseSchedule(strings.TrimSpace(text))
	if err != nil {
		t.blame("bindings.schedule", "%w", err)
	}
	f.timer = timerSpec{schedule: s, onStartup: t.flag("runOnStartup", false), monitor: t.flag("useMonitor", true)}
}

func (l loader) queueName(t *tree) string {
	name, err := l.env.resolve(t.text("queueName", ""))
	if err != nil {
		t.blame("bindings.queueName", "%w", err)
		return ""
	}
	name = strings.ToLower(name)
	if !queueName.MatchString(name) || len(name) > maxQueueName {
		t.blame("bindings.queueName", "%q cannot name a queue: want 3 to 63 letters, digits and single dashes", name)
	}
	return name
}

// streams reports whether HTTP requests of f can be proxied as they are: exactly one input and
// exactly one output, which is HTTP.
func (f *function) streams() bool {
	return f.trigger.kind == httpTrigger && len(f.outputs) == 1 && f.http != nil
}

// accepts reports whether f takes requests with the method.
func (f *function) accepts(method string) bool {
	return len(f.methods) == 0 || slices.Contains(f.methods, method)
}

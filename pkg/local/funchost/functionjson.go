package funchost

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// A function is one loaded function. It has exactly one trigger. If the trigger is an httpTrigger, the function also
// has the http output.
type function struct {
	name     string
	trigger  binding
	disabled bool

	route    route    // set for an httpTrigger
	methods  []string // upper case; nil means all
	queue    string   // set for a queueTrigger
	schedule schedule // set for a timerTrigger
}

// functionJSON is the supported content of function.json.
type functionJSON struct{ Bindings []binding }

// A binding is one entry of bindings in function.json.
type binding struct {
	Name, Type, Direction           string
	AuthLevel                       string // of an httpTrigger, like the next two
	Methods                         []string
	Route                           *string
	DataType, QueueName, Connection string // of a queueTrigger
	Schedule                        string // of a timerTrigger, like the next two
	RunOnStartup                    bool
	UseMonitor                      *bool
}

const (
	httpTrigger  = "httptrigger"
	queueTrigger = "queuetrigger"
	timerTrigger = "timertrigger"
	httpOutput   = "http"

	maxFunctions = 500
	maxQueueName = 63
)

var (
	functionName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,127}$`)
	bindingName  = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9]{0,127}$`)
	queueName    = regexp.MustCompile(`^[a-z0-9](-?[a-z0-9]){2,62}$`)
)

// A loader loads functions, and holds everything that function.json may refer to.
type loader struct {
	dir    string
	env    environ
	config hostConfig
}

// load reads every immediate subfolder with a function.json, in the host's order: by name, regardless of case. If a
// function cannot be loaded, load adds an error to bad, and loads the other functions.
func (l loader) load() (loaded []*function, bad []error, err error) {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return nil, nil, fault.New(fault.NotFound, "script root: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(l.dir, e.Name(), "function.json")
		if _, err := os.Stat(path); err != nil {
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
		return nil, fault.New(fault.Invalid,
			"%s: %q cannot name a function: want a letter, then letters, digits, _ or -, and not \"host\"", path, name)
	}
	var file functionJSON
	if err := readStrict(path, &file); err != nil {
		return nil, err
	}
	f, found := &function{name: name, disabled: l.disabled(name)}, &findings{file: path}
	l.bindings(f, file.Bindings, found)
	return f, found.err()
}

// disabled reports whether the setting AzureWebJobs.<name>.Disabled disables a function.
func (l loader) disabled(name string) bool {
	for _, key := range []string{"AzureWebJobs." + name + ".Disabled", "AzureWebJobs__" + name + "__Disabled"} {
		if v, _ := l.env.setting(key); strings.EqualFold(v, "true") || v == "1" {
			return true
		}
	}
	return false
}

func (l loader) bindings(f *function, list []binding, found *findings) {
	triggers, answers := 0, 0
	for _, b := range list {
		b.Type, b.Direction = strings.ToLower(b.Type), strings.ToLower(b.Direction)
		if !bindingName.MatchString(b.Name) {
			found.add("bindings.name", "%q cannot name a binding: want a letter, then letters and digits", b.Name)
		}
		switch {
		case strings.HasSuffix(b.Type, "trigger"):
			triggers++
			f.trigger = b
			l.trigger(f, found)
		case b.Type == httpOutput && b.Direction == "out":
			answers++
		default:
			found.add("bindings.type",
				"binding %q of type %q, direction %q: this host knows triggers and the http output only",
				b.Name, b.Type, b.Direction)
		}
	}
	switch isHTTP := f.trigger.Type == httpTrigger; {
	case len(found.errs) > 0:
	case triggers != 1:
		found.add("bindings", "want exactly one trigger, have %d", triggers)
	case answers > 0 && !isHTTP:
		found.add("bindings", "an http output needs an httpTrigger")
	case answers != 1 && isHTTP:
		found.add("bindings", "an httpTrigger needs exactly one http output, and has %d: this host passes requests and "+
			"answers through as they are", answers)
	}
}

func (l loader) trigger(f *function, found *findings) {
	if d := f.trigger.Direction; d != "in" && d != "" {
		found.add("bindings.direction", `a trigger's direction is "in", not %q`, d)
	}
	switch f.trigger.Type {
	case httpTrigger:
		l.httpTrigger(f, found)
	case queueTrigger:
		f.queueTrigger(found)
	case timerTrigger:
		f.timerTrigger(found)
	default:
		found.add("bindings.type", "trigger type %q is not known to this host", f.trigger.Type)
	}
}

func (l loader) httpTrigger(f *function, found *findings) {
	text := f.name
	if r := f.trigger.Route; r != nil {
		text = *r
	}
	r, err := parseRoute(joinRoute(l.config.routePrefix, text))
	if err == nil && r.reserved() {
		err = errors.New("routes below admin and runtime belong to the host")
	}
	if err != nil {
		found.add("bindings.route", "%q: %w", text, err)
	}
	f.route = r
	for _, m := range f.trigger.Methods {
		f.methods = append(f.methods, strings.ToUpper(m))
	}
	switch level := strings.ToLower(f.trigger.AuthLevel); level {
	case "", "function", "anonymous":
	default:
		found.add("bindings.authLevel", "want anonymous or function, not %q: this host checks no keys", level)
	}
}

func (f *function) queueTrigger(found *findings) {
	f.queue = strings.ToLower(spelledOut(found, "queueName", f.trigger.QueueName))
	if !queueName.MatchString(f.queue) || len(f.queue) > maxQueueName {
		found.add("bindings.queueName", "%q cannot name a queue: want 3 to 63 letters, digits and single dashes", f.queue)
	}
	if s := f.trigger.DataType; !strings.EqualFold(s, "binary") {
		found.add("bindings.dataType", `want "binary", not %q: this host passes messages as their bytes`, s)
	}
	if c := f.trigger.Connection; c != "" && !strings.EqualFold(c, "AzureWebJobsStorage") {
		found.add("bindings.connection", `want "AzureWebJobsStorage", not %q: this host has one store`, c)
	}
}

func (f *function) timerTrigger(found *findings) {
	var err error
	if f.schedule, err = parseSchedule(spelledOut(found, "schedule", f.trigger.Schedule)); err != nil {
		found.add("bindings.schedule", "%w", err)
	}
	if err == nil && f.schedule.frequent() {
		found.add("bindings.schedule", "this host fires no timer more than once a minute")
	}
	if f.trigger.RunOnStartup {
		found.add("bindings.runOnStartup", "want false: this host fires timers when they are due")
	}
	if m := f.trigger.UseMonitor; m != nil && !*m {
		found.add("bindings.useMonitor", "want true: this host makes up for an occurrence missed while it was down")
	}
}

// spelledOut refuses a value in which Azure would substitute app settings.
func spelledOut(found *findings, field, value string) string {
	if strings.Contains(value, "%") {
		found.add("bindings."+field, "%q: this host puts no settings into function.json; write the value", value)
	}
	return strings.TrimSpace(value)
}

// anonymous reports whether f may be called without a key of the host.
func (f *function) anonymous() bool { return strings.EqualFold(f.trigger.AuthLevel, "anonymous") }

// accepts reports whether f accepts requests with the method.
func (f *function) accepts(method string) bool {
	return len(f.methods) == 0 || slices.Contains(f.methods, method)
}

// maxConfigBytes bounds a configuration file.
const maxConfigBytes = 1 << 20

// readJSON decodes the JSON object in the file at path into v. Field names match in any case, as in .NET.
func readJSON(path string, v any) error { return decodeFile(path, v, func(*json.Decoder) {}) }

// readStrict does the same as readJSON, for a file in which every setting has an effect in Azure. A setting for which
// v has no field is an error.
func readStrict(path string, v any) error {
	return decodeFile(path, v, (*json.Decoder).DisallowUnknownFields)
}

func decodeFile(path string, v any, prepare func(*json.Decoder)) error {
	f, err := os.Open(path)
	if err != nil {
		return fault.New(fault.NotFound, "%w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err != nil {
		return fault.New(fault.Unavailable, "%s: %w", path, err)
	}
	if len(data) > maxConfigBytes {
		return fault.New(fault.TooLarge, "%s: more than %d bytes", path, maxConfigBytes)
	}
	// Editors on Windows begin files with a byte order mark, which .NET skips.
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	dec.UseNumber()
	prepare(dec)
	if err := dec.Decode(v); err != nil {
		return explain(path, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "%s: text after the JSON object", path)
	}
	return nil
}

// explain describes an error in the file at path in the terms of JSON, not of Go.
func explain(path string, err error) error {
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name = strings.Trim(name, `"`)
		return fault.Field(name, "%s: %s: not supported by this host", path, name)
	}
	if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && bad.Field != "" {
		return fault.Field(bad.Field, "%s: %s: want %v, not %s", path, bad.Field, bad.Type, bad.Value)
	}
	return fault.New(fault.Invalid, "%s: not a JSON object: %w", path, err)
}

// findings collects the errors in the values of one file.
type findings struct {
	file string
	errs []error
}

// err joins the errors.
func (f *findings) err() error { return errors.Join(f.errs...) }

// add adds an error in the field at path.
func (f *findings) add(path, format string, args ...any) {
	e := fault.Field(path, format, args...)
	fault.Wrap(&e, "%s: %s", f.file, path)
	f.errs = append(f.errs, e)
}

// A route is an ASP.NET route template, matched regardless of case. The handler, which receives the path unchanged,
// extracts the values of parameters itself.
type route struct{ segments []segment }

// A segment is one part between slashes: a literal or a parameter.
type segment struct {
	literal string // "" for a parameter
	rest    bool   // {*name} matches everything that remains, including slashes
}

var parameter = regexp.MustCompile(`^\{\*{0,2}[A-Za-z_][A-Za-z0-9_]*\}$`)

// joinRoute joins a prefix and a template; either may be empty.
func joinRoute(prefix, template string) string {
	return strings.Trim(prefix+"/"+strings.Trim(template, "/"), "/")
}

func parseRoute(template string) (route, error) {
	var r route
	if len(template) > 2048 {
		return r, fault.New(fault.TooLarge, "route longer than 2048 bytes")
	}
	if template == "" {
		return r, nil
	}
	parts := strings.Split(template, "/")
	for i, part := range parts {
		s, err := parseSegment(part)
		if err != nil {
			return route{}, err
		}
		if s.rest && i < len(parts)-1 {
			return route{}, fault.New(fault.Invalid, "%s must come last", part)
		}
		r.segments = append(r.segments, s)
	}
	return r, nil
}

func parseSegment(part string) (segment, error) {
	switch {
	case parameter.MatchString(part):
		return segment{rest: strings.HasPrefix(part, "{*")}, nil
	case part == "" || strings.ContainsAny(part, "{}?"):
		return segment{}, fault.New(fault.Invalid,
			"segment %q: want a literal or one parameter such as {id} or {*rest}; this host knows no constraints, defaults or "+
				"optional ones", part)
	}
	return segment{literal: part}, nil
}

// reserved reports whether the template is among the paths that the host reserves for itself.
func (r route) reserved() bool {
	if len(r.segments) == 0 {
		return false
	}
	first := r.segments[0].literal
	return strings.EqualFold(first, "admin") || strings.EqualFold(first, "runtime")
}

// match reports whether a request path matches. A trailing slash does not count.
func (r route) match(u *url.URL) bool {
	var parts []string
	if path := strings.TrimSuffix(strings.TrimPrefix(u.EscapedPath(), "/"), "/"); path != "" {
		parts = strings.Split(path, "/")
	}
	for i, s := range r.segments {
		if s.rest {
			return true
		}
		if i >= len(parts) || !s.fits(parts[i]) {
			return false
		}
	}
	return len(parts) == len(r.segments)
}

// fits reports whether one part of a path, in its escaped form, matches. A parameter of the real host is never empty.
func (s segment) fits(part string) bool {
	if s.literal == "" {
		return part != ""
	}
	decoded, err := url.PathUnescape(part)
	return err == nil && strings.EqualFold(s.literal, decoded)
}

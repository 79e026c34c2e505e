package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// app is what is read of a script root.
type app struct {
	dir        string
	executable string
	arguments  []string
	prefix     string
	proxying   bool
	functions  []function
}

// function is one function.json.
type function struct {
	name    string
	trigger string // name of the trigger's binding
	kind    string // type of the trigger, lower case
	inputs  int
	outputs int
	http    bool // has an http output
	route   string
	methods []string
}

type hostJSON struct {
	CustomHandler struct {
		Description struct {
			DefaultExecutablePath string
			Arguments             []string
		}
		EnableProxyingHttpRequest bool //nolint:staticcheck // the name in the file
	}
	Extensions struct {
		HTTP struct{ RoutePrefix *string }
	}
}

type functionJSON struct {
	Bindings []struct {
		Name, Type, Direction, Route string
		Methods                      []string
	}
}

func readApp(dir string) (app, error) {
	var h hostJSON
	if err := readJSON(filepath.Join(dir, "host.json"), &h); err != nil {
		return app{}, err
	}
	a := app{dir: dir, prefix: "api", proxying: h.CustomHandler.EnableProxyingHttpRequest, arguments: h.CustomHandler.Description.Arguments}
	a.executable = filepath.Join(dir, h.CustomHandler.Description.DefaultExecutablePath)
	if p := h.Extensions.HTTP.RoutePrefix; p != nil {
		a.prefix = strings.Trim(*p, "/")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "function.json"))
	if err != nil {
		return app{}, err
	}
	if len(paths) == 0 {
		return app{}, fmt.Errorf("no function in %s", dir)
	}
	for _, path := range paths {
		f, err := readFunction(path)
		if err != nil {
			return app{}, err
		}
		a.functions = append(a.functions, f)
	}
	return a, nil
}

func readFunction(path string) (function, error) {
	var j functionJSON
	f := function{name: filepath.Base(filepath.Dir(path))}
	if err := readJSON(path, &j); err != nil {
		return f, err
	}
	f.route = f.name
	for _, b := range j.Bindings {
		kind := strings.ToLower(b.Type)
		switch {
		case strings.HasSuffix(kind, "trigger"):
			f.trigger, f.kind, f.methods = b.Name, kind, b.Methods
			f.inputs++
			if b.Route != "" {
				f.route = b.Route
			}
		case strings.EqualFold(b.Direction, "out"):
			f.outputs++
			f.http = f.http || kind == "http"
		default:
			f.inputs++
		}
	}
	if f.trigger == "" {
		return f, fmt.Errorf("%s: no trigger", path)
	}
	return f, nil
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// proxied reports whether the host passes HTTP requests of f through as they are.
func (f function) proxied(a app) bool {
	return a.proxying && f.kind == "httptrigger" && f.inputs == 1 && f.outputs == 1 && f.http
}

var parameter = regexp.MustCompile(`\{\*{0,2}([^}:=?]+)([^}]*)\}`)

// path is a request path that the route of f matches.
func (f function) path(a app) string {
	route := parameter.ReplaceAllStringFunc(f.route, func(p string) string {
		switch {
		case strings.Contains(p, ":int"), strings.Contains(p, ":long"):
			return "1"
		case strings.Contains(p, ":guid"):
			return "6f9619ff-8b86-d011-b42d-00c04fc964ff"
		}
		return "sample"
	})
	return "/" + strings.Trim(a.prefix+"/"+strings.Trim(route, "/"), "/")
}

// upper is path with the literal parts, which hosts match in any casing, in capitals.
func (f function) upper(a app) string {
	parts := strings.Split(strings.Trim(a.prefix+"/"+strings.Trim(f.route, "/"), "/"), "/")
	sample := strings.Split(strings.Trim(f.path(a), "/"), "/")
	for i := range parts {
		if !strings.Contains(parts[i], "{") {
			sample[i] = strings.ToUpper(sample[i])
		}
	}
	return "/" + strings.Join(sample, "/")
}

package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// app is the part of a script root that the checks use.
type app struct {
	dir        string
	executable string
	prefix     string
	functions  []function
}

// A function is the content of one function.json.
type function struct {
	name    string
	trigger string // name of the trigger's binding
	http    bool   // whether the function has an httpTrigger; the host then passes its requests through unchanged
	route   string
	methods []string
}

type hostJSON struct {
	CustomHandler struct {
		Description struct{ DefaultExecutablePath string }
	}
	Extensions struct {
		HTTP struct{ RoutePrefix *string }
	}
}

type functionJSON struct {
	Bindings []struct {
		Name, Type, Route string
		Methods           []string
	}
}

func readApp(dir string) (app, error) {
	var h hostJSON
	if err := readJSON(filepath.Join(dir, "host.json"), &h); err != nil {
		return app{}, err
	}
	a := app{dir: dir, prefix: "api", executable: filepath.Join(dir, h.CustomHandler.Description.DefaultExecutablePath)}
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
	for _, b := range j.Bindings {
		if strings.HasSuffix(b.Type, "Trigger") {
			f.trigger, f.http, f.route, f.methods = b.Name, b.Type == "httpTrigger", cmp.Or(b.Route, f.name), b.Methods
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

var parameter = regexp.MustCompile(`\{[^}]*\}`)

// path returns a request path that matches the route of f.
func (f function) path(a app) string {
	route := parameter.ReplaceAllString(f.route, "sample")
	return "/" + strings.Trim(a.prefix+"/"+strings.Trim(route, "/"), "/")
}

// upper returns a path that matches the route of f, with the literal parts in capitals. Hosts match these parts in
// any case.
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

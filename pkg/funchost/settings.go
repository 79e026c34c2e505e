package funchost

import (
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
)

// environ is the environment of the host and of the handler process: app settings and process
// environment are one thing to the Functions host.
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

// list gives NAME=value pairs in order of name.
func (e environ) list() []string {
	out := make([]string, 0, len(e))
	for _, name := range slices.Sorted(maps.Keys(e)) {
		out = append(out, name+"="+e[name])
	}
	return out
}

// setting finds an app setting. Settings are case-insensitive in .NET, and the section separator
// is : in configuration and __ in the environment.
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

// defaults adds what is not set yet.
func (e environ) defaults(more map[string]string) {
	for name, value := range more {
		if _, ok := e[name]; !ok {
			e[name] = value
		}
	}
}

// expand replaces each %NAME% by the environment variable of that name, an unset one by nothing.
func (e environ) expand(s string) string {
	out, _ := e.substitute(s)
	return out
}

// resolve replaces each %NAME% by the app setting of that name and fails on one that is not set.
func (e environ) resolve(s string) (string, error) {
	out, missing := e.substitute(s)
	if len(missing) > 0 {
		return "", fault.New(fault.Invalid, "%%%s%% does not resolve: no app setting of that name", missing[0])
	}
	return out, nil
}

func (e environ) substitute(s string) (out string, missing []string) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "%")
		name, after, closed := strings.Cut(rest, "%")
		if !ok || !closed {
			b.WriteString(s)
			return b.String(), missing
		}
		value, set := e.setting(name)
		if !set {
			missing = append(missing, name)
		}
		b.WriteString(before)
		b.WriteString(value)
		s = after
	}
}

// localSettings is what local.settings.json says besides the values it puts into the environment.
type localSettings struct {
	port   int // Host.LocalHttpPort, or 0
	values map[string]string
}

// readLocalSettings reads local.settings.json in dir; a missing file is no error.
func readLocalSettings(dir string) (localSettings, error) {
	t, err := readTree(filepath.Join(dir, "local.settings.json"))
	if fault.Is(err, fault.NotFound) {
		return localSettings{}, nil
	}
	if err != nil {
		return localSettings{}, err
	}
	s := localSettings{values: map[string]string{}}
	// Core Tools take a file without the field for an encrypted one.
	if t.flag("IsEncrypted", true) {
		t.blame("IsEncrypted", "encrypted settings cannot be read here; set it to false")
	}
	s.port = t.number("Host.LocalHttpPort", 0, 0, 65535)
	t.flat("Values", "", s.values)
	t.flat("ConnectionStrings", "ConnectionStrings:", s.values)
	return s, t.err()
}

// flat copies the members of one object, all of which must be strings, into out.
func (t *tree) flat(path, prefix string, out map[string]string) {
	v, ok := t.value(path)
	if !ok {
		return
	}
	m, ok := v.(map[string]any)
	if !ok {
		t.blame(path, "want an object")
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if s, ok := scalar(m[name]); ok {
			out[prefix+name] = s
		} else if m[name] != nil {
			t.blame(path+"."+name, "want a string; nested settings are written with __")
		}
	}
}

// settle puts local settings below the environment: what is set already wins.
func (e environ) settle(s localSettings, log *slog.Logger) {
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		if _, ok := e[name]; ok {
			log.Info("local setting skipped, the environment has it", "name", name)
			continue
		}
		e[name] = s.values[name]
	}
}

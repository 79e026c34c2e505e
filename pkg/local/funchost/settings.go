package funchost

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

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

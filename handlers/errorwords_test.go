package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestV4ErrorsNameNoGoType sends each field of each request a value that it cannot have. It checks that no answer names
// a type of Go (V4).
func TestV4ErrorsNameNoGoType(t *testing.T) {
	r := newRig(t)
	var names []string
	var walk func(of reflect.Type, around []string, send func(path []string))
	walk = func(of reflect.Type, around []string, send func(path []string)) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || of.PkgPath() != reflect.TypeFor[api.Watch]().PkgPath() || len(around) > 3 {
			return
		}
		names = append(names, of.Name())
		for f := range of.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous:
				walk(f.Type, around, send)
			case name != "" && name != "-":
				path := append(append([]string{}, around...), name)
				send(path)
				walk(f.Type, path, send)
			}
		}
	}
	var said []string
	for _, e := range api.Routes() {
		method, path, _ := strings.Cut(e.Pattern(), " ")
		if method == http.MethodGet || method == http.MethodDelete || path == "mcp" || strings.HasPrefix(path, "db/") {
			continue
		}
		path = strings.NewReplacer("{id}", "url_"+strings.Repeat("a", 26), "{name}", "a", "{slug}", "a").Replace(path)
		for _, q := range e.Requests {
			walk(q, nil, func(steps []string) {
				for _, wrong := range []any{[]any{map[string]any{"x": 1.5}}, map[string]any{"x": []any{1}}, 1.5, "\x00", true} {
					for i := len(steps) - 1; i >= 0; i-- {
						wrong = map[string]any{steps[i]: wrong}
					}
					body, err := json.Marshal(wrong)
					must(t, err)
					w := do(t, r, method, "/api/"+path, string(body))
					if w.Code >= 400 {
						said = append(said, fmt.Sprintf("%s %s %s: %s", method, path, body, w.Body))
					}
					if w.Code >= 500 {
						t.Errorf("%s %s %s: %d %s", method, path, body, w.Code, w.Body)
					}
				}
			})
		}
	}
	types := regexp.MustCompile(`\b(api\.[A-Z]\w*|Go (struct|value)|` + strings.Join(names, `\.\w|`) + `\.\w)|\b[A-Z]\w+[a-z][A-Z]\w+\.\w`)
	for _, line := range said {
		if bad := types.FindString(line[strings.Index(line, "}: ")+2:]); bad != "" {
			t.Errorf("%q is in %s", bad, line)
		}
	}
	if len(said) < 500 {
		t.Errorf("only %d answers refused a value", len(said))
	}
}

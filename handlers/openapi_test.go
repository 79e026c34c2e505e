package handlers

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
)

var readDescription = sync.OnceValues(func() (*openapi.Document, error) { return openapi.Read(openapi.JSON) })

// described returns the operations of the document by route.
func described(t *testing.T) map[string]openapi.Operation {
	t.Helper()
	d, err := readDescription()
	must(t, err)
	out := map[string]openapi.Operation{}
	for _, path := range d.Paths {
		for _, m := range path.Value {
			out[strings.ToUpper(m.Name)+" "+strings.TrimPrefix(path.Name, "/")] = m.Value
		}
	}
	return out
}

// TestA19EveryRouteIsDescribed checks that every route has an operation, and every operation a route (A19).
func TestA19EveryRouteIsDescribed(t *testing.T) {
	have, want := described(t), map[string]bool{}
	for _, e := range api.Routes() {
		want[e.Pattern()] = true
	}
	for route := range want {
		if _, ok := have[route]; !ok {
			t.Errorf("%s is not described: add an operation to the file of its area in pkg/api/openapi/openapitest, its "+
				"requests "+
				"and answers to a recorded conversation (testdata/*.golden) as its example, then run make openapi", route)
		}
	}
	for route := range have {
		if _, ok := want[route]; !ok {
			t.Errorf("%s is described in pkg/api/openapi/openapitest, but there is no such route", route)
		}
	}
}

// TestA19ParametersAndFields sends each route a parameter and a field that do not exist. It checks that the known
// names in the answer are those of the description (A19).
func TestA19ParametersAndFields(t *testing.T) {
	d, err := openapi.Read(openapi.JSON)
	must(t, err)
	r := newRig(t)
	for _, route := range slices.Sorted(maps.Keys(described(t))) {
		o := described(t)[route]
		method, path, _ := strings.Cut(route, " ")
		path = strings.NewReplacer("{id}", "url_"+strings.Repeat("a", 26), "{sha256}", strings.Repeat("a", 64), "{key}",
			"a").Replace(path)
		var want []string
		var w *httptest.ResponseRecorder
		switch {
		case route == "GET health" || strings.Contains(route, " db/") || route == "POST mcp":
			continue // any query is allowed; columns are fields (see TestEntryColumns); or another protocol
		case o.RequestBody != nil:
			name := strings.TrimPrefix(o.RequestBody.Content[0].Value.Schema.Ref, "#/components/schemas/")
			s, _ := d.Components.Schemas.Get(name)
			for _, p := range s.Properties {
				want = append(want, p.Name)
			}
			slices.Sort(want)
			w = do(t, r, method, "/api/"+path, `{"zzz":1}`)
		default:
			for _, p := range o.Parameters {
				if p.In == "query" {
					want = append(want, p.Name)
				}
			}
			w = do(t, r, method, "/api/"+path+"?zzz=1", "")
		}
		p := problemOf(t, w)
		_, known, _ := strings.Cut(p.Detail, "; known are ")
		if diff := cmp.Diff(strings.Join(want, ", "), known); diff != "" || w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s\n-described +known\n%s", route, w.Code, p.Detail, diff)
		}
	}
}

// TestA19BoundsOfParameters checks that the bounds of numbers and flags in queries are those of the description
// (A19).
func TestA19BoundsOfParameters(t *testing.T) {
	r, asked := newRig(t), 0
	for route, o := range described(t) {
		method, path, _ := strings.Cut(route, " ")
		path = strings.NewReplacer("{id}", "url_"+strings.Repeat("a", 26), "{sha256}", strings.Repeat("a", 64)).Replace(path)
		for _, p := range o.Parameters {
			var want string
			switch {
			case slices.Contains(p.Schema.Type, "integer"):
				want = fmt.Sprintf("%s must be a number from %d to %d", p.Name, *p.Schema.Minimum, *p.Schema.Maximum)
			case slices.Contains(p.Schema.Type, "boolean"):
				want = fmt.Sprintf("%s must be true or false", p.Name)
			default:
				continue
			}
			asked++
			w := do(t, r, method, "/api/"+path+"?"+p.Name+"=zzz", "")
			if got := problemOf(t, w); !strings.HasPrefix(got.Detail, want) {
				t.Errorf("%s: %q, described as %q", route, got.Detail, want)
			}
		}
	}
	if asked < 7 {
		t.Errorf("%d parameters asked", asked)
	}
}

// TestA19Served checks that both forms of the description are served with their media types and reveal no key (A19).
func TestA19Served(t *testing.T) {
	r := newRig(t)
	for path, media := range map[string]string{
		"/api/openapi.json?code=key": "application/json; charset=utf-8",
		"/API/docs/":                 "text/html; charset=utf-8",
	} {
		w := do(t, r, "GET", path, "")
		h := w.Header()
		if w.Code != http.StatusOK || h.Get("Content-Type") != media || !strings.HasPrefix(h.Get("Content-Security-Policy"),
			"default-src 'none'") ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %d %v", path, w.Code, h)
		}
		if strings.Contains(path, "json") != json.Valid(w.Body.Bytes()) || w.Body.Len() < 10_000 {
			t.Errorf("%s: %d bytes", path, w.Body.Len())
		}
		if w := do(t, r, "GET", strings.TrimSuffix(path, "?code=key")+"?x=1", ""); w.Code != http.StatusBadRequest {
			t.Errorf("%s with a parameter: %d", path, w.Code)
		}
	}
}

// TestW5SchemasServed checks that the schemas of files are served as the program carries them, to everybody (W5).
func TestW5SchemasServed(t *testing.T) {
	r, g := newRig(t), newGuarded(t, OwnKeys)
	for _, name := range []string{"rules", "sites"} {
		want, err := tidemark.Schemas.ReadFile("schemas/" + name + ".json")
		must(t, err)
		w := do(t, r, "GET", "/api/schemas/"+name, "")
		if w.Code != http.StatusOK || w.Body.String() != string(want) || w.Header().Get("Content-Type") !=
			"application/json; charset=utf-8" || w.Header().Get("ETag") == "" {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
		if w := ask(t, g, "GET", "/api/schemas/"+name, ""); w.Code != http.StatusOK {
			t.Errorf("%s without a key: %d", name, w.Code)
		}
	}
	w := do(t, r, "GET", "/api/schemas/keys", "")
	const want = `there are schemas of rules and of sites, not of "keys"`
	if p := problemOf(t, w); w.Code != http.StatusBadRequest || p.Detail != want {
		t.Errorf("%d %s", w.Code, p.Detail)
	}
}

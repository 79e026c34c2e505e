package funchost

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConformanceRoutes(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, template, path string
		want                 map[string]string // nil for no match
	}{
		{"H32 case does not matter", "api/Hello", "/API/hello", map[string]string{}},
		{"trailing slash does not matter", "api/hello", "/api/hello/", map[string]string{}},
		{"optional parameter given", "api/hello/{name?}", "/api/hello/bob", map[string]string{"name": "bob"}},
		{"optional parameter left out", "api/hello/{name?}", "/api/hello", map[string]string{}},
		{"default", "a/{x=5}", "/a", map[string]string{"x": "5"}},
		{"parameter is needed", "a/{x}", "/a", nil},
		{"too long", "a/{x}", "/a/b/c", nil},
		{"H32 int", "a/{id:int}", "/a/-7", map[string]string{"id": "-7"}},
		{"H32 int refuses text", "a/{id:int}", "/a/x", nil},
		{"H32 int refuses 2^31", "a/{id:int}", "/a/2147483648", nil},
		{"long", "a/{id:long}", "/a/2147483648", map[string]string{"id": "2147483648"}},
		{"H32 guid", "a/{id:guid}", "/a/6F9619FF-8B86-D011-B42D-00C04FC964FF", map[string]string{"id": "6F9619FF-8B86-D011-B42D-00C04FC964FF"}},
		{"H32 guid refuses text", "a/{id:guid}", "/a/6F9619FF", nil},
		{"H32 alpha", "a/{n:alpha}", "/a/Bob", map[string]string{"n": "Bob"}},
		{"H32 alpha refuses digits", "a/{n:alpha}", "/a/Bob1", nil},
		{"two constraints", "a/{n:alpha:maxlength(3)}", "/a/Bobby", nil},
		{"optional with constraint", "a/{id:int?}", "/a", map[string]string{}},
		{"min", "a/{n:min(5)}", "/a/4", nil},
		{"rest", "files/{*rest}", "/files/a/b%20c", map[string]string{"rest": "a/b c"}},
		{"rest may be empty", "files/{*rest}", "/files", map[string]string{}},
		{"rest of everything", "{*rest}", "/", map[string]string{}},
		{"decoded", "a/{x}", "/a/%C3%A5", map[string]string{"x": "å"}},
		{"escaped slash stays in its segment", "a/{x}", "/a/b%2Fc", map[string]string{"x": "b/c"}},
		{"empty template is the root", "", "/", map[string]string{}},
		{"empty template is nothing else", "", "/a", nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r, err := parseRoute(row.template)
			if err != nil {
				t.Fatal(err)
			}
			u, err := url.Parse("http://h" + row.path)
			if err != nil {
				t.Fatal(err)
			}
			have, ok := r.match(u)
			if !ok {
				have = nil
			}
			if diff := cmp.Diff(row.want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRouteRefused(t *testing.T) {
	t.Parallel()
	for _, template := range []string{"a//b", "{", "a{b}", "{b}c", "{a?}/b", "{*a}/b", "{a:min(x)}", "{a:min}", "a?b", strings.Repeat("a", 3000)} {
		if r, err := parseRoute(template); err == nil {
			t.Errorf("%s: have %+v, want an error", template, r)
		}
	}
}

func FuzzRoute(f *testing.F) {
	f.Add("api/hello/{name?}", "/api/hello/bob")
	f.Add("{*rest}", "/a/b%2Fc//d")
	f.Add("a/{id:int:min(3)}/{x=5}", "/a/7")
	f.Fuzz(func(t *testing.T, template, path string) {
		r, err := parseRoute(template)
		if err != nil {
			return
		}
		u, err := url.Parse("http://h/" + strings.TrimPrefix(path, "/"))
		if err != nil {
			return
		}
		params, ok := r.match(u)
		if ok && len(params) > len(r.segments) {
			t.Fatalf("%q %q: %v", template, path, params)
		}
	})
}

func TestConformanceRouting(t *testing.T) {
	t.Parallel()
	hello := func(route, methods string) string {
		return `{"bindings":[{"name":"req","type":"httpTrigger","authLevel":"anonymous","route":"` + route + `","methods":[` + methods + `]},{"name":"res","type":"http","direction":"out"},{"name":"q","type":"queue","direction":"out","queueName":"jobs"}]}`
	}
	r := started(t, files{
		"host.json":             hostPlain,
		"b-first/function.json": hello("things/{id}", `"get"`),
		"Catch/function.json":   hello("{*path}", `"get","post"`),
		"Later/function.json":   hello("later", `"get","post","put"`),
		"Off/function.json":     `{"disabled":true,` + hello("off", `"patch"`)[1:],
	})
	rows := []struct {
		name, method, path string
		status             int
		function           string
	}{
		{"H32 first by name", "GET", "/api/things/1", 200, "/b-first"},
		{"H32 method mismatch tries the next", "POST", "/api/things/1", 200, "/Catch"},
		{"H32 a catch-all shadows what comes after it", "GET", "/api/later", 200, "/Catch"},
		{"H32 but for methods it does not take", "PUT", "/api/later", 200, "/Later"},
		{"H32 method nobody takes is 404", "DELETE", "/api/things/1", 404, ""},
		{"H32 outside the prefix is 404", "GET", "/things/1", 404, ""},
		{"disabled is 404", "PATCH", "/api/off", 404, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, before, _ := r.snapshot()
			resp, _ := r.request(row.method, row.path, "")
			if resp.StatusCode != row.status {
				t.Errorf("status %d, want %d", resp.StatusCode, row.status)
			}
			_, after, _ := r.snapshot()
			have := ""
			if len(after) > len(before) {
				have = after[len(after)-1].URI
			}
			if have != row.function {
				t.Errorf("called %q, want %q", have, row.function)
			}
		})
	}
	t.Run("home page", func(t *testing.T) {
		if resp, err := http.Get(r.url("/")); err != nil || resp.StatusCode != 200 {
			t.Errorf("have %v, %v", resp, err)
		}
	})
}

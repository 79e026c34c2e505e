package funchost

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestConformanceRoutes(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, template, path string
		want                 bool
	}{
		{"case does not matter", "api/Hello", "/API/hello", true},
		{"trailing slash does not matter", "api/hello", "/api/hello/", true},
		{"another literal", "api/hello", "/api/help", false},
		{"parameter", "a/{x}", "/a/b", true},
		{"parameter is needed", "a/{x}", "/a", false},
		{"parameter is not empty", "a/{x}/b", "/a//b", false},
		{"too long", "a/{x}", "/a/b/c", false},
		{"rest", "files/{*rest}", "/files/a/b%20c", true},
		{"rest may be empty", "files/{*rest}", "/files", true},
		{"rest of everything", "{*rest}", "/", true},
		{"a literal is compared decoded", "a/å", "/a/%C3%A5", true},
		{"escaped slash stays in its segment", "a/{x}", "/a/b%2Fc", true},
		{"empty template is the root", "", "/", true},
		{"empty template is nothing else", "", "/a", false},
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
			if have := r.match(u); have != row.want {
				t.Errorf("have %v, want %v", have, row.want)
			}
		})
	}
}

func TestRouteRefused(t *testing.T) {
	t.Parallel()
	for _, template := range []string{"a//b", "{", "a{b}", "{b}c", "{*a}/b", "{a?}", "{a=5}", "{a:int}", "a?b",
		strings.Repeat("a", 3000)} {
		if r, err := parseRoute(template); err == nil {
			t.Errorf("%s: have %+v, want an error", template, r)
		}
	}
}

func FuzzRoute(f *testing.F) {
	f.Add("api/hello/{name}", "/api/hello/bob")
	f.Add("{*rest}", "/a/b%2Fc//d")
	f.Fuzz(func(t *testing.T, template, path string) {
		r, err := parseRoute(template)
		if err != nil {
			return
		}
		u, err := url.Parse("http://h/" + strings.TrimPrefix(path, "/"))
		if err != nil {
			return
		}
		slashes := strings.Count(strings.Trim(u.EscapedPath(), "/"), "/")
		if r.match(u) && slashes >= max(1, len(r.segments)) && !strings.Contains(template, "{*") {
			t.Fatalf("%q takes %q", template, path)
		}
	})
}

func TestConformanceRouting(t *testing.T) {
	t.Parallel()
	hello := func(route, methods string) string {
		return `{"bindings":[{"name":"req","type":"httpTrigger","authLevel":"anonymous","route":"` + route + `","methods":[` +
			methods + `]},{"name":"res","type":"http","direction":"out"}]}`
	}
	off := with(func(o *Options) { o.Env = append(o.Env, "AzureWebJobs.Off.Disabled=true") })
	r := started(t, files{
		"host.json":             hostPlain,
		"b-first/function.json": hello("things/{id}", `"get"`),
		"Catch/function.json":   hello("{*path}", `"get","post"`),
		"Later/function.json":   hello("later", `"get","post","put"`),
		"Off/function.json":     hello("off", `"patch"`),
	}, off)
	keyed := started(t, files{
		"host.json":            hostPlain,
		"Closed/function.json": strings.Replace(hello("closed", `"get"`), "anonymous", "function", 1),
		"Open/function.json":   hello("open", `"get"`),
		"Z/function.json":      strings.Replace(hello("{*path}", `"get","put","delete"`), "anonymous", "function", 1),
	})
	rows := []struct {
		name, method, path string
		status             int
		function           string
	}{
		{"first by name", "GET", "/api/things/1", 200, "b-first"},
		{"method mismatch tries the next", "POST", "/api/things/1", 200, "Catch"},
		{"a catch-all shadows what comes after it", "GET", "/api/later", 200, "Catch"},
		{"a catch-all shadows nothing of methods it does not take", "PUT", "/api/later", 200, "Later"},
		{"method nobody takes is 404", "DELETE", "/api/things/1", 404, ""},
		{"outside the prefix is 404", "GET", "/things/1", 404, ""},
		{"disabled is 404", "PATCH", "/api/off", 404, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if resp, _ := r.request(row.method, row.path, ""); resp.StatusCode != row.status {
				t.Errorf("status %d, want %d", resp.StatusCode, row.status)
			}
			have := ""
			if f, _ := r.host.front.find(httptest.NewRequest(row.method, row.path, nil)); f != nil {
				have = f.name
			}
			if have != row.function {
				t.Errorf("called %q, want %q", have, row.function)
			}
		})
	}
	t.Run("without a key of the host", func(t *testing.T) {
		for _, tt := range []struct {
			method, path string
			status       int
		}{
			{"GET", "/api/open", 200}, {"DELETE", "/api/open", 401}, {"DELETE", "/API/Open/", 401}, {"PUT", "/api/open", 401},
			{"DELETE", "/api/closed", 200}, // as if the caller had one
		} {
			resp, body := keyed.request(tt.method, tt.path, "")
			if resp.StatusCode != tt.status || resp.StatusCode == 401 && body != "" {
				t.Errorf("%s %s: %d %q, want %d", tt.method, tt.path, resp.StatusCode, body, tt.status)
			}
		}
	})
	t.Run("home page", func(t *testing.T) {
		if resp, err := http.Get(r.url("/")); err != nil || resp.StatusCode != 200 {
			t.Errorf("have %v, %v", resp, err)
		}
	})
}

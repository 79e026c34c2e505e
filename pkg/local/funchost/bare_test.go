package funchost

import (
	"net/http"
	"testing"
)

// TestD1PathsWithoutPrefix checks that with BarePaths routes also answer without the prefix, as in spec 001.
// Otherwise such paths are unknown, as on the real host.
func TestD1PathsWithoutPrefix(t *testing.T) {
	t.Parallel()
	everything := `{"bindings":[{"name":"req","type":"httpTrigger","direction":"in","route":"{*path}"},{"name":"res",` +
		`"type":"http","direction":"out"}]}`
	app := helloApp.with(files{"ZAll/function.json": everything})
	bare := with(func(o *Options) { o.BarePaths = true })
	for _, tt := range []struct {
		name   string
		app    files
		knobs  []knob
		path   string
		status int
		uri    string // that the handler receives; "" for no call
	}{
		{"a route", app, []knob{bare}, "/hello/b%2Fob?x=1", 200, "/api/hello/b%2Fob?x=1"},
		{"in other case", app, []knob{bare}, "/Hello/", 200, "/api/Hello/"},
		{"with the prefix", app, []knob{bare}, "/API/hello", 200, "/API/hello"},
		{"no route of the app", app, []knob{bare}, "/none", 200, "/api/none"},
		{"only the prefix", app, []knob{bare}, "/api", 200, "/api"},
		{"the beginning of the prefix", app, []knob{bare}, "/apiary", 200, "/api/apiary"},
		{"the home page", app, []knob{bare}, "/", 200, ""},
		{"the admin API", app, []knob{bare}, "/admin/host/status", 404, ""},
		{"what no function takes", helloApp, []knob{bare}, "/none", 404, ""},
		{"a host like the real one", app, nil, "/hello", 404, ""},
		{"an app without prefix", helloApp.with(files{"host.json": hostBare}), []knob{bare}, "/hello", 200, "/hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := started(t, tt.app, tt.knobs...)
			resp, _ := r.request("GET", tt.path, "")
			if resp.StatusCode != tt.status {
				t.Errorf("status %d, want %d", resp.StatusCode, tt.status)
			}
			uri := ""
			if _, calls, _ := r.control.snapshot(); len(calls) > 0 {
				uri = calls[0].URI
			}
			if uri != tt.uri {
				t.Errorf("the handler was asked for %q, want %q", uri, tt.uri)
			}
		})
	}
}

// TestL7Home checks that the Home handler of the options answers "/", for every method, and no other path.
func TestL7Home(t *testing.T) {
	t.Parallel()
	home := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) })
	r := started(t, helloApp, with(func(o *Options) { o.Home = home }))
	for path, want := range map[string]int{"/": http.StatusTeapot, "/none": http.StatusNotFound,
		"/api/hello": http.StatusOK} {
		if resp, _ := r.request("GET", path, ""); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
}

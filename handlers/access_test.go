package handlers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// guarded is a rig whose handler requires keys, with one key for each scope.
type guarded struct {
	*rig
	http.Handler
	log  bytes.Buffer
	keys map[api.Scope]string
}

func newGuarded(t *testing.T, access Access) *guarded {
	t.Helper()
	g := &guarded{rig: newRig(t), keys: map[api.Scope]string{}}
	log := slog.New(slog.NewTextHandler(&g.log, &slog.HandlerOptions{ReplaceAttr: keys.RedactAttr}))
	g.Handler = New(Options{Open: g.open, Access: access, Log: log})
	for _, scope := range api.Scopes {
		_, secret, err := g.v.Keys.Add(t.Context(), "one-for-"+string(scope), scope)
		must(t, err)
		g.keys[scope] = secret
	}
	return g
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.Handler.ServeHTTP(w, r) }

// ask sends a request with headers in pairs, from an address on the internet.
func ask(t *testing.T, h http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set(forwardedFor, "203.0.113.7")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// exampleOf returns an example path of a route.
func exampleOf(e *api.Endpoint) string {
	return "/api/" + strings.NewReplacer("{id}", unknownID, "{sha256}", strings.Repeat("a", 64), "{key}", "a", "{name}",
		"nobody", "{host}", "a.example", "{slug}", "port").Replace(e.Path)
}

// TestL4EveryRouteHasItsScope checks that every route has a scope, and that it is the scope listed below (L4).
func TestL4EveryRouteHasItsScope(t *testing.T) {
	unusual := map[string]api.Scope{
		"GET health": "", "GET changes.atom": api.ScopeFeed, "GET changes.json": api.ScopeFeed,
		"POST Search": api.ScopeRead, "POST retrieve": api.ScopeRead, "POST mcp": api.ScopeRead,
		"POST changes/read": api.ScopeRead, "POST undo/{id}": api.ScopeRead, "PATCH readers/me": api.ScopeRead,
		"GET IndexNow":            api.ScopeWrite,
		"POST normalize/telegram": api.ScopeRead, "POST normalize/email": api.ScopeRead,
		"POST normalize/webpage": api.ScopeRead,
		"POST migrate":           api.ScopeAdmin, "PUT policies/{key}": api.ScopeAdmin, "PUT test-mode": api.ScopeAdmin,
		"POST test-mode/toggle": api.ScopeAdmin, "GET config": api.ScopeAdmin, "GET keys": api.ScopeAdmin,
		"GET settings": api.ScopeAdmin, "PATCH settings": api.ScopeAdmin,
		"POST keys": api.ScopeAdmin, "DELETE keys/{name}": api.ScopeAdmin,
		"POST rules/{id}/test": api.ScopeRead, "POST rules/test": api.ScopeRead,
		"POST items/{id}/watch/try": api.ScopeRead, "GET schemas/{name}": "",
		"POST channels": api.ScopeAdmin, "PUT channels/{name}": api.ScopeAdmin,
		"PATCH channels/{name}":  api.ScopeAdmin,
		"DELETE channels/{name}": api.ScopeAdmin, "POST channels/{name}/test": api.ScopeAdmin,
		"POST channels/{name}/check": api.ScopeAdmin, "PUT address": api.ScopeAdmin,
		"POST generations": api.ScopeAdmin, "DELETE generations/{id}": api.ScopeAdmin,
		"POST generations/{id}/compare": api.ScopeRead, "POST generations/{id}/switch": api.ScopeAdmin,
		"POST generations/{id}/rollback": api.ScopeAdmin,
	}
	for _, e := range api.Routes() {
		want, said := unusual[e.Pattern()]
		if !said {
			want = api.ScopeWrite
			if e.Method == http.MethodGet {
				want = api.ScopeRead
			}
		}
		if e.Scope != want {
			t.Errorf("%s takes a key for %q, want %q", e.Pattern(), e.Scope, want)
		}
	}
}

// TestL4EveryRouteAsksForAKey checks that no route answers without a key, that missing, wrong and removed keys get
// the same answer, and that each key opens only the routes of its scope (L4).
func TestL4EveryRouteAsksForAKey(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	_, removed, err := g.v.Keys.Add(t.Context(), "gone", api.ScopeAdmin)
	must(t, err)
	_, err = g.v.Keys.Remove(t.Context(), "gone")
	must(t, err)
	wrong := keys.Prefix + strings.Repeat("a", 26)
	said := map[string]bool{}
	for i, e := range api.Routes() {
		path := exampleOf(e)
		if isOpen(e) {
			continue // open to everybody
		}
		from := []string{forwardedFor, "198.51.100.1, 192.0.2." + strconv.Itoa(i)}
		for _, key := range []string{"", wrong, removed, "x", g.keys[api.ScopeRead] + "x"} {
			headers := slices.Clone(from)
			if key != "" {
				headers = append(headers, "X-Functions-Key", key)
			}
			w := ask(t, g, e.Method, path, "{}", headers...)
			if w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") == "" {
				t.Errorf("%s with %q: %d", e.Pattern(), key, w.Code)
			}
			said[w.Body.String()] = true
		}
		for _, scope := range api.Scopes {
			w := ask(t, g, e.Method, path, "{}", "Authorization", "Bearer "+g.keys[scope])
			if refused := w.Code == http.StatusForbidden && strings.Contains(w.Body.String(), "one-for-"); refused !=
				!scope.Covers(e.Scope) || w.Code == http.StatusUnauthorized {
				t.Errorf("%s with a key for %s: %d %s", e.Pattern(), scope, w.Code, w.Body)
			}
		}
	}
	if len(said) != 1 {
		t.Errorf("those without a key are told different things: %v", said)
	}
}

// TestL4NoWayAround checks that keys cannot be bypassed: by other spellings of paths and methods, keys in wrong
// positions, two keys, or the host's triggers (L4).
func TestL4NoWayAround(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	admin := g.keys[api.ScopeAdmin]
	for _, request := range []string{
		"GET /api/items", "HEAD /api/items", "OPTIONS /api/items", "TRACE /api/items", "PATCH /api/items", "get /api/items",
		"GET /API/ITEMS/", "GET //api/items", "GET /api//items", "GET /api/%69tems", "GET /api%2Fitems", "GET /api/items%2F",
		"GET /api/health/../items", "GET /api/health/..%2Fitems", "GET /api/./items", "GET /api/health/x", "GET /api/nothing",
		"GET /items", "GET /api", "GET /api/", "POST /", "GET /x", "POST /CrawlTimer", "POST /crawltimer",
		"POST //crawltimer",
		"POST /api/../CrawlTimer", "POST /CrawlTimer/", "GET /", "POST /api/health", "PUT /api/health", "DELETE /api/keys/x",
		"GET /api/ui", "GET /API/UI/items", "GET /api/ui/../items", "GET /api/ui/..%2Fconfig", "POST /api/ui/add",
		"GET /api/ui/static/../items", "GET /api/ui/static/..%2Fitems", "POST /api/ui/static/x", "POST /api/ui/sign-out",
		"GET /api/ui/docs", "GET /api/ui/items/x/captures/y", "GET /api/items?key=" + admin, "GET /api/items?code=" + admin,
		"GET /api/config?x-functions-key=" + admin, "GET /api/ui?code=" + admin, "GET /api/ui?key=" + admin,
	} {
		method, path, _ := strings.Cut(request, " ")
		if w := ask(t, g, method, path, "{}"); w.Code != http.StatusUnauthorized && w.Code != http.StatusForbidden ||
			strings.Contains(w.Body.String(), "continuation") {
			t.Errorf("%s: %d %.200s", request, w.Code, w.Body)
		}
	}
	for _, headers := range [][]string{
		{"X-Functions-Key", admin, "X-Functions-Key", "other"}, {"X-Functions-Key", "other", "Authorization",
			"Bearer " + admin},
		{"Authorization", "Bearer " + admin, "Authorization", "Bearer other"}, {"Authorization", "Basic " + admin},
		{"Authorization", admin}, {"Cookie", "key=" + admin}, {"Cookie", sessionCookie + "=" + admin}, {"X-Api-Key", admin},
		{"X-Functions-Key", strings.ToUpper(admin)}, {"X-Functions-Key", admin + "," + admin},
		{"X-Ms-Client-Principal-Name", "root"}, {"X-Original-Url", "/api/health"}, {"X-Http-Method-Override", "GET"},
		{"Host", "localhost"}, {"X-Forwarded-Host", "localhost"}, {"X-Forwarded-For", "127.0.0.1"},
	} {
		if w := ask(t, g, "GET", "/api/items", "", headers...); w.Code != http.StatusUnauthorized {
			t.Errorf("%v: %d", headers, w.Code)
		}
	}
	if w := ask(t, g, "GET", "/api/items", "", "X-Functions-Key", " "+admin+" ", "authorization",
		"bearer  "+admin); w.Code != http.StatusOK {
		t.Errorf("the same key twice: %d %s", w.Code, w.Body)
	}
	// The host's own requests are not forwarded for a client.
	for _, request := range []string{"GET /", "POST /CrawlTimer", "GET /api/health", "HEAD /api/health"} {
		method, path, _ := strings.Cut(request, " ")
		if w := do(t, g, method, path, "{}"); w.Code != http.StatusOK {
			t.Errorf("the host's %s: %d %s", request, w.Code, w.Body)
		}
	}
	if strings.Contains(g.log.String(), admin) {
		t.Errorf("the log has a key: %s", g.log.String())
	}
}

// TestL4BehindAHostWithKeys checks the mode of Azure: the host checks its own keys and lets everybody reach the
// dashboard, which requires one of Tidemark's keys (L4).
func TestL4BehindAHostWithKeys(t *testing.T) {
	g := newGuarded(t, HostKeys)
	for _, tt := range []struct {
		path   string
		header []string
		status int
	}{
		{"/api/items", nil, 200}, {"/api/items", []string{"X-Functions-Key", "a key of the host"}, 200},
		{"/api/items", []string{"Authorization", "Bearer a.token.of-somebody"}, 200},
		{"/api/items", []string{"Authorization", "Bearer " + g.keys[api.ScopeFeed]}, 403},
		{"/api/items", []string{"Authorization", "Bearer " + keys.Prefix + "x"}, 401},
		{"/api/items", []string{"Authorization", "Bearer " + g.keys[api.ScopeRead]}, 200},
		{"/api/ui", nil, 401}, {"/API/UI/items", nil, 401}, {"/api/ui/../items", nil, 401},
		{"/api/ui", []string{"X-Functions-Key", "a key of the host"}, 401}, {"/api/ui?code=x", nil, 401},
		{"/api/ui", []string{"X-Functions-Key", g.keys[api.ScopeRead]}, 200},
		{"/api/ui/search", []string{"X-Functions-Key", g.keys[api.ScopeFeed]}, 403}, {"/api/health", nil, 200},
		{"/api/changes.atom", nil, 401}, {"/api/changes.atom?code=x", nil, 401}, {"/api/changes.atom?key=x", nil, 401},
		{"/api/changes.atom?key=" + g.keys[api.ScopeFeed], nil, 200},
		{"/api/changes.json?key=" + g.keys[api.ScopeRead], nil, 200},
		{"/api/changes.json?key=" + g.keys[api.ScopeWrite], nil, 401},
		{"/api/changes.json?key=" + g.keys[api.ScopeAdmin], nil, 401},
		{"/api/changes?key=" + g.keys[api.ScopeRead], []string{"X-Functions-Key", "a key of the host"}, 400},
	} {
		if w := ask(t, g, "GET", tt.path, "", tt.header...); w.Code != tt.status {
			t.Errorf("%s %v: %d, want %d: %.300s", tt.path, tt.header, w.Code, tt.status, w.Body)
		}
	}
	feed := ask(t, g, "GET", "/api/changes.json?kind=new&key="+g.keys[api.ScopeFeed], "", "X-Forwarded-Proto", "http")
	if body := feed.Body.String(); strings.Contains(body, g.keys[api.ScopeFeed]) ||
		!strings.Contains(body, `"feed_url":"https://example.com/api/changes.json?kind=new"`) {
		t.Errorf("the feed's own address has a key, or is not that of the app: %s", body)
	}
}

// TestL4TriesAreCounted checks that an address which tries many keys must wait, while addresses with a valid key need
// not (L4).
func TestL4TriesAreCounted(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	var last *httptest.ResponseRecorder
	for range 20 {
		last = ask(t, g, "GET", "/api/items", "", "X-Functions-Key", "wrong")
	}
	if last.Code != http.StatusTooManyRequests || last.Header().Get("Retry-After") == "" {
		t.Errorf("the 20th: %d %v", last.Code, last.Header())
	}
	if lines := strings.Count(g.log.String(), "not taken"); lines == 0 || lines > 10 {
		t.Errorf("%d lines in the log", lines)
	}
	// The address that the client claims precedes the one that the host has seen.
	w := ask(t, g, "GET", "/api/items", "", forwardedFor, "198.51.100.1, 203.0.113.7", "X-Functions-Key", "wrong")
	if w.Code != http.StatusTooManyRequests {
		t.Errorf("with a forged address: %d", w.Code)
	}
	w = ask(t, g, "GET", "/api/items", "", forwardedFor, "203.0.113.8", "X-Functions-Key", "wrong")
	if w.Code != http.StatusUnauthorized {
		t.Errorf("another address: %d", w.Code)
	}
	if w := ask(t, g, "GET", "/api/items", "", "X-Functions-Key", g.keys[api.ScopeRead]); w.Code != http.StatusOK {
		t.Errorf("who has a key, at that address: %d", w.Code)
	}
	for range 20 {
		last = ask(t, g, "POST", "/api/ui/sign-in", "key=wrong", "Content-Type", "application/x-www-form-urlencoded")
	}
	if last.Code != http.StatusTooManyRequests || last.Header().Get("Retry-After") == "" {
		t.Errorf("the 20th sign-in: %d %v", last.Code, last.Header())
	}
	g.signIn(t, api.ScopeRead) // with a right key, from the same address
}

// L4: right keys do not count as tries: after many sign-ins one mistake is not told to wait.
func TestL4RightKeysAreNoTries(t *testing.T) {
	g := newGuarded(t, HostKeys)
	for range 20 {
		g.signIn(t, api.ScopeWrite)
	}
	w := ask(t, g, "POST", "/api/ui/sign-in", "key=wrong", "Content-Type", "application/x-www-form-urlencoded")
	if w.Code != http.StatusUnauthorized {
		t.Errorf("the first wrong key: %d", w.Code)
	}
	if lines := strings.Count(g.log.String(), "not taken"); lines != 1 {
		t.Errorf("%d lines in the log", lines)
	}
}

// TestL4KeysInAddressesOfFeeds checks that a key for feeds is accepted in the addresses of feeds, and in no other
// address (L4).
func TestL4KeysInAddressesOfFeeds(t *testing.T) {
	r := httptest.NewRequest("GET", "/api/changes.atom?key=abc&host=x", nil)
	if given := credentials(r, &api.Endpoint{Scope: api.ScopeFeed}); !slices.Equal(given, []string{"abc"}) {
		t.Errorf("of a feed: %v", given)
	}
	if given := credentials(r, &api.Endpoint{Scope: api.ScopeRead}); given != nil {
		t.Errorf("of another route: %v", given)
	}
}

// TestL4AnonymousRoutes checks that behind a host with keys, an anonymous route accepts only Tidemark's keys, and a
// feed accepts one in its address (L4).
func TestL4AnonymousRoutes(t *testing.T) {
	g := newGuarded(t, HostKeys)
	in := 0
	d := (&server{Options: Options{Open: g.open, Access: HostKeys, Log: discard()}}).newDoor(http.NewServeMux(),
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			in++
			if _, err := wire.Decode[api.ItemQuery](r, &api.Endpoint{Method: "GET", Scope: api.ScopeFeed,
				Requests: api.ListItems.Requests}); err != nil {
				t.Error(err)
			}
		}))
	feed := &api.Endpoint{Method: "GET", Path: "changes.atom", Scope: api.ScopeFeed, Anonymous: true}
	for query, want := range map[string]int{"": 401, "?key=x": 401, "?code=x": 401, "?key=" + g.keys[api.ScopeFeed]: 200,
		"?host=a.example&key=" + g.keys[api.ScopeRead]: 200} {
		w := httptest.NewRecorder()
		d.serveAPI(w, httptest.NewRequestWithContext(t.Context(), "GET", "/api/changes.atom"+query, nil), feed)
		if w.Code != want {
			t.Errorf("%s: %d, want %d", query, w.Code, want)
		}
	}
	if in != 2 {
		t.Errorf("%d came in", in)
	}
}

// TestL4HistorySaysWho checks that the history of an item names the key behind each action (L4).
func TestL4HistorySaysWho(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	one := "https://port.example/ok/one"
	write := []string{"X-Functions-Key", g.keys[api.ScopeWrite]}
	ask(t, g, "POST", "/api/AddUrlDocument", `{"url":"`+one+`"}`, write...)
	g.work()
	ask(t, g, "POST", "/api/ReindexItem", `{"source":"`+one+`","force":true}`, write...)
	ask(t, g, "DELETE", "/api/items/"+idOf(t, one), "", "X-Functions-Key", g.keys[api.ScopeAdmin])
	w := ask(t, g, "GET", "/api/items/"+idOf(t, one), "", write...)
	for _, want := range []string{"source added by API (key one-for-write)", "asked for (key one-for-write)",
		"to be removed (key one-for-admin)"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%q is missing: %s", want, w.Body)
		}
	}
}

// TestL4Conversation records the answers about keys, and compares them with testdata/keys.golden.
func TestL4Conversation(t *testing.T) {
	r := newRig(t)
	var log strings.Builder
	for _, step := range []struct{ name, method, path, body string }{
		{"a key is added", "POST", "/api/keys", `{"name":"reports","scope":"read"}`},
		{"the keys", "GET", "/api/keys", ""},
		{"a key is removed", "DELETE", "/api/keys/reports", ""},
	} {
		w := do(t, r, step.method, step.path, step.body)
		fmt.Fprintf(&log, "=== %s\n%s %s\n%s\n%d %s\n%s\n\n", step.name, step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), pretty(t, w.Body.Bytes()))
	}
	golden(t, "keys.golden", log.String())
}

// TestL4KeysOverHTTP checks that keys are added, shown once, listed and removed, and that the log names the caller
// but not the key (L4).
func TestL4KeysOverHTTP(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	admin := []string{"X-Functions-Key", g.keys[api.ScopeAdmin]}
	w := ask(t, g, "POST", "/api/keys", `{"name":"ci","scope":"write"}`, admin...)
	var made api.NewKey
	must(t, json.Unmarshal(w.Body.Bytes(), &made))
	if w.Code != http.StatusOK || !strings.HasPrefix(made.Secret, keys.Prefix) || !strings.Contains(
		w.Header().Get("Cache-Control"), "no-store") {
		t.Errorf("made: %d %v %s", w.Code, w.Header(), w.Body)
	}
	if w := ask(t, g, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`, "Authorization",
		"Bearer "+made.Secret); w.Code != http.StatusAccepted {
		t.Errorf("used: %d %s", w.Code, w.Body)
	}
	w = ask(t, g, "GET", "/api/keys", "", admin...)
	if strings.Contains(w.Body.String(), made.Secret) || !strings.Contains(w.Body.String(), `"name":"ci"`) ||
		!strings.Contains(w.Body.String(), `"lastUsed":"2026-03-01T12`) {
		t.Errorf("listed: %s", w.Body)
	}
	for body, status := range map[string]int{`{"name":"ci","scope":"read"}`: 409, `{"name":"CI","scope":"read"}`: 400,
		`{"name":"../x","scope":"read"}`: 400, `{"name":"x","scope":"root"}`: 400, `{"name":"","scope":"read"}`: 400} {
		if w := ask(t, g, "POST", "/api/keys", body, admin...); w.Code != status {
			t.Errorf("%s: %d, want %d", body, w.Code, status)
		}
	}
	if w := ask(t, g, "DELETE", "/api/keys/ci", "", admin...); w.Code != http.StatusOK {
		t.Errorf("removed: %d %s", w.Code, w.Body)
	}
	if w := ask(t, g, "DELETE", "/api/keys/ci", "", admin...); w.Code != http.StatusNotFound {
		t.Errorf("removed twice: %d", w.Code)
	}
	if w := ask(t, g, "GET", "/api/items", "", "X-Functions-Key", made.Secret); w.Code != http.StatusUnauthorized {
		t.Errorf("used after that: %d", w.Code)
	}
	log := g.log.String()
	if strings.Contains(log, made.Secret) || strings.Contains(log, g.keys[api.ScopeAdmin]) ||
		!strings.Contains(log, "actor=ci") && !strings.Contains(log, `route="POST AddUrlDocument"`) {
		t.Errorf("log: %s", log)
	}
}

// TestX18WebhooksAreShortened checks that a key that may only read does not get the addresses of webhooks, which often
// hold a secret (X18).
func TestX18WebhooksAreShortened(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	as := func(scope api.Scope, method, path, body string) string {
		w := ask(t, g, method, path, body, "Authorization", "Bearer "+g.keys[scope])
		return w.Body.String()
	}
	for name, address := range map[string]string{"path": "https://hooks.example/services/T0/hush",
		"query": "https://hooks.example:8443/?token=hush"} {
		as(api.ScopeAdmin, "POST", "/api/channels", `{"name":"`+name+`","kind":"webhook","url":"`+address+`"}`)
	}
	for scope, want := range map[api.Scope]bool{api.ScopeRead: false, api.ScopeWrite: true, api.ScopeAdmin: true} {
		got := as(scope, "GET", "/api/channels", "")
		if strings.Contains(got, "hush") != want || !strings.Contains(got, "https://hooks.example:8443/") {
			t.Errorf("%s: %s", scope, got)
		}
	}
	for _, path := range []string{"/api/rules", "/api/deliveries"} {
		if got := as(api.ScopeRead, "GET", path, ""); strings.Contains(got, "hush") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

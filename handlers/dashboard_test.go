package handlers

import (
	"encoding/json"
	"fmt"
	unescape "html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"golang.org/x/net/html"
)

// dashboardPage requests a page of the dashboard and parses it.
func dashboardPage(t *testing.T, h http.Handler, path string) (*httptest.ResponseRecorder, *html.Node) {
	t.Helper()
	w := do(t, h, "GET", path, "")
	doc, err := html.Parse(strings.NewReader(w.Body.String()))
	must(t, err)
	return w, doc
}

// post sends a form as a browser does, from a page of this site or of another site.
func post(t *testing.T, h http.Handler, path, site string, form url.Values) *httptest.ResponseRecorder {
	t.Helper()
	form = opened(t, h, path, form)
	r := httptest.NewRequestWithContext(t.Context(), "POST", path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", site)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var wasShown = regexp.MustCompile(`name="was" value="([^"]*)"`)

// opened adds to a form of settings what it showed when it was opened. Inputs that the form lacks are those that a
// person has emptied.
func opened(t *testing.T, h http.Handler, path string, form url.Values) url.Values {
	t.Helper()
	var page *httptest.ResponseRecorder
	switch {
	case form.Has("was") || form.Get("do") == "remove":
		return form
	case strings.HasSuffix(path, "/pick"):
		page = post(t, h, path, "same-origin", url.Values{"do": {"preview"}, "was": {"watch.include="}})
	case strings.HasSuffix(path, "/ui/tell"):
		page = do(t, h, "GET", path+"?"+form.Encode(), "")
	case strings.Contains(path, "/ui/tell?"),
		strings.Contains(path, "/ui/notifications/channels/"),
		strings.HasSuffix(path, "/settings"), strings.Contains(path, "/ui/tags/"):
		page = do(t, h, "GET", path, "")
	default:
		return form
	}
	out := maps.Clone(form)
	if found := wasShown.FindStringSubmatch(page.Body.String()); found != nil {
		out.Set("was", unescape.UnescapeString(found[1]))
	}
	return out
}

// TestDashboardPages checks that every page exists, is complete, and lets a browser do only what the page needs.
func TestDashboardPages(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	do(t, r, "POST", "/api/AddUrlDocument", `{"urls":["https://port.example/ok/one","https://port.example/broken"]}`)
	r.work()
	for path, want := range map[string]string{
		"/api/ui": "What changed", "/api/ui/machine?hours=168": "In the last week: ", "/api/ui/": "What changed",
		"/api/ui/attention": "port.example/broken", "/api/ui/machine": "Pages by their state",
		"/api/ui/items": "port.example/ok/one", "/api/ui/items?status=Error": "port.example/broken",
		"/api/ui/items?find=harbour": "port.example/ok/one", "/api/ui/items?find=" + id: "port.example/ok/one",
		"/api/ui/items?find=submarine": "No matches",
		"/api/ui/items/" + id:          "First reading", "/api/ui/search": "What are you looking for?",
		"/api/ui/search?q=harbour": "<mark>harbour</mark>", "/api/ui/search?q=submarine": "No results",
		"/api/ui/hosts": "port.example", "/api/ui/hosts/port.example": "How it is read",
		"/api/ui/static/style.css": "--tide", "/api/ui/static/live.js": "data-live",
	} {
		w := do(t, r, "GET", path, "")
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d, %q is missing:\n%s", path, w.Code, want, w.Body)
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp,
			"default-src 'none'; script-src 'self'; style-src 'self';") {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
	for _, path := range []string{"/api/ui/nothing", "/api/ui/items/url_aaaaaaaaaaaaaaaaaaaaaaaaaa",
		"/api/ui/hosts/nobody.example", "/api/ui/static/no.css"} {
		if w := do(t, r, "GET", path, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestDashboardActions checks that an action on a page is done and confirmed on the next page, and that a form on
// another site's page does nothing.
func TestDashboardActions(t *testing.T) {
	r := newRig(t)
	one := "https://port.example/ok/one"
	to := "/api/ui/items/" + idOf(t, one)
	if w := post(t, r, "/api/ui/add", "cross-site", url.Values{"urls": {one}}); w.Code != http.StatusForbidden {
		t.Errorf("another site's form: %d", w.Code)
	}
	w := post(t, r, "/api/ui/add", "same-origin", url.Values{"urls": {" " + one + "\r\n\r\n"}})
	if want := to + "?done=added"; w.Code != http.StatusSeeOther || w.Header().Get("Location") != want {
		t.Errorf("added: %d to %q, want %q", w.Code, w.Header().Get("Location"), want)
	}
	if body := do(t, r, "GET", w.Header().Get("Location"), "").Body.String(); !strings.Contains(body, "Registered.") {
		t.Errorf("nothing is said of it:\n%s", body)
	}
	w = post(t, r, "/api/ui/add", "same-origin", url.Values{"urls": {one + "\nftp://port.example/"}})
	if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, "refused") {
		t.Errorf("two, one of them bad: %d\n%s", w.Code, body)
	}
	if w = post(t, r, "/api/ui/add", "same-origin",
		url.Values{"urls": {"ftp://port.example/"}}); w.Code != http.StatusBadRequest {
		t.Errorf("a bad one: %d", w.Code)
	}
	r.work()
	asked := r.web.asked
	for do, done := range map[string]string{"force": "forced", "check": "check"} {
		if w := post(t, r, to, "same-origin", url.Values{"do": {do}}); w.Header().Get("Location") != to+"?done="+done {
			t.Errorf("%s: %d %q", do, w.Code, w.Header().Get("Location"))
		}
	}
	if r.work(); r.web.asked == asked {
		t.Error("force asked nobody")
	}
	post(t, r, "/api/ui/test-mode", "same-origin", url.Values{"on": {"true"}})
	if body := do(t, r, "GET", to, "").Body.String(); !strings.Contains(body, "Test mode is on.") {
		t.Error("test mode is not shown on other pages")
	}
	if w := post(t, r, to, "same-origin", url.Values{"do": {"explode"}}); w.Code != http.StatusBadRequest {
		t.Errorf("an action that is none: %d", w.Code)
	}
	post(t, r, to, "same-origin", url.Values{"do": {"remove"}})
	if r.purge(); do(t, r, "GET", to, "").Code != http.StatusNotFound {
		t.Error("it was not removed")
	}
}

// TestS13RemoveDialogTellsTheTruth checks that the page for removing an item describes what happens to its stored data
// (S13).
func TestS13RemoveDialogTellsTheTruth(t *testing.T) {
	r := newRig(t)
	one := "https://port.example/ok/one"
	do(t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register(one)))
	var item api.ItemDetail
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+idOf(t, one), "").Body.Bytes(), &item))
	if len(item.Captures) != 1 {
		t.Fatalf("%d captures", len(item.Captures))
	}
	to := "/api/ui/items/" + item.ID
	const said = "Remove it with every reading"
	if body := do(t, r, "GET", to+"/stop", "").Body.String(); !strings.Contains(body, said) ||
		strings.Contains(body, "captures are kept") {
		t.Errorf("it does not say %q:\n%s", said, body)
	}
	post(t, r, to, "same-origin", url.Values{"do": {"remove"}})
	r.purge()
	if w := do(t, r, "GET", "/api/items/"+item.ID+"/captures/"+item.Captures[0].SHA256,
		""); w.Code != http.StatusNotFound {
		t.Errorf("the capture is still there: %d", w.Code)
	}
}

// TestDashboardEscapes checks that hostile crawled text never becomes an element, an active attribute, or the address
// of a script.
func TestDashboardEscapes(t *testing.T) {
	r := newRig(t)
	evil := `https://port.example/ok/%3Cscript%3Ealert(1)%3C%2Fscript%3E"onmouseover="x()`
	w := do(t, r, "POST", "/api/AddUrlDocument", `{"urls":["`+strings.ReplaceAll(evil, `"`,
		`\"`)+`","https://port.example/broken?<img src=x onerror=alert(1)>"]}`)
	if w.Code >= http.StatusBadRequest {
		t.Fatal(w.Body)
	}
	r.work()
	id := ""
	for _, path := range []string{"/api/ui", "/api/ui/items", "/api/ui/items?status=Error",
		`/api/ui/items?find=<script>alert(1)</script>&host="><script>`,
		"/api/ui/search?q=harbour",
		"/api/ui/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&host=%22onfocus=alert(1)&pictures=1", "/api/ui/hosts",
		"ITEM", "/api/ui/?code=%22%3E%3Cscript%3E"} {
		if path == "ITEM" {
			path = id
		}
		doc := harmless(t, r, strings.NewReplacer(" ", "%20", "<", "%3C", ">", "%3E", `"`, "%22").Replace(path))
		for n := range doc.Descendants() {
			if href := attribute(n, "href"); n.Data == "a" && strings.HasPrefix(href, "/api/ui/items/url_") && id == "" {
				id = href
			}
		}
	}
	if id == "" {
		t.Error("no item was listed")
	}
}

// harmless fails the test if a page contains an element or an active attribute of a third party.
func harmless(t *testing.T, h http.Handler, path string) *html.Node {
	t.Helper()
	_, doc := dashboardPage(t, h, path)
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "script" && (n.FirstChild != nil || !strings.HasPrefix(attribute(n, "src"), "/api/ui/static/")) {
			t.Errorf("%s: a script that is not ours", path)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)),
				"javascript:") {
				t.Errorf("%s: <%s %s=%q>", path, n.Data, a.Key, a.Val)
			}
		}
	}
	return doc
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// TestS10FormsBehindAHost checks that browsers without Sec-Fetch-Site are checked by their Origin, which names the
// outer host.
func TestS10FormsBehindAHost(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		name, forwarded, origin, site string
		status                        int
	}{
		{"its own page", "app.example.com", "https://app.example.com", "", http.StatusSeeOther},
		{"another site's page", "app.example.com", "https://evil.example", "", http.StatusForbidden},
		{"a page at the handler's own address", "app.example.com", "http://127.0.0.1:9000", "", http.StatusForbidden},
		{"the browser says another site", "app.example.com", "https://app.example.com", "cross-site", http.StatusForbidden},
		{"no host before it", "", "http://127.0.0.1:9000", "", http.StatusSeeOther},
	} {
		req := httptest.NewRequestWithContext(t.Context(), "POST", "/api/ui/add",
			strings.NewReader("urls=https%3A%2F%2Fport.example%2Fok%2Fone"))
		req.Host = "127.0.0.1:9000"
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for name, value := range map[string]string{"X-Forwarded-Host": tt.forwarded, "Origin": tt.origin,
			"Sec-Fetch-Site": tt.site} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		if r.ServeHTTP(w, req); w.Code != tt.status {
			t.Errorf("%s: %d, want %d: %.300s", tt.name, w.Code, tt.status, w.Body)
		}
	}
}

// TestK5Dashboard checks that the cost and the length of a dashboard page do not depend on the number of hosts.
func TestK5Dashboard(t *testing.T) {
	n := &storagetest.Counter{}
	r := newRig(t, func(s storage.Store) storage.Store { return storagetest.Counted(s, n) })
	for from := range 5 {
		var urls []string
		for i := range 100 {
			urls = append(urls, fmt.Sprintf(`"https://h%d.example/"`, 100*from+i))
		}
		do(t, r, "POST", "/api/AddUrlDocument", `{"urls":[`+strings.Join(urls, ",")+`]}`)
	}
	if _, err := r.v.Registry.Hosts.Recount(t.Context()); err != nil {
		t.Fatal(err)
	}
	do(t, r, "GET", "/api/ui/items", "")
	for path, most := range map[string]int64{
		"/api/ui": 250, "/api/ui/hosts": 250, "/api/ui/hosts?skip=400": 250, "/api/ui/index": 250, "/api/SearchStatus": 230,
		"/api/SearchStatus?host=h400.example": 10, "/api/ui/items?host=h400.example": 10, "/api/ui/items": 60,
		"/api/ui/items?status=Pending": 60, "/api/ui/items?status=Error": 10, "/api/items?status=Gone": 10,
	} {
		n.Reset()
		w := do(t, r, "GET", path, "")
		if n.Requests.Load() > most || w.Code != http.StatusOK || strings.Count(w.Body.String(), "<tr>") > 101 {
			t.Errorf("%s: %d, %d requests, want at most %d; %d lines", path, w.Code, n.Requests.Load(), most,
				strings.Count(w.Body.String(), "<tr>"))
		}
	}
	page, seen := "/api/ui/hosts", 0
	for next := regexp.MustCompile(`rel="next" href="([^"]+)"`); page != ""; {
		body := do(t, r, "GET", page, "").Body.String()
		seen += strings.Count(body, `<li class="entry line">`)
		page = ""
		if found := next.FindStringSubmatch(body); found != nil {
			page = unescape.UnescapeString(found[1])
		}
	}
	if seen != 500 {
		t.Errorf("%d hosts are shown on all pages together", seen)
	}
	var st api.SearchStatus
	if err := json.Unmarshal(do(t, r, "GET", "/api/SearchStatus", "").Body.Bytes(), &st); err != nil {
		t.Fatal(err)
	}
	if len(st.Hosts) != 500 || st.Items[api.StatusPending] != 500 || st.InFlight != registry.ExactHosts {
		t.Errorf("%d hosts, %+v", len(st.Hosts), st.Counts)
	}
}

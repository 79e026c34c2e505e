package handlers

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/api"
)

const (
	pageOne = "https://port.example/ok/one"
	pageTwo = "https://port.example/ok/two"
)

// newItemsRig returns a rig with two items. One has the tag sea; the other is paused.
func newItemsRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+pageOne+`","tags":["sea"]}`)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+pageTwo+`","paused":true}`)
	r.work()
	return r
}

func itemAt(t *testing.T, h http.Handler, address string) (it api.ItemDetail) {
	t.Helper()
	w := do(t, h, "GET", "/api/items/"+idOf(t, address), "")
	must(t, json.Unmarshal(w.Body.Bytes(), &it))
	return it
}

// links returns the texts and addresses of a page's links.
func links(doc *html.Node) map[string]string {
	out := map[string]string{}
	for n := range doc.Descendants() {
		if n.Data == "a" {
			out[strings.TrimSpace(textOf(n))] = attribute(n, "href")
		}
	}
	return out
}

func textOf(n *html.Node) (text string) {
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			text += c.Data
		}
	}
	return text
}

// says fails the test unless an answer has the status code and contains all texts.
func says(t *testing.T, w *httptest.ResponseRecorder, code int, texts ...string) {
	t.Helper()
	body := html.UnescapeString(w.Body.String())
	for _, text := range texts {
		if w.Code != code || !strings.Contains(body, text) {
			t.Errorf("%d, want %d and %q in\n%s", w.Code, code, text, body)
		}
	}
}

// TestW11DashboardList checks that addresses filter and sort items, that the page shows this, and that an impossible
// order is refused with the unsorted list (W11).
func TestW11DashboardList(t *testing.T) {
	r := newItemsRig(t)
	for path, want := range map[string][2]string{ // a wanted text and an unwanted one
		"/api/ui/items?tag=sea":                          {"ok/one", "ok/two"},
		"/api/ui/items?paused=true":                      {"ok/two", "ok/one"},
		"/api/ui/items?find=" + idOf(t, pageOne):         {"ok/one", "Next page"},
		"/api/ui/items?tag=none":                         {"No matches", "lines-list"},
		"/api/ui/items?sort=-source":                     {`<option value="-source" selected>`, "Problem"},
		"/api/ui/items?sort=colour":                      {"must be one of source", `value="colour" selected`},
		"/api/ui/items?find=harbour&paused=true":         {"No matches", "ok/one"},
		"/api/ui/items?find=harbour&tag=sea&status=Gone": {"No matches", "ok/one"},
	} {
		body := do(t, r, "GET", path, "").Body.String()
		if !strings.Contains(body, want[0]) || strings.Contains(body, want[1]) {
			t.Errorf("%s: want %q and not %q:\n%s", path, want[0], want[1], body)
		}
	}
	says(t, do(t, r, "GET", "/api/ui/items?tag=a%2Fb", ""), http.StatusBadRequest, `value="a/b"`, "not a tag name")
	_, doc := dashboardPage(t, r, "/api/ui/items?tag=sea&sort=source")
	if to := links(doc); to["sea"] != "/api/ui/items?tag=sea" {
		t.Errorf("links %v", to)
	}
	for part, found := range map[string]string{"OK/ON": "ok/one", "port.example": "ok/two"} {
		if body := do(t, r, "GET", "/api/ui/items?find="+part, "").Body.String(); !strings.Contains(body, found) {
			t.Errorf("%s, a part of an address, does not find %s", part, found)
		}
	}
}

// TestW11DashboardBulk checks that a bulk action is applied to the chosen items only, and that its progress is shown
// (W11).
func TestW11DashboardBulk(t *testing.T) {
	r := newItemsRig(t)
	one, two := idOf(t, pageOne), idOf(t, pageTwo)
	begin := func(form url.Values) string {
		t.Helper()
		r.now = r.now.Add(time.Second) // the names of runs come from the time
		w := post(t, r, "/api/ui/items/bulk", "same-origin", form)
		to := w.Header().Get("Location")
		if w.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/api/ui/items/bulk?id=bulk-") {
			t.Fatalf("%v: %d to %q\n%s", form, w.Code, to, w.Body)
		}
		return to
	}
	to := begin(url.Values{"do": {"tag"}, "with": {"New"}, "id": {two, unknownID}})
	says(t, do(t, r, "GET", to, ""), http.StatusOK, "Tag new", "running", "data-live")
	r.work()
	says(t, do(t, r, "GET", to, ""), http.StatusOK, unknownID, `1 page of 2 done, <b class="bad">1 failed</b>.`)
	if got := itemAt(t, r, pageTwo).Tags; len(got) != 1 || got[0] != "new" {
		t.Errorf("tags %q", got)
	}
	begin(url.Values{"do": {"pause"}, "of": {"filter"}, "tag": {"sea"}})
	r.work()
	if !itemAt(t, r, pageOne).Paused {
		t.Error("the one of the tag is not paused")
	}
	begin(url.Values{"do": {"resume"}, "of": {"page"}, "id": {one}, "page": {one, two}})
	r.work()
	if itemAt(t, r, pageOne).Paused || itemAt(t, r, pageTwo).Paused {
		t.Error("all on the page are not resumed")
	}
	for _, form := range []url.Values{{"do": {"pause"}}, {"do": {"remove"}, "of": {"filter"}, "find": {"harbour"}}} {
		says(t, post(t, r, "/api/ui/items/bulk", "same-origin", form), http.StatusBadRequest, "no item is selected")
	}
	says(t, post(t, r, "/api/ui/items/bulk", "same-origin", url.Values{"do": {"tag"}, "with": {"a/b"}, "id": {two}}),
		http.StatusBadRequest, "not a tag name", `name="with" value="a/b"`, `value="`+two+`" checked`)
}

// TestW11DashboardRemove checks that a removal must be confirmed, and that the page states how many items, what is
// deleted and what is kept (W11, U6).
func TestW11DashboardRemove(t *testing.T) {
	r := newItemsRig(t)
	for of, want := range map[string]string{"filter": "Remove 2 items?", "": "Remove 1 item?"} {
		form := url.Values{"do": {"remove"}, "of": {of}, "id": {idOf(t, pageTwo)}}
		says(t, post(t, r, "/api/ui/items/bulk", "same-origin", form), http.StatusOK, want, "What is removed", "What stays")
	}
	if r.work(); itemAt(t, r, pageTwo).RemoveRequested {
		t.Error("nobody was asked")
	}
	post(t, r, "/api/ui/items/bulk", "same-origin",
		url.Values{"do": {"remove"}, "of": {"filter"}, "tag": {"sea"}, "sure": {"yes"}})
	r.purge()
	if w := do(t, r, "GET", "/api/items/"+idOf(t, pageOne), ""); w.Code != http.StatusNotFound {
		t.Errorf("it is still there: %d", w.Code)
	}
	if w := do(t, r, "GET", "/api/items/"+idOf(t, pageTwo), ""); w.Code != http.StatusOK {
		t.Errorf("the other is gone, too: %d", w.Code)
	}
}

package handlers

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// TestTellLeavesNothingBehind checks that the dialogue reads an address at once, that cancelling removes the page that
// it has registered, and that no page goes that was watched before or that has an alert.
func TestTellLeavesNothingBehind(t *testing.T) {
	r := newRig(t)
	r.now = time.Now().UTC().Add(-2 * time.Hour)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+pageTwo+`"}`)
	r.work()
	r.now = time.Now().UTC()
	do(t, r, "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://h.example/"}`)
	readIt := func(page string) (to, id string) {
		t.Helper()
		r.now = time.Now().UTC()
		to = send(t, r, "/api/ui/tell", url.Values{"do": {"read"}, "url": {" port.example/ok/" + page}})
		at, err := url.Parse(to)
		must(t, err)
		return to, at.Query().Get("item")
	}
	gone := func(id string) bool {
		t.Helper()
		r.work()
		w := do(t, r, "GET", "/api/items/"+id, "")
		return w.Code == http.StatusNotFound || strings.Contains(w.Body.String(), `"removeRequested":true`)
	}
	to, id := readIt("one")
	if want := "/api/ui/tell?item=" + idOf(t, pageOne) + "&new=1"; to != want {
		t.Fatalf("leads to %s", to)
	}
	r.work()
	shows(t, r, to, "Watch and tell me", "Only watch", "read ", `name="url" value="https://port.example/ok/one"`)
	cancel := url.Values{"do": {"cancel"}}
	if at := send(t, r, to, cancel); !strings.HasPrefix(at, "/api/ui/items?done=cancelled") || !gone(id) {
		t.Errorf("cancelled: leads to %s, gone %v", at, gone(id))
	}
	to, id = readIt("one")
	r.work()
	send(t, r, to, url.Values{"do": {"save"}, "what": {"any"}, "channels": {"ops"}})
	if send(t, r, to, cancel); gone(id) {
		t.Error("a page with an alert is removed")
	}
	to, id = readIt("two")
	if to != "/api/ui/tell?item="+id+"&known=1" {
		t.Errorf("a known page leads to %s", to)
	}
	shows(t, r, to, `You watch
  <a href="/api/ui/items/`+id+`">this page</a> already.</p>

<div class="read-box"`)
	if send(t, r, "/api/ui/tell?new=1&item="+id, cancel); gone(id) {
		t.Error("an older page is removed")
	}
	w := post(t, r, "/api/ui/tell", "same-origin", url.Values{"do": {"read"}, "url": {"ftp://port.example/"}})
	says(t, w, http.StatusBadRequest, "This address cannot be watched", `value="ftp://port.example/"`)
	to = send(t, r, "/api/ui/tell", url.Values{"do": {"read"}, "url": {"/srv/docs"}})
	if !strings.HasPrefix(to, "/api/ui/add?") {
		t.Errorf("a folder leads to %s", to)
	}
}

// TestTellOffersABrowser checks that the dialogue says that a page seems to need a browser and whether there is one,
// and that a draft that is read in a browser stays a draft.
func TestTellOffersABrowser(t *testing.T) {
	r := newRig(t)
	to := send(t, r, "/api/ui/tell", url.Values{"do": {"read"}, "url": {"https://port.example/ok/shell"}})
	r.work()
	shows(t, r, to, "The page seems to need a browser", "No browser is set up")
	send(t, r, to, url.Values{"do": {"browser"}})
	says(t, do(t, r, "GET", "/api/items/"+idOf(t, "https://port.example/ok/shell"), ""), 200, `"render":"always"`, "draftUntil")
}

// TestTellOfAValue checks that the page of a value leads to the dialogue with that value chosen, also if it is not one
// that the page offers.
func TestTellOfAValue(t *testing.T) {
	r := newItemsRig(t)
	id := idOf(t, pageOne)
	readFields(t, r, id)
	shows(t, r, "/api/ui/items/"+id+"/fields/price", "/api/ui/tell?item="+id+"&amp;value=price&amp;what=value")
	shows(t, r, "/api/ui/tell?item="+id+"&what=value&value=price", `value="price" checked>`)
}

// TestTellFormerAddresses checks that links to the former forms lead to the dialogue, with what they gave.
func TestTellFormerAddresses(t *testing.T) {
	r := newItemsRig(t)
	id := idOf(t, pageOne)
	for from, want := range map[string]string{
		"/notifications/new-rule":                                          "/tell?all=1",
		"/notifications/new-rule?filter.itemId=" + id + "&name=Lamp":       "/tell?item=" + id + "&name=Lamp",
		"/notifications/new-rule?filter.tag=sea":                           "/tell?tag=sea",
		"/notifications/new-rule?filter.items=find%3Dport&filter.kind=new": "/tell?filter.kind=new&q=find%3Dport",
		"/items/" + id + "/settings":                                       "/tell?item=" + id + "&more=page",
	} {
		if w := do(t, r, "GET", "/api/ui"+from, ""); w.Header().Get("Location") != "/api/ui"+want {
			t.Errorf("%s leads to %s", from, w.Header().Get("Location"))
		}
	}
	shows(t, r, "/api/ui/tell?url=port.example/x", "Address of a page", "port.example/x")
	shows(t, r, "/api/ui/tell?text=Look+at+https://port.example/y+now", `value="https://port.example/y"`)
	shows(t, r, "/api/ui/tell?filter.kind=gone&tag=sea", "Which changes", `value="gone" checked`,
		`name="filter.tag" value="sea"`)
	shows(t, r, "/api/ui/tell?item="+id+"&more=schedule", `name="interval.min"`, `name="schedule.text"`,
		"All settings of the page")
}

// TestAnAbandonedDialogueLeavesNothing checks that a page goes after an hour that a dialogue has registered and nobody
// has confirmed, and that one stays that gets an alert, a setting or a mute meanwhile, that is watched without one,
// or that somebody registers otherwise.
func TestAnAbandonedDialogueLeavesNothing(t *testing.T) {
	read := func(r *rig) (to string) {
		to = send(t, r, "/api/ui/tell", url.Values{"do": {"read"}, "url": {pageOne}})
		r.work()
		return to
	}
	id := idOf(t, pageOne)
	for name, tc := range map[string]struct {
		stays bool
		use   func(r *rig, to string)
	}{
		"left":      {false, func(*rig, string) {}},
		"shown":     {false, func(r *rig, to string) { shows(t, r, to, "Only watch") }},
		"previewed": {false, func(r *rig, to string) { post(t, r, to, "same-origin", url.Values{"do": {"preview"}}) }},
		"read again": {false, func(r *rig, to string) {
			if again := read(r); again != to {
				t.Errorf("reading it again leads to %s", again)
			}
		}},
		"told": {true, func(r *rig, to string) {
			send(t, r, to, url.Values{"do": {"save"}, "what": {"any"}, "check": {"-"}, "channels": {"ops"}})
		}},
		"only watched": {true, func(r *rig, to string) { send(t, r, to, url.Values{"do": {"watch"}, "what": {"any"}}) }},
		"patched":      {true, func(r *rig, _ string) { do(t, r, "PATCH", "/api/items/"+id, `{"tags":["a"]}`) }},
		"ruled": {true, func(r *rig, _ string) {
			body := `{"name":"a","channels":["ops"],"filter":{"itemId":"` + id + `"}}`
			says(t, do(t, r, "POST", "/api/rules", body), 200, id)
		}},
		"muted": {true, func(r *rig, _ string) {
			says(t, do(t, r, "POST", "/api/mutes", `{"itemId":"`+id+`","for":"day"}`), 200, id)
		}},
		"added": {true, func(r *rig, _ string) { r.register(pageOne) }},
		"found by a run": {true, func(r *rig, _ string) {
			src, err := r.v.Rules.ParseURL(pageOne)
			must(t, err)
			run := registry.RegisterOptions{NewOnly: true, Method: "Run"}
			r.v.Registry.Items.Register(t.Context(), []source.Source{src}, run)
		}},
		"late": {true, func(r *rig, _ string) {
			r.now = r.now.Add(registry.DraftTime + time.Second)
			r.register(pageOne)
		}},
	} {
		r := newRig(t)
		do(t, r, "POST", "/api/channels", `{"name":"ops","kind":"webhook","url":"https://h.example/"}`)
		tc.use(r, read(r))
		r.work()
		for _, pass := range []time.Duration{registry.DraftTime - time.Minute, 2 * time.Minute, 2 * time.Minute} {
			r.now = r.now.Add(pass)
			do(t, r, "POST", "/CrawlTimer", `{"Data":{"timer":{}},"Metadata":{"sys":{}}}`)
			r.work()
			if w := do(t, r, "GET", "/api/items/"+id, ""); pass > time.Hour/2 && w.Code != http.StatusOK {
				t.Errorf("%s: it goes too early", name)
			}
		}
		w := do(t, r, "GET", "/api/items/"+id, "")
		if stays := w.Code == http.StatusOK; stays != tc.stays || strings.Contains(w.Body.String(), "draftUntil") {
			t.Errorf("%s: it stays: %v, %s", name, stays, w.Body)
		}
	}
}

package handlers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// renders records that a browser has shown an item.
func renders(t *testing.T, r *rig, address string, seen registry.Rendering) {
	t.Helper()
	_, err := r.v.Registry.Items.Ignore(t.Context(), source.ID(idOf(t, address)), func(it *registry.Item) (string, error) {
		it.Rendering = seen
		return "rendered", nil
	})
	must(t, err)
}

// TestR3DashboardRendered checks that the page of an item says why it was read in a browser, what that cost, what was
// refused and what may be missing, and that nothing that a page made up is markup (R3).
func TestR3DashboardRendered(t *testing.T) {
	r := newItemsRig(t)
	to := "/api/ui/items/" + idOf(t, pageOne) + "/experts"
	if body := do(t, r, "GET", to, "").Body.String(); strings.Contains(body, `id="browser"`) {
		t.Error("a page that was never rendered has a section about it")
	}
	const evil = `<script>x()</script>`
	seen := registry.Rendering{At: r.now.Add(-time.Hour), Plain: "sha256:1",
		Why: "without its scripts it has little text: " + evil, Met: []string{"time"}, PictureOnly: true,
		URL: "https://port.example/" + evil, Requests: 12, Bytes: 3 << 20,
		Millis: 4210, Browser: "Chrome" + evil, Apart: true, NotReady: "nothing matched " + evil,
		Refused: []registry.RefusedRequests{{Reason: "robots", Count: 3, Host: evil}, {Reason: "beacon", Count: 1}}}
	renders(t, r, pageOne, seen)
	says(t, do(t, r, "GET", to, ""), http.StatusOK, "<dt>Rendered</dt>",
		">without its scripts it has little text: "+evil+"<", ">4.2 s<", ">12<", ">3.0 MiB<",
		"it met a bound (time); 3 requests refused by robots.txt; nothing matched "+evil+"<", "it shows a picture,",
		"robots.txt: 3 (the first: "+evil+"); reports of use: 1", "each check renders it", "/api/ui/help/rendering")
	harmless(t, r, to)
	needless := registry.Rendering{At: r.now.Add(-time.Hour), Needless: "sha256:1", Why: "it is empty"}
	renders(t, r, pageOne, needless)
	if body := do(t, r, "GET", to, "").Body.String(); !strings.Contains(body, "add no text") ||
		strings.Contains(body, "because it is empty") || strings.Contains(body, "may be missing") {
		t.Errorf("it needs no browser: %s", body)
	}
	_, err := r.v.Registry.Items.Ignore(t.Context(), source.ID(idOf(t, pageOne)), func(it *registry.Item) (string, error) {
		it.Thin = "it has hardly any text in a browser, too"
		return "rendered", nil
	})
	must(t, err)
	if body := do(t, r, "GET", to, "").Body.String(); strings.Contains(body, "needs none") ||
		!strings.Contains(body, "<dt>Rendered</dt>") || !strings.Contains(body, "add no text") {
		t.Errorf("it has no text in a browser: %s", body)
	}
}

// TestR1DashboardLacksBrowser checks that a thin page is said to need a browser only where none is set up and none is
// refused by a setting (R1).
func TestR1DashboardLacksBrowser(t *testing.T) {
	r := newRig(t)
	const shell = "https://port.example/ok/shell"
	do(t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register(shell)))
	to, id := "/api/ui/items/"+idOf(t, shell), idOf(t, shell)
	lacks := func() bool {
		body := do(t, r, "GET", to, "").Body.String()
		return strings.Contains(body, "No browser is set up") && strings.Contains(body, "How to get one")
	}
	if e := itemAt(t, r, shell).Effective; !lacks() || e.Render != "never" || e.From["render"] != "default" {
		t.Errorf("without a browser: %t, %+v", lacks(), e)
	}
	do(t, r, "PATCH", "/api/items/"+id, `{"render":"never"}`)
	if e := itemAt(t, r, shell).Effective; lacks() || e.From["render"] != "item" {
		t.Errorf("it is not wanted: %t, %+v", lacks(), e)
	}
	do(t, r, "PATCH", "/api/items/"+id, `{"render":null}`)
	web, err := fetch.New(fetch.Config{})
	must(t, err)
	with := func(o render.Options) {
		o.Web, o.Folder = web, t.TempDir()
		r.v.Browser, err = render.New(o)
		must(t, err)
		r.Handler = New(Options{Open: r.open, Metrics: r.metrics})
	}
	with(render.Options{OnlyAsked: true, Program: "/nowhere/chromium", NoSandbox: true})
	says(t, do(t, r, "GET", to, ""), http.StatusOK, "no such file", "How to get one")
	with(render.Options{OnlyAsked: true, Program: "true", NoSandbox: true})
	says(t, do(t, r, "GET", to, ""), http.StatusOK, `value="browser"`)
	if e := itemAt(t, r, shell).Effective; e.Render != "never" || e.From["render"] != "default" {
		t.Errorf("with a browser that is only asked: %+v", e)
	}
	with(render.Options{Endpoint: "http://127.0.0.1:9"})
	says(t, do(t, r, "GET", to, ""), http.StatusOK, `value="browser"`)
	if w := post(t, r, to, "same-origin", url.Values{"do": {"browser"}}); ledTo(
		w.Header().Get("Location")) != to+"?done=browser" ||
		itemAt(t, r, shell).Effective.Render != "always" || !itemAt(t, r, shell).ReindexRequested {
		t.Errorf("it is not read in a browser: %d %s", w.Code, w.Body)
	}
	do(t, r, "PATCH", "/api/items/"+id, `{"render":null}`)
	if e := itemAt(t, r, shell).Effective; lacks() || e.Render != "thin" || e.From["render"] != "default" {
		t.Errorf("with a browser: %t, %+v", lacks(), e)
	}
}

// TestR4DashboardRendering checks that the forms of an item and a tag set, show and remove the settings of a browser,
// and say beside a field what is wrong with it (R4).
func TestR4DashboardRendering(t *testing.T) {
	r := newItemsRig(t)
	to := "/api/ui/items/" + idOf(t, pageOne)
	form := url.Values{"tags": {"sea"}, "render": {"always"}, "renderInterval": {"6h"}, "waitFor": {" thin "},
		"viewport": {"800x600"}, "acceptLanguage": {"de-DE,de"}, "colorScheme": {"dark"},
		"postHosts": {"api.example\r\n\r\n b.example"}, "do": {"save"}}
	want := api.Rendering{Render: "always", RenderInterval: "6h", WaitFor: "thin", Viewport: "800x600",
		AcceptLanguage: "de-DE,de", ColorScheme: "dark", PostHosts: []string{"api.example", "b.example"}}
	same := func(a, b api.Rendering) bool {
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		return slices.Equal(x, y)
	}
	post(t, r, "/api/ui/tags/sea", "same-origin", form)
	says(t, do(t, r, "GET", "/api/ui/tags/sea", ""), http.StatusOK, `value="always" selected`, `value="6h"`,
		`value="dark" selected`, "api.example\nb.example</textarea>")
	if have := itemAt(t, r, pageOne); !same(have.Effective.Rendering, want) || !same(have.Rendering, api.Rendering{}) {
		t.Errorf("of the tag: %+v", have.Effective)
	}
	settings := "/api/ui/tell?more=page&item=" + idOf(t, pageOne)
	says(t, do(t, r, "GET", settings, ""), http.StatusOK, "now at each check, from the tag sea",
		"now thin, from the tag sea", "now api.example, b.example, from the tag sea")
	says(t, do(t, r, "GET", to+"/experts", ""), http.StatusOK, "Read in a browser</dt>",
		"at each check <small>from the tag")
	post(t, r, settings, "same-origin", form)
	if have := itemAt(t, r, pageOne); !same(have.Rendering, want) || have.Effective.From["viewport"] != "item" {
		t.Errorf("of the item: %+v", have.Item)
	}
	post(t, r, settings, "same-origin", url.Values{"tags": {"sea"}})
	if have := itemAt(t, r, pageOne); !same(have.Rendering, api.Rendering{}) ||
		have.Effective.From["viewport"] != "tag sea" {
		t.Errorf("emptied: %+v", have.Item)
	}
	for _, path := range []string{settings, "/api/ui/tags/sea"} {
		for name, typed := range map[string]string{"renderInterval": "soon", "waitFor": "main >", "viewport": "9x9",
			"acceptLanguage": "d", "postHosts": "https://x"} {
			w := post(t, r, path, "same-origin", url.Values{"do": {"save"}, name: {typed}})
			_, fields, _ := strings.Cut(w.Body.String(), "In a browser</legend>")
			_, after, found := strings.Cut(fields, `name="`+name+`"`)
			if label, _, _ := strings.Cut(after, "</label>"); w.Code != http.StatusBadRequest || !found ||
				!strings.Contains(label, `aria-invalid="true"`) || !strings.Contains(label, `class="bad"`) {
				t.Errorf("%s %s: nothing is said beside it: %d %s", path, name, w.Code, label)
			}
		}
	}
}

// TestR3CostsAreShown checks that the status and the machine page have what pages cost in a browser, and how many
// checks needed none, once there is something to tell (R3).
func TestR3CostsAreShown(t *testing.T) {
	r := newItemsRig(t)
	status := func(query string) (st api.SearchStatus) {
		must(t, json.Unmarshal(do(t, r, "GET", "/api/SearchStatus"+query, "").Body.Bytes(), &st))
		return st
	}
	if st := status(""); st.Renders != nil ||
		strings.Contains(do(t, r, "GET", "/api/ui/machine", "").Body.String(), "in a browser") {
		t.Errorf("nothing was rendered: %+v", st.Renders)
	}
	r.metrics.Renders.Observe(2, "ok")
	r.metrics.Renders.Observe(5, "page")
	r.metrics.Spared.Add(5, "same")
	r.metrics.Spared.Add(1, "readable")
	want := api.Renders{Pages: 2, Failed: 1, Spared: 6, MeanSeconds: 3.5}
	if st := status(""); st.Renders == nil || *st.Renders != want {
		t.Errorf("the status has %+v", st.Renders)
	}
	if st := status("?host=port.example"); st.Renders != nil {
		t.Errorf("that of a host has %+v", st.Renders)
	}
	says(t, do(t, r, "GET", "/api/ui/machine", ""), http.StatusOK,
		"2 pages rendered, 3.5 s each on average; 1\n    of them failed",
		"75% of the checks of pages that a browser may read used none")
}

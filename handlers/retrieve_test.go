package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
)

const (
	harbourOne = "https://port.example/ok/one"
	harbourTwo = "https://port.example/ok/two"
	never      = `"maxAge":"1m"` // pages have the time of the rig's clock, years ago, so they are always older
)

// crawl makes the worker check pages.
func (r *rig) crawl(addresses ...string) {
	r.t.Helper()
	for _, a := range addresses {
		do(r.t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register(a)))
	}
}

func retrieved(t *testing.T, h http.Handler, body string) (out api.RetrieveResponse) {
	t.Helper()
	w := do(t, h, "POST", "/api/retrieve", body)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", body, w.Code, w.Body)
	}
	must(t, json.Unmarshal(w.Body.Bytes(), &out))
	return out
}

// TestJ6Conversation records the questions of a model and the answers.
func TestJ6Conversation(t *testing.T) {
	r := newRig(t)
	r.web.more = map[string]string{"two": "<h2>Ferries</h2><p>Ferries leave at nine.</p><h2>Dogs</h2>" +
		"<p>Dogs are welcome.</p>"}
	r.crawl(harbourOne, harbourTwo)
	r.now = r.now.Add(time.Hour)
	r.web.more["one"] = "Closed in January."
	r.crawl(harbourOne)
	do(t, r, "POST", "/api/db/insert", `{"source":"notes","title":"Tides","clean_text":"Ferries stop at ebb."}`)
	text := "/api/items/" + idOf(t, harbourOne) + "/text"
	var log strings.Builder
	for _, step := range []struct{ name, method, path, body string }{
		{"J6 passages for a question", "POST", "/api/retrieve", `{"q":"when do ferries leave","tokens":400}`},
		{"J6 passages for several questions", "POST", "/api/retrieve",
			`{"queries":["ferries nine","january closed"],"filter":{"host":"port.example"}}`},
		{"J6 all of it was verified too long ago", "POST", "/api/retrieve", `{"q":"harbour",` + never + `}`},
		{"J6 no question", "POST", "/api/retrieve", `{"tokens":400}`},
		{"J6 the past is not indexed", "POST", "/api/retrieve", `{"q":"harbour","asOf":"2026-03-01"}`},
		{"J6 two kinds of questions", "POST", "/api/retrieve", `{"q":"a","queries":["b"]}`},
		{"J6 nothing to search for", "POST", "/api/retrieve", `{"queries":["?"]}`},
		{"J6 too little", "POST", "/api/retrieve", `{"q":"harbour","tokens":10}`},
		{"J6 no age", "POST", "/api/retrieve", `{"q":"harbour","maxAge":"yesterday"}`},
		{"J6 an age is missing", "POST", "/api/retrieve", `{"q":"harbour","stale":"recheck"}`},
		{"J6 a search leaves out", "GET", "/api/Search?q=harbour&maxAge=7d", ""},
		{"J6 the page", "GET", text, ""},
		{"J6 the page as it was", "GET", text + "?asOf=2026-03-01T12:30:00Z&format=text", ""},
		{"J6 the page as it was, to be cited", "GET", text + "?asOf=2026-03-01&format=json", ""},
		{"J6 the page before it was read", "GET", text + "?asOf=2026-02-28", ""},
		{"J6 no format", "GET", text + "?format=pdf", ""},
		{"J6 of nobody", "GET", "/api/items/" + unknownID + "/text", ""},
	} {
		w := do(t, r, step.method, step.path, step.body)
		answer := w.Body.String()
		if strings.Contains(w.Header().Get("Content-Type"), "json") {
			answer = pretty(t, w.Body.Bytes())
		}
		fmt.Fprintf(&log, "=== %s\n%s %s\n%s\n%d %s\n%s\n\n", step.name, step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), answer)
	}
	golden(t, "retrieve.golden", log.String())
}

// TestJ6PassagesCanBeCited checks that a passage is complete, that neighbouring passages are merged into it, and that
// it names a readable capture that has its text.
func TestJ6PassagesCanBeCited(t *testing.T) {
	r := newRig(t)
	r.web.more = map[string]string{"two": "<h2>Ferries</h2><p>" + strings.Repeat("Ferries leave at nine. ", 30) +
		"</p><h2>Dogs</h2><p>Dogs may leave the ferries.</p>"}
	r.crawl(harbourOne, harbourTwo)
	r.web.more["one"] = "Nothing about boats."
	have := retrieved(t, r, `{"q":"ferries leave"}`)
	if len(have.Passages) != 1 {
		t.Fatalf("%+v", have)
	}
	p := have.Passages[0]
	if strings.Count(p.Text, "leave at nine.") != 30 ||
		!strings.HasSuffix(p.Text, "\n\nDogs\n\nDogs may leave the ferries.") {
		t.Errorf("%s", p.Text)
	}
	if diff := cmp.Diff([]string{"two", "Ferries"}, p.HeadingPath); diff != "" || p.Anchor != ":~:text=Ferries" ||
		p.URL != harbourTwo || p.CheckedAt.IsZero() || !p.At.Equal(r.now) {
		t.Errorf("%s %+v", diff, p)
	}
	var page api.PageText
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+p.ItemID+"/text?format=json&asOf="+p.Capture, "").Body.Bytes(),
		&page))
	if !strings.Contains(page.Text, "## Dogs\n\nDogs may leave the ferries.") || page.Capture != p.Capture {
		t.Errorf("%+v", page)
	}
	if few := retrieved(t, r, `{"q":"ferries leave","tokens":60}`); few.Tokens > 60 || len(few.Passages) == 0 {
		t.Errorf("%+v", few)
	}
}

// TestJ6WentBack checks that a page whose content went back to an earlier version is read as it was at each time.
func TestJ6WentBack(t *testing.T) {
	r := newRig(t)
	r.web.more = map[string]string{}
	var days []string
	for _, more := range []string{"", "Closed today.", ""} {
		r.web.more["one"] = more
		it := r.register(harbourOne)
		do(t, r, "POST", "/api/ReindexItem", `{"source":"`+harbourOne+`","force":true}`)
		do(t, r, "POST", "/CrawlWorker", binaryEnvelope(it))
		days = append(days, r.now.Format(time.DateOnly))
		r.now = r.now.Add(48 * time.Hour)
	}
	for i, day := range days {
		text := do(t, r, "GET", "/api/items/"+idOf(t, harbourOne)+"/text?asOf="+day, "").Body.String()
		if strings.Contains(text, "Closed today") != (i == 1) {
			t.Errorf("%s: %s", day, text)
		}
	}
}

// TestJ6Recheck checks that results that were not verified recently are checked first, if the request asks for that
// and its key allows it. Answers then have the new content, or the old content if the check does not finish.
func TestJ6Recheck(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	g.web.more = map[string]string{"one": "Old words."}
	g.crawl(harbourOne)
	g.now = g.now.Add(12 * time.Hour) // before the next check is due, which would add a check
	g.web.more["one"] = "New words."
	body := `{"q":"harbour of one",` + never + `,"stale":"recheck"}`
	if w := ask(t, g, "POST", "/api/retrieve", body, "X-Functions-Key", g.keys[api.ScopeRead]); w.Code !=
		http.StatusForbidden {
		t.Errorf("a key for reading: %d %s", w.Code, w.Body)
	}
	ctx, stop := context.WithCancel(t.Context())
	var worker sync.WaitGroup
	worker.Go(func() {
		for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
			g.rig.work()
		}
	})
	w := ask(t, g, "POST", "/api/retrieve", body, "X-Functions-Key", g.keys[api.ScopeWrite])
	stop()
	worker.Wait()
	var out api.RetrieveResponse
	must(t, json.Unmarshal(w.Body.Bytes(), &out))
	i := slices.IndexFunc(out.Passages, func(p api.RetrievedPassage) bool { return p.URL == harbourOne })
	if i < 0 || !strings.Contains(out.Passages[i].Text, "New words") || !out.Passages[i].CheckedAt.Equal(g.now) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestJ4PassagesHaveAnchors checks that passages of a page whose headings have ids are cited with those ids: by
// searches, for language models, by the tools and on the dashboard. A rebuild, which sends no request to a site,
// yields the same ids.
func TestJ4PassagesHaveAnchors(t *testing.T) {
	r := newRig(t)
	r.web.more = map[string]string{"one": `<section id="k%C3%A4i"><h2>Quay</h2><p>Ferries moor here.</p></section>` +
		`<section id="käi é"><h2>Crane</h2><p>Cranes lift here.</p></section><h2 id="flüsse">Rivers</h2><p>Barges float.</p>`}
	r.crawl(harbourOne)
	asked := r.web.asked
	for rebuilt := range 2 {
		if rebuilt == 1 {
			must(t, r.v.Index.Remove(t.Context(), idOf(t, harbourOne), nil))
			do(t, r, "POST", "/api/RebuildIndex", `{}`)
			r.work()
		}
		for query, want := range map[string]string{"ferries": "k%25C3%25A4i", "cranes": "", "barges": "fl%C3%BCsse"} {
			var found api.SearchResponse
			must(t, json.Unmarshal(do(t, r, "GET", "/api/Search?q="+query, "").Body.Bytes(), &found))
			if len(found.Results) != 1 || found.Results[0].Passages[0].Anchor != want {
				t.Errorf("%s: %+v, want the anchor %q", query, found.Results, want)
			}
		}
		p := retrieved(t, r, `{"q":"barges float"}`).Passages[0]
		if want := "fl%C3%BCsse"; p.Anchor != want || api.Address(p.URL, p.Anchor) != harbourOne+"#"+want {
			t.Errorf("%+v", p)
		}
	}
	s := connect(t, r, "")
	for tool, arguments := range map[string]string{"search": `{"query":"barges"}`, "retrieve": `{"question":"barges"}`} {
		if said, _ := use(t, s, tool, arguments); !strings.Contains(said, harbourOne+"#fl%C3%BCsse") {
			t.Errorf("%s says\n%s", tool, said)
		}
	}
	if page := do(t, r, "GET", "/api/ui/search?q=barges", "").Body.String(); !strings.Contains(page,
		`<a href="`+harbourOne+`#fl%C3%BCsse"`) {
		t.Errorf("no link to the passage in\n%s", page)
	}
	if r.web.asked != asked {
		t.Errorf("the site was asked %d times more", r.web.asked-asked)
	}
}

// TestJ4IDsAloneAreNoChange checks that a page of which only ids change is not a change for readers. Its passages,
// also after a rebuild, keep the anchors of the capture that they cite until the content changes.
func TestJ4IDsAloneAreNoChange(t *testing.T) {
	r := newRig(t)
	r.web.more = map[string]string{"one": `<h2 id="old">Quay</h2><p>Ferries moor here.</p>`}
	r.crawl(harbourOne)
	before := do(t, r, "GET", "/api/changes", "").Body.String()
	r.now = r.now.Add(24 * time.Hour)
	r.web.more["one"] = `<h2 id="new">Quay</h2><p>Ferries moor here.</p>`
	r.crawl(harbourOne)
	after := do(t, r, "GET", "/api/changes", "").Body.String()
	if after != before || !strings.Contains(before, harbourOne) {
		t.Errorf("have %s, before %s", after, before)
	}
	do(t, r, "POST", "/api/RebuildIndex", `{}`)
	r.work()
	for _, want := range []string{"old", "new"} {
		if p := retrieved(t, r, `{"q":"ferries"}`).Passages[0]; p.Anchor != want {
			t.Errorf("%+v, want the anchor %s", p, want)
		}
		r.now = r.now.Add(48 * time.Hour)
		r.web.more["one"] += "<p>And barges.</p>"
		do(t, r, "POST", "/api/ReindexItem", `{"source":"`+harbourOne+`","force":true}`)
		r.work()
	}
}

// TestT4PassagesHaveTheirCode checks that a passage that announces a listing has it, within the budget (T4), and that
// it names the chunks of both (C7).
func TestT4PassagesHaveTheirCode(t *testing.T) {
	r := newRig(t)
	r.web.more = map[string]string{"two": "<h2>Signals</h2><p>Hoist the lantern signal at dusk. Example:</p><pre>" +
		"raise(LAMP)\nwait(3)</pre><p>Then go home.</p><h2>Flags</h2><p>No example of flags:</p>"}
	r.crawl(harbourOne, harbourTwo)
	first := func(body string) api.RetrievedPassage {
		have := retrieved(t, r, body)
		if len(have.Passages) == 0 {
			t.Fatalf("%s: nothing", body)
		}
		return have.Passages[0]
	}
	want := "Hoist the lantern signal at dusk. Example:\n\nraise(LAMP)\nwait(3)\n\nThen go home."
	for _, q := range []string{"hoist the lantern signal", "raise(LAMP)", "then go home"} {
		if p := first(`{"q":"` + q + `"}`); p.Text != want || len(p.ChunkUIDs) != 3 || p.HeadingPath[1] != "Signals" {
			t.Errorf("%s: %+v", q, p)
		}
	}
	if p := first(`{"q":"flags"}`); !strings.HasSuffix(p.Text, "flags:") || len(p.ChunkUIDs) != 1 {
		t.Errorf("%+v", p)
	}
}

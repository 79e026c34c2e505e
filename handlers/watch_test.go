package handlers

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// watchPart makes people watch a part of an item.
func (r *rig) watchPart(id string, w *api.Watch) {
	r.t.Helper()
	_, err := r.v.Registry.Items.Ignore(r.t.Context(), source.ID(id), func(it *registry.Item) (string, error) {
		it.Options.Watch = w
		return "set", nil
	})
	must(r.t, err)
}

// say adds a text to the page "one" and checks the page.
func (r *rig) say(id, more string) {
	r.t.Helper()
	r.now = r.now.Add(time.Second)
	r.web.more = map[string]string{"one": more}
	do(r.t, r, "POST", "/api/ReindexItem", `{"id":"`+id+`","force":true}`)
	r.work()
}

// TestW10DashboardIgnores checks that a form beside a difference previews which changes an ignore rule would have
// suppressed, applies the rule, undoes it, and makes unread what it had silenced (W10, Q12, Q13).
func TestW10DashboardIgnores(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	item := "/api/ui/items/" + id
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	const rule, evil = `^Seen by \d&#43; &lt;b&gt;people&lt;/b&gt;\.$`, "&lt;b&gt;people&lt;/b&gt;"
	r.say(id, "Seen by 12 "+evil+".")
	r.say(id, "Seen by 15 "+evil+".")
	shows(t, r, item+"/diff", "<del>12 </del>", "<ins>15 </ins>", evil, "Ignore lines…")
	if body := shows(t, r, item+"/diff"); strings.Contains(body, "ignored: ") {
		t.Errorf("ignored, and nobody has said so:\n%s", body)
	}
	form := url.Values{"sent": {"true"}, "line": {"1"}, "do": {"preview"}}
	preview := post(t, r, item+"/ignore", "same-origin", form).Body.String()
	for _, want := range []string{`name="pattern.1" value="` + rule, `name="line" value="1" checked>`, "says something",
		"Silences 2 of 2 changes", "Seen by 12 " + evil, "<small>not told</small>"} {
		if !strings.Contains(preview, want) {
			t.Errorf("the preview lacks %q:\n%s", want, preview)
		}
	}
	if strings.Contains(shows(t, r, item+"/ignore"), "until now") {
		t.Error("a preview is kept")
	}
	none := url.Values{"sent": {"true"}, "do": {"ignore"}}
	if w := post(t, r, item+"/ignore", "same-origin", none); w.Code != 400 ||
		!strings.Contains(w.Body.String(), "Tick a line first") {
		t.Errorf("nothing is ticked: %d %s", w.Code, w.Body)
	}
	const pattern = `^Seen by \d+ <b>people</b>\.$`
	form = url.Values{"sent": {"true"}, "line": {"1"}, "pattern.1": {pattern}, "do": {"ignore"}}
	to := send(t, r, item+"/ignore", form)
	body := shows(t, r, to, "are ignored from now on", `action="/api/ui/undo"`)
	if ledTo(to) != item+"?done=ignored" || strings.Count(body, ">Undo<") != 1 {
		t.Fatalf("leads to %s, which has no button that takes it back: %s", to, body)
	}
	shows(t, r, item+"/ignore", "Ignored on this page until now", "<code>"+rule)
	shows(t, r, item+"/diff", "ignored: lines like “Seen by", `class="before ignored"`)
	r.say(id, "Seen by 18 "+evil+".")
	do(t, r, "POST", "/api/changes/read", `{"upTo":"`+cursorOf(t, r)+`"}`)
	again := url.Values{"pattern": {pattern}, "do": {"undo"}, "unread": {"true"}}
	if to := send(t, r, item+"/ignore", again); ledTo(to) != item+"?done=counted" {
		t.Fatal(to)
	}
	shows(t, r, item+"?done=counted", "count again")
	if strings.Contains(shows(t, r, item+"/ignore"), "until now") {
		t.Error("they do not count again")
	}
	unread := do(t, r, "GET", "/api/changes?unread=true&silenced=true", "").Body.String()
	if strings.Count(unread, `"kind"`) != 1 || !strings.Contains(unread, "Seen by 18") {
		t.Errorf("what it had silenced is not unread again: %s", unread)
	}
	for _, bad := range []url.Values{{"do": {"ignore"}, "sent": {"true"}, "patterns": {"("}}, {"do": {"all"}}, {}} {
		if w := post(t, r, item+"/ignore", "same-origin", bad); w.Code != 400 {
			t.Errorf("%v: %d", bad, w.Code)
		}
	}
}

// cursorOf returns the cursor of the newest change.
func cursorOf(t *testing.T, r *rig) string {
	_, after, _ := strings.Cut(do(t, r, "GET", "/api/changes?top=1", "").Body.String(), `"cursor":"`)
	cursor, _, _ := strings.Cut(after, `"`)
	return cursor
}

// TestW16DashboardAccepts checks that an item's page reports a broken watch with the reason, and accepts the present
// content (W16).
func TestW16DashboardAccepts(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	item := "/api/ui/items/" + id
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	r.watchPart(id, &api.Watch{Include: []string{".price"}, Trigger: "<u>"})
	r.say(id, "Seen by 12 people.")
	const broken = "What is watched is not there"
	shows(t, r, item, broken, "The part that is watched is no longer on the page", "Accept the page as it is")
	shows(t, r, item+"/experts", ">.price <small>", ">&lt;u&gt; <small>")
	w := post(t, r, item, "same-origin", url.Values{"do": {"accept"}})
	if w.Header().Get("Location") != item+"?done=accepted" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	r.work()
	if body := shows(t, r, item+"?done=accepted", "accepted as it is"); strings.Contains(body, broken) {
		t.Error("it is still broken")
	}
}

// captureIn returns the digest of the capture in an answer.
func captureIn(answer string) string {
	_, after, _ := strings.Cut(answer, `"capture":"`)
	return after[:min(len(after), 64)]
}

// TestW10Contract records a conversation about the watched part of a page (testdata/watch.golden).
func TestW10Contract(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	var log strings.Builder
	capture := ""
	for _, step := range []struct{ name, method, path, body string }{
		{"a page is added", "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`},
		{"the worker works", "", "", ""},
		{"it changes", "edit", "Seen by 12 people.", ""},
		{"it changes again", "edit", "Seen by 15 people.", ""},
		{"W10 what a rule would silence", "POST", "/api/items/" + id + "/ignore", `{"hunk":1,"preview":true}`},
		{"Q12 a fact is not chosen unasked", "POST", "/api/items/" + id + "/ignore", `{"hunk":1}`},
		{"W10 ignore this", "POST", "/api/items/" + id + "/ignore", `{"hunk":1,"lines":[1]}`},
		{"it changes in the line that is ignored", "edit", "Seen by 18 people.", ""},
		{"W10 nobody is told", "GET", "/api/changes?top=1", ""},
		{"W17 what was silenced", "GET", "/api/changes?silenced=only", ""},
		{"W17 what differs, and what is ignored", "GET", "/api/items/" + id + "/diff", ""},
		{"W10 undo it", "POST", "/api/items/" + id + "/ignore", `{"undo":true}`},
		{"W10 nothing to undo", "POST", "/api/items/" + id + "/ignore", `{"undo":true}`},
		{"W10 of a line", "POST", "/api/items/" + id + "/ignore",
			`{"text":"Seen by 18 people.","preview":true}`},
		{"W10 a bad pattern", "POST", "/api/items/" + id + "/ignore", `{"pattern":"("}`},
		{"W10 a pattern of everything", "POST", "/api/items/" + id + "/ignore", `{"pattern":".*"}`},
		{"W10 no line in common", "POST", "/api/items/" + id + "/ignore", `{"text":"12"}`},
		{"W10 which?", "POST", "/api/items/" + id + "/ignore", `{"text":"a line","pattern":"a"}`},
		{"W10 no such hunk", "POST", "/api/items/" + id + "/ignore", `{"hunk":7}`},
		{"W23 what can be chosen", "GET", "/api/items/" + id + "/elements", ""},
		{"W23 what has a text", "GET", "/api/items/" + id + "/elements?find=seen+BY", ""},
		{"W23 what a selector finds", "POST", "/api/items/" + id + "/watch/try", `{"watch":{"include":["p","h1"]}}`},
		{"W23 a bad selector", "POST", "/api/items/" + id + "/watch/try", `{"watch":{"include":["p["]}}`},
		{"W23 what a pattern hides", "POST", "/api/items/" + id + "/watch/try", `{"watch":{"ignore":["^Seen"]}}`},
		{"W23 no capture", "POST", "/api/items/" + id + "/watch/try", `{"element":1}`},
		{"W23 an element is chosen", "POST", "/api/items/" + id + "/watch/try", `{"capture":"CAPTURE","element":1}`},
		{"W23 an element is left out", "POST", "/api/items/" + id + "/watch/try",
			`{"capture":"CAPTURE","element":1,"larger":1,"as":"out"}`},
		{"G1 what the fields of a watch read", "POST", "/api/items/" + id + "/watch/try", `{"watch":{"fields":{` +
			`"seen":{"from":"css","path":"h1","type":"text"},"cost":{"from":"css","path":".cost","type":"money"}}}}`},
		{"G1 a bad field", "POST", "/api/items/" + id + "/watch/try",
			`{"watch":{"fields":{"seen":{"from":"css","path":"p >","type":"text"}}}}`},
		{"W23 no such element", "POST", "/api/items/" + id + "/watch/try", `{"capture":"CAPTURE","element":99}`},
		{"X3 nothing to accept", "POST", "/api/items/" + id + "/accept", ""},
		{"W16 nothing to accept", "POST", "/api/items/" + id + "/watch/accept", ""},
		{"a part is watched that there is not", "watch", ".price", ""},
		{"it is checked", "edit", "Seen by 20 people.", ""},
		{"W16 the watch is broken", "GET", "/api/changes?kind=watchBroken", ""},
		{"W16 the item says why", "GET", "/api/items?top=1", ""},
		{"W16 this is right now", "POST", "/api/items/" + id + "/watch/accept", ""},
		{"the worker works", "", "", ""},
		{"it is checked", "edit", "Seen by 21 people.", ""},
		{"the watch breaks once more", "watch", ".cost", ""},
		{"it is checked", "edit", "Seen by 22 people.", ""},
		{"X3 the page is right now", "POST", "/api/items/" + id + "/accept", ""},
		{"the worker works", "", "", ""},
		{"W16 the watch works", "GET", "/api/changes?kind=watchRestored", ""},
		{"it has an offer", "edit", "Berth: <b class=fee>79 EUR</b>", ""},
		{"what a page offers", "GET", "/api/items/" + id + "/offers", ""},
	} {
		fmt.Fprintf(&log, "=== %s\n", step.name)
		r.now = r.now.Add(time.Second)
		switch step.method {
		case "":
			r.work()
			continue
		case "watch":
			r.watchPart(id, &api.Watch{Include: []string{step.path}})
			continue
		case "edit":
			r.editOne(id, step.path)
			continue
		}
		step.body = strings.Replace(step.body, "CAPTURE", capture, 1)
		w := do(t, r, step.method, step.path, step.body)
		if strings.HasSuffix(step.path, "/elements") {
			capture = captureIn(w.Body.String())
		}
		fmt.Fprintf(&log, "%s %s\n%s\n%d %s\n%s\n\n", step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), pretty(t, w.Body.Bytes()))
	}
	golden(t, "watch.golden", log.String())
}

// editOne changes the text of the first page, and starts a check an hour later: sooner, it would be a trial.
func (r *rig) editOne(id, text string) {
	r.now = r.now.Add(time.Hour)
	r.t.Helper()
	r.web.more = map[string]string{"one": text}
	do(r.t, r, "POST", "/api/ReindexItem", `{"id":"`+id+`","force":true}`)
	r.work()
}

// TestW16EmptyPart checks that an item says since when what is watched of it is empty, and what that is, until there is
// something again or a person accepts it (W16).
func TestW16EmptyPart(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	do(t, r, "POST", "/api/AddUrlDocument", `{"urls":["https://port.example/ok/one"]}`)
	r.work()
	const before = "<h2 class=head>Berths</h2><p class=lead>The office opens at nine, and closes at five.</p>" +
		"<p class=note>Boats of more than twelve metres need the pilot.</p><p class=foot>Telephone the harbour master.</p>"
	state := func(slots string) *api.WatchEmpty {
		t.Helper()
		r.say(id, before+"<div class=slots>"+slots+"</div>")
		var it api.ItemDetail
		if err := json.Unmarshal(do(t, r, "GET", "/api/items/"+id, "").Body.Bytes(), &it); err != nil {
			t.Fatal(err)
		}
		return it.WatchEmpty
	}
	state("09:00 free")
	r.watchPart(id, &api.Watch{Include: []string{".slots"}})
	if e := state("09:00 free"); e != nil {
		t.Errorf("with a slot: %+v", e)
	}
	if e := state(""); e == nil || e.Since.IsZero() || strings.Join(e.Parts, " ") != ".slots" {
		t.Errorf("without one: %+v", e)
	}
	if e := state("12:30 free"); e != nil {
		t.Errorf("with another: %+v", e)
	}
}

package handlers

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// moving registers a page and has a number on it move until its moves are not told any more.
func (r *rig) moving() (id string) {
	r.t.Helper()
	id = idOf(r.t, "https://port.example/ok/one")
	r.web.more = map[string]string{"one": "Seen by 11 people."}
	do(r.t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	for i := range 4 {
		r.now = r.now.Add(time.Hour) // sooner, it would be a trial
		r.say(id, fmt.Sprintf("Seen by %d people.", 12+i))
	}
	return id
}

// TestQ9Contract records a conversation about what moves on a page (testdata/memory.golden) (Q6, Q9).
func TestQ9Contract(t *testing.T) {
	r := newRig(t)
	var log strings.Builder
	id := r.moving()
	path, part := "/api/items/"+id+"/memory", ""
	for _, step := range []struct{ name, method, path, body string }{
		{"Q9 what moves", "GET", path, ""},
		{"Q9 why something is not told", "GET", "/api/items/" + id + "/why", ""},
		{"Q9 the item counts what is silent", "GET", "/api/items?top=1", ""},
		{"Q9 a small change", "GET", "/api/changes?small=only", ""},
		{"Q6 a person wants to be told", "POST", path, `{"id":"PART","do":"always"}`},
		{"Q6 the decision is taken back", "POST", path, `{"id":"PART","do":"forget"}`},
		{"Q6 learn it anew", "POST", path, `{"id":"PART","do":"forget"}`},
		{"Q6 that is taken back, too", "POST", path, `{"id":"PART","do":"forget"}`},
		{"Q6 no such decision", "POST", path, `{"id":"PART","do":"sometimes"}`},
		{"Q6 no such part", "POST", path, `{"id":"x","do":"never"}`},
		{"Q9 no such item", "GET", "/api/items/" + strings.Replace(id, "url_", "url_a", 1) + "/memory", ""},
	} {
		r.now = r.now.Add(1e9)
		step.body = strings.Replace(step.body, "PART", part, 1)
		w := do(t, r, step.method, step.path, step.body)
		if part == "" {
			_, part, _ = strings.Cut(w.Body.String(), `"id":"`)
			part, _, _ = strings.Cut(part, `"`)
		}
		fmt.Fprintf(&log, "=== %s\n%s %s\n%s\n%d %s\n%s\n\n", step.name, step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), pretty(t, w.Body.Bytes()))
	}
	golden(t, "memory.golden", log.String())
}

// TestQ9AgentsAreToldWhy checks that the tool why names what moves on a page, and why a change is small (Q9).
func TestQ9AgentsAreToldWhy(t *testing.T) {
	r := newRig(t)
	r.moving()
	s := connect(t, r, "")
	for arguments, want := range map[string]string{
		`{"page":"https://port.example/ok/one"}`: `what moves: "Seen by 15 people." has moved at 4 of 5 checks; its moves ` +
			`are not told since 2026-03-01T15:00:03Z`,
		`{"change":"` + listed0(t, r).ID + `"}`: "It is small: a number that moves at most checks.",
	} {
		if text, failed := use(t, s, "why", arguments); failed || !strings.Contains(text, want) {
			t.Errorf("%s: %s", arguments, text)
		}
	}
}

// TestQ9DashboardShowsWhatMoves checks that the page of an item says what is silent, and has buttons that decide about
// it and undo that; and that a small change says why in lists and on its page (Q6, Q9).
func TestQ9DashboardShowsWhatMoves(t *testing.T) {
	r := newRig(t)
	id := r.moving()
	item := "/api/ui/items/" + id
	shows(t, r, item+"/experts", "1 part, of which 1 is",
		">Seen by 15 people.</q> has moved at 4 of 5 checks; its moves are not told",
		"Always tell", "Never tell", "Learn anew")
	const why = "A small change: a number that moves at most checks"
	shows(t, r, "/api/ui?small=only&zone=all", why)
	var got api.ChangePage
	must(t, json.Unmarshal(do(t, r, "GET", "/api/changes?small=only", "").Body.Bytes(), &got))
	shows(t, r, "/api/ui/changes/"+got.Changes[0].ID, "A small change: a number that moves at most checks",
		item+"/experts#moves")
	var m api.Memory
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id+"/memory", "").Body.Bytes(), &m))
	for _, step := range []struct{ do, says string }{
		{"never", "no move is told, as a person has decided"}, {"forget", "its moves are not told"},
		{"always", "each move is told, as a person has decided"},
	} {
		to := send(t, r, item+"/memory", url.Values{"id": {m.Parts[0].ID}, "do": {step.do}})
		if to != item+"/experts?done=decided#moves" {
			t.Fatalf("%s leads to %s", step.do, to)
		}
		body := shows(t, r, item+"/experts?done=decided", step.says, " open><summary>1 part", "Saved. It applies")
		if undo := strings.Contains(body, "Undo the decision"); undo != (step.do != "forget") {
			t.Errorf("%s: undo is offered: %v", step.do, undo)
		}
	}
	if w := post(t, r, item+"/memory", "same-origin", url.Values{"id": {"x"}, "do": {"never"}}); w.Code != 400 {
		t.Errorf("an unknown part: %d", w.Code)
	}
}

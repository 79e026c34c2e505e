package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
)

// watchPart has people watch a part of an item.
func (r *rig) watchPart(id string, w *options.Watch) {
	r.t.Helper()
	_, err := r.v.Registry.Items.Ignore(r.t.Context(), source.ID(id), func(it *registry.Item) (string, error) {
		it.Options.Watch = w
		return "set", nil
	})
	must(r.t, err)
}

// TestW10Contract writes down a conversation about what is watched of a page (testdata/watch.golden).
func TestW10Contract(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	var log strings.Builder
	for _, step := range []struct{ name, method, path, body string }{
		{"a page is added", "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`},
		{"the worker works", "", "", ""},
		{"it changes", "edit", "Seen by 12 people.", ""},
		{"it changes again", "edit", "Seen by 15 people.", ""},
		{"W10 what a rule would silence", "POST", "/api/items/" + id + "/ignore", `{"hunk":1,"preview":true}`},
		{"W10 ignore this", "POST", "/api/items/" + id + "/ignore", `{"hunk":1}`},
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
		{"W16 nothing to accept", "POST", "/api/items/" + id + "/watch/accept", ""},
		{"a part is watched that there is not", "watch", ".price", ""},
		{"it is checked", "edit", "Seen by 20 people.", ""},
		{"W16 the watch is broken", "GET", "/api/changes?kind=watchBroken", ""},
		{"W16 the item says why", "GET", "/api/items?top=1", ""},
		{"W16 this is right now", "POST", "/api/items/" + id + "/watch/accept", ""},
		{"the worker works", "", "", ""},
		{"W16 the watch works", "GET", "/api/changes?kind=watchRestored", ""},
	} {
		fmt.Fprintf(&log, "=== %s\n", step.name)
		r.now = r.now.Add(time.Second)
		switch step.method {
		case "":
			r.work()
			continue
		case "watch":
			r.watchPart(id, &options.Watch{Include: []string{step.path}})
			continue
		case "edit":
			r.web.more = map[string]string{"one": step.path}
			do(t, r, "POST", "/api/ReindexItem", `{"id":"`+id+`","force":true}`)
			r.work()
			continue
		}
		w := do(t, r, step.method, step.path, step.body)
		fmt.Fprintf(&log, "%s %s\n%s\n%d %s\n%s\n\n", step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), pretty(t, w.Body.Bytes()))
	}
	golden(t, "watch.golden", log.String())
}

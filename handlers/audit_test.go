package handlers

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/search"
)

// audit runs an audit to its end.
func (r *rig) audit(body string) (run api.Rebuild) {
	r.t.Helper()
	w := do(r.t, r, "POST", "/api/RebuildIndex", body)
	must(r.t, json.Unmarshal(w.Body.Bytes(), &run))
	if w.Code != http.StatusAccepted || !run.Audit {
		r.t.Fatalf("%d %s", w.Code, w.Body)
	}
	for range 5 {
		r.work()
		r.now = r.now.Add(time.Minute)
	}
	w = do(r.t, r, "GET", "/api/RebuildIndex?id="+run.ID, "")
	run = api.Rebuild{}
	must(r.t, json.Unmarshal(w.Body.Bytes(), &run))
	if run.Status != api.RebuildDone {
		r.t.Fatalf("%s", w.Body)
	}
	return run
}

// answers returns what searches find.
func (r *rig) answers() (bodies []string) {
	for _, q := range []string{"harbour", "stray", "crane"} {
		bodies = append(bodies, pretty(r.t, do(r.t, r, "GET", "/api/Search?nestImages=true&q="+q, "").Body.Bytes()))
	}
	return bodies
}

// TestC5Audit checks that an audit finds every difference in the index, repairs it without a request to a site,
// reports it, and then finds nothing (C5).
func TestC5Audit(t *testing.T) {
	noted := "entry_-" + strings.Repeat("a", 25) + "b"
	for _, tt := range []struct {
		name string
		harm func(r *rig, one search.Page)
		what string
	}{
		{"nothing", func(*rig, search.Page) {}, ""},
		{"a page is lost", func(r *rig, one search.Page) { must(t, r.v.Index.Remove(t.Context(), one.ID, nil)) },
			"lacks the page"},
		{"a chunk is lost", func(r *rig, one search.Page) {
			one.Chunks = one.Chunks[1:]
			must(t, r.v.Index.Put(t.Context(), one))
		}, "1 chunk missing"},
		{"a chunk too many", func(r *rig, one search.Page) {
			one.Chunks = append(one.Chunks, search.Chunk{Key: "stray", UID: "stray", Text: "stray"})
			must(t, r.v.Index.Put(t.Context(), one))
		}, "1 chunk too many"},
		{"another uid", func(r *rig, one search.Page) {
			one.Chunks[0].UID = "stray"
			must(t, r.v.Index.Put(t.Context(), one))
		}, "1 chunk with another uid"},
		{"an image is lost", func(r *rig, one search.Page) {
			one.Images = nil
			must(t, r.v.Index.Put(t.Context(), one))
		}, "1 image missing"},
		{"a page of a source that fails", func(r *rig, one search.Page) {
			one.ID = string(r.find("https://port.example/fails").ID)
			must(t, r.v.Index.Put(t.Context(), one))
		}, "should not hold"},
		{"a page without an item", func(r *rig, one search.Page) {
			one.ID = "url_" + strings.Repeat("a", 26)
			must(t, r.v.Index.Put(t.Context(), one))
		}, "a page that has no item or entry"},
		{"an entry is lost", func(r *rig, _ search.Page) { must(t, r.v.Index.Remove(t.Context(), noted, nil)) },
			"lacks the entry"},
		{"an entry has a chunk too many", func(r *rig, one search.Page) {
			one.ID = noted
			one.Chunks = append(one.Chunks, search.Chunk{Key: "stray", UID: "stray", Text: "stray"})
			must(t, r.v.Index.Put(t.Context(), one))
		}, "chunks missing"},
		{"a page of an entry that is none", func(r *rig, one search.Page) {
			one.ID = "entry_-" + strings.Repeat("z", 26)
			must(t, r.v.Index.Put(t.Context(), one))
		}, "a page that has no item or entry"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			do(t, r, "POST", "/api/AddUrlDocument",
				`{"urls":["https://port.example/ok/one","https://port.example/ok/two","https://port.example/fails"]}`)
			do(t, r, "POST", "/api/db/insert", `{"source":"notes","title":"Notes","clean_text":"A note about the harbour."}`)
			r.work()
			one := r.index.put[string(r.find("https://port.example/ok/one").ID)]
			one.Known, one.Chunks = nil, slices.Clone(one.Chunks)
			before := r.answers()
			tt.harm(r, one)
			asked := r.web.asked
			run := r.audit(`{"audit":true}`)
			var what []string
			for _, f := range run.Findings {
				what = append(what, f.What)
			}
			if tt.what == "" && len(what) > 0 || tt.what != "" && (len(what) != 1 || !strings.Contains(what[0], tt.what)) {
				t.Errorf("found %q, want %q", what, tt.what)
			}
			if diff := cmp.Diff(before, r.answers()); diff != "" {
				t.Errorf("answers: -before +after\n%s", diff)
			}
			if r.web.asked != asked {
				t.Error("the site was asked")
			}
			if again := r.audit(`{"audit":true}`); again.Marked+again.Removed+again.Mended != 0 || again.Entries != 1 {
				t.Errorf("the second audit finds %v", again.Findings)
			}
		})
	}
}

package handlers

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestA15ForceInTheURL checks that force may be in the URL, as in spec 003 §6, or in the body; either is enough
// (A15).
func TestA15ForceInTheURL(t *testing.T) {
	const page = "https://port.example/ok/one"
	id := idOf(t, page)
	for _, tt := range []struct {
		request, body string
		want          string // a part of the answer
	}{
		{"AddUrlDocument?force=true", `{"url":"` + page + `"}`, `"reindexRequested":true,"reindexGeneration":1`},
		{"AddUrlDocument?code=key&force=1", `{"urls":["` + page + `"]}`, `"reindexRequested":true,"reindexGeneration":1`},
		{"AddUrlDocument?force=true", `{"url":"` + page + `","force":false}`,
			`"reindexRequested":true,"reindexGeneration":1`},
		{"AddUrlDocument?force=false", `{"url":"` + page + `","force":true}`,
			`"reindexRequested":true,"reindexGeneration":1`},
		{"AddUrlDocument?force=false", `{"url":"` + page + `"}`, `"reindexRequested":false,"reindexGeneration":0`},
		{"AddFileDocument?force=true", `{"path":"/srv/manual.pdf"}`, `"reindexRequested":true,"reindexGeneration":1`},
		{"ReindexItem?force=true", `{"id":"` + id + `"}`, `"reindexRequested":true,"reindexGeneration":1`},
		{"ReindexItem", `{"id":"` + id + `"}`, `"reindexRequested":false,"reindexGeneration":0`},
		{"RebuildIndex?force=true", `{}`, `"force":true`},
	} {
		t.Run(tt.request+" "+tt.body, func(t *testing.T) {
			r := newRig(t)
			do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+page+`"}`)
			w := do(t, r, "POST", "/api/"+tt.request, tt.body)
			if w.Code != http.StatusAccepted || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("%d %s\nwant %s", w.Code, w.Body, tt.want)
			}
		})
	}
}

// TestA18ImagesHaveTheirSource checks that an image also names its page as its source, wherever it is shown (A18,
// spec 003 §8).
func TestA18ImagesHaveTheirSource(t *testing.T) {
	const page = "https://port.example/ok/one"
	r := newRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"`+page+`"}`)
	r.work()
	var found api.SearchResponse
	must(t, json.Unmarshal(do(t, r, "GET", "/api/Search?q=harbour&nestImages=true", "").Body.Bytes(), &found))
	var listed api.ImageList
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+idOf(t, page)+"/images", "").Body.Bytes(), &listed))
	if len(found.Results) != 1 || len(found.Results[0].Images) != 1 || len(listed.Images) != 1 {
		t.Fatalf("found %+v, listed %+v", found, listed)
	}
	for _, img := range []api.Image{found.Results[0].Images[0], listed.Images[0]} {
		if img.Source != page || img.ParentPageURL != page || img.ParentPageID != idOf(t, page) {
			t.Errorf("%+v", img)
		}
	}
}

package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// TestA21Capture checks that a capture is answered as text, or as the received bytes, which no browser shows or runs
// (A21).
func TestA21Capture(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	for _, tt := range []struct {
		name, body, mediaType string
		text                  string // "" for a type without text
	}{
		{"a page", "<html lang=en><title>Tide</title><main><p>High at noon.</p><script>alert(1)</script></main>",
			"text/html; charset=utf-8", "High at noon."},
		{"plain text", "High at noon.\n", "text/plain", "High at noon."},
		{"noise", "\x00\xff\x01", "application/x-tide", ""},
		{"of no type", "\x00\xff\x02", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hash := snapshot.Hash([]byte(tt.body))
			c := snapshot.Capture{ItemID: source.ID(id), RawHash: hash,
				Header: map[string][]string{"Content-Type": {tt.mediaType}}, CapturedAt: r.now}
			_, err := r.v.Snapshots.Save(t.Context(), c, []byte(tt.body), snapshot.Had{})
			must(t, err)
			path := "/api/items/" + id + "/captures/" + strings.TrimPrefix(hash, "sha256:")
			raw := do(t, r, "GET", path+"?raw=true", "")
			wantType := tt.mediaType
			if wantType == "" {
				wantType = "application/octet-stream"
			}
			h := raw.Header()
			if raw.Code != http.StatusOK || raw.Body.String() != tt.body || h.Get("Content-Type") != wantType ||
				!strings.HasPrefix(h.Get("Content-Disposition"), "attachment;") {
				t.Errorf("%d %v %q", raw.Code, h, raw.Body)
			}
			text := do(t, r, "GET", path, "")
			if tt.text == "" {
				if p := problemOf(t, text); text.Code != http.StatusBadRequest || p.Errors[0].Field != "raw" {
					t.Errorf("text: %d %+v", text.Code, p)
				}
				return
			}
			if text.Code != http.StatusOK || strings.TrimSpace(text.Body.String()) != tt.text ||
				text.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Errorf("text: %d %v %q", text.Code, text.Header(), text.Body)
			}
			for _, h := range []http.Header{h, text.Header()} {
				if h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"),
					"sandbox;") {
					t.Errorf("a browser may make something of it: %v", h)
				}
			}
		})
	}
}

// TestA21Past checks that the whole past of an item is listed, a page at a time (A21, B4).
func TestA21Past(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	id := idOf(t, "https://port.example/ok/one")
	before := ""
	for i := range 5 {
		r.now = r.now.Add(time.Minute)
		body := fmt.Appendf(nil, "body %d", i)
		c := snapshot.Capture{ItemID: source.ID(id), RawHash: snapshot.Hash(body),
			CanonicalURI: "https://port.example/ok/one",
			ContentHash:  snapshot.Hash(body), NormalizationVersion: "http_snapshot_url_v1_text_v2", CapturedAt: r.now}
		_, err := r.v.Snapshots.Save(t.Context(), c, body, snapshot.Had{RawHash: before})
		must(t, err)
		before = c.RawHash
	}
	for list, want := range map[string]int{"captures": 5, "lineage": 4} {
		seen, requests := map[string]bool{}, 0
		for path := "?top=2"; path != ""; requests++ {
			var page struct {
				Captures     []api.Capture
				Lineage      []api.Edge
				Continuation string
			}
			must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id+"/"+list+path, "").Body.Bytes(), &page))
			for _, c := range page.Captures {
				seen[c.SHA256] = true
			}
			for _, e := range page.Lineage {
				seen[e.Newer] = true
			}
			if path = ""; page.Continuation != "" {
				path = "?top=2&continuation=" + page.Continuation
			}
		}
		if len(seen) != want || requests != (want+1)/2 {
			t.Errorf("%d %s in %d requests, want %d", len(seen), list, requests, want)
		}
		for query, field := range map[string]string{"?top=0": "top", "?top=1000": "top", "?continuation=x": "continuation",
			"?after=x": "after"} {
			w := do(t, r, "GET", "/api/items/"+id+"/"+list+query, "")
			if p := problemOf(t, w); w.Code != 400 || len(p.Errors) != 1 || p.Errors[0].Field != field {
				t.Errorf("%s%s: %d %+v", list, query, w.Code, p)
			}
		}
		if w := do(t, r, "GET", "/api/items/"+idOf(t, "https://nobody.example/")+"/"+list, ""); w.Code != 404 {
			t.Errorf("of an unknown item: %d", w.Code)
		}
	}
}

// TestZ2CapturesOfVersions checks that captures of one body under several versions are all listed, even if a page
// ends between them, and that the item shows the last one read first.
func TestZ2CapturesOfVersions(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	id, body := idOf(t, "https://port.example/ok/one"), []byte("body")
	c := snapshot.Capture{ItemID: source.ID(id), RawHash: snapshot.Hash(body), ContentHash: "sha256:1",
		NormalizationVersion: "http_snapshot_url_v1_text_v2", RunID: "crawl", CapturedAt: r.now}
	_, err := r.v.Snapshots.Save(t.Context(), c, body, snapshot.Had{})
	must(t, err)
	c.NormalizationVersion, c.ContentHash, c.RunID, c.ReprocessedAt = "http_snapshot_url_v1_text_v3.1", "sha256:2",
		"rebuild", r.now.Add(time.Hour)
	must(t, r.v.Snapshots.Reprocess(t.Context(), c))
	var have []string
	for path := "?top=1"; path != ""; {
		var page api.CapturePage
		must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id+"/captures"+path, "").Body.Bytes(), &page))
		for _, c := range page.Captures {
			have = append(have, c.RunID+" "+c.NormalizationVersion)
		}
		if path = ""; page.Continuation != "" {
			path = "?top=1&continuation=" + page.Continuation
		}
	}
	if want := []string{"crawl http_snapshot_url_v1_text_v2",
		"rebuild http_snapshot_url_v1_text_v3.1"}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
	var item api.ItemDetail
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id, "").Body.Bytes(), &item))
	if len(item.Captures) != 2 || !item.Captures[0].ReprocessedAt.Equal(c.ReprocessedAt) ||
		!item.Captures[0].CapturedAt.Equal(r.now) {
		t.Errorf("beside the item: %+v", item.Captures)
	}
}

func TestA21CaptureErrors(t *testing.T) {
	r := newRig(t)
	one, two := idOf(t, "https://port.example/ok/one"), idOf(t, "https://port.example/ok/two")
	hash := snapshot.Hash([]byte("body"))
	_, err := r.v.Snapshots.Save(t.Context(), snapshot.Capture{ItemID: source.ID(one), RawHash: hash, CapturedAt: r.now},
		[]byte("body"), snapshot.Had{})
	must(t, err)
	digest := strings.TrimPrefix(hash, "sha256:")
	for _, tt := range []struct {
		name, path, field string
		status            int
	}{
		{"another item's", two + "/captures/" + digest, "", 404},
		{"nobody's", one + "/captures/" + strings.Repeat("0", 64), "", 404},
		{"too short", one + "/captures/" + digest[:63], "sha256", 400},
		{"no digest", one + "/captures/" + strings.Repeat("g", 64), "sha256", 400},
		{"no id", "5/captures/" + digest, "id", 400},
		{"another parameter", one + "/captures/" + digest + "?text=true", "text", 400},
		{"bad flag", one + "/captures/" + digest + "?raw=perhaps", "raw", 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := do(t, r, "GET", "/api/items/"+tt.path, "")
			p := problemOf(t, w)
			if w.Code != tt.status || tt.field != "" && (len(p.Errors) != 1 || p.Errors[0].Field != tt.field) {
				t.Errorf("%d %+v", w.Code, p)
			}
		})
	}
}

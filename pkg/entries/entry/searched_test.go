package entry

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/search"
)

// TestD10Page checks the page of an entry: the texts by which it is found, and its title (D10).
func TestD10Page(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	sent := func(from, date string) map[string]any { return map[string]any{from: map[string]any{"date": date}} }
	for _, tt := range []struct {
		name   string
		give   Fields
		want   search.Page // without what all have in common
		chunks []string
	}{
		{"a thought has its first line for a title", Fields{"source": "telegram", "clean_text": "Low tide\nat six."},
			search.Page{Host: "telegram", Title: "Low tide", ChangedAt: noon}, []string{"Low tide at six."}},
		{"a mail of a batch comes from email", Fields{"source": "email-batch", "title": "Dredging",
			"author": "Ann <ann@port.example>", "clean_text": "It begins.", "metadata": sent("email",
				"Sun, 1 Feb 2026 08:00:00 +0100")},
			search.Page{Host: "email", Title: "Dredging", ChangedAt: time.Date(2026, 2, 1, 7, 0, 0, 0, time.UTC)},
			[]string{"It begins.", "Ann <ann@port.example>"}},
		{"a link without words", Fields{"source": "telegram", "url": "https://port.example/"},
			search.Page{Host: "telegram", Title: "https://port.example/", URL: "https://port.example/", ChangedAt: noon},
			[]string{"https://port.example/"}},
		{"what tier 1 says", Fields{"source": "notes", "extracted_text": "tide", "gist": "It rises.",
			"topic_primary": "water", "keywords": `["spring","neap"]`},
			search.Page{Host: "notes", Title: "It rises.", ChangedAt: noon},
			[]string{"tide", "It rises.\n\nwater\n\nspring\nneap"}},
		{"dates that cannot be", Fields{"source": "email", "title": "x", "metadata": sent("email", "9999-01-01T00:00:00Z"),
			"keywords": "{"},
			search.Page{Host: "email", Title: "x", ChangedAt: noon}, []string{"x"}},
		{"the language of a long text", Fields{"source": "telegram", "title": "x",
			"clean_text": strings.Repeat("Das Hochwasser steigt noch bis zum Abend. ", 5), "metadata": sent("telegram",
				"2026-02-01T00:00:00Z")},
			search.Page{Host: "telegram", Title: "x", Language: "de", ChangedAt: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)},
			[]string{strings.TrimSpace(strings.Repeat("Das Hochwasser steigt noch bis zum Abend. ", 5))}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.give["id"], tt.give["updated_at"] = "entry_p-"+strings.Repeat("a", 26), "2026-03-01T12:00:00.000Z"
			have := PageOf(tt.give, noon)
			if err := have.Check(); err != nil {
				t.Error(err)
			}
			var texts []string
			for _, c := range have.Chunks {
				texts = append(texts, strings.Join(strings.Fields(c.Text), " "))
			}
			for i := range tt.chunks {
				tt.chunks[i] = strings.Join(strings.Fields(tt.chunks[i]), " ")
			}
			if diff := cmp.Diff(tt.chunks, texts); diff != "" {
				t.Errorf("chunks (-want +have):\n%s", diff)
			}
			tt.want.ID, tt.want.Type, tt.want.MimeType = tt.give.Text("id"), TypeEntry, "text/plain"
			tt.want.IndexedAt, tt.want.Chunks = noon, have.Chunks
			if diff := cmp.Diff(tt.want, have); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
			}
		})
	}
}

// TestD10ChunksStay checks that tier 1 changes no chunk of an entry's text (D10).
func TestD10ChunksStay(t *testing.T) {
	f := Fields{"id": "entry_p-" + strings.Repeat("a", 26), "title": "x", "clean_text": "tide"}
	before := PageOf(f, time.Time{})
	f["gist"] = "It rises."
	if after := PageOf(f, time.Time{}); len(after.Chunks) != 2 || after.Chunks[0].Key != before.Chunks[0].Key ||
		after.Chunks[0].UID != before.Chunks[0].UID {
		t.Errorf("before %+v\nafter %+v", before.Chunks, after.Chunks)
	}
}

package entries

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// TestD1WebpageIsStoredAsItIs checks that the result of normalizing a page can be inserted, and that an existing
// entry that gets the text keeps its source (D1).
func TestD1WebpageIsStoredAsItIs(t *testing.T) {
	r := newRig(t, openMem)
	for _, text := range []string{"The harbour is closed from noon until the evening.", "Shared"} {
		f, err := entry.NormalizeWebpage(entry.Webpage{Text: &text, URL: "https://port.example/a"}, source.DefaultRules())
		must(t, err)
		if res := r.inserted(f); res.Action != Inserted || res.Entry.Text("source") != "webpage" {
			t.Errorf("%q: %s %v", text, res.Action, res.Entry)
		}
	}
	for _, from := range []string{"telegram", "notes"} {
		standing := entry.Fields{"source": from, "title": "Harbour"}
		if from == "telegram" {
			standing = keyed(entry.TelegramLink, "https://port.example/a", "", standing)
		}
		text := "Open again."
		f, err := entry.NormalizeWebpage(entry.Webpage{Text: &text}, source.DefaultRules())
		must(t, err)
		f["entry_id"] = r.inserted(standing).Entry.Text("id")
		res, err := r.In(Production).Update(t.Context(), f)
		if err != nil || res.Entry.Text("source") != from || res.Entry.Text("clean_text") != text ||
			res.Entry.Text("title") != "Harbour" {
			t.Errorf("the text of an entry of %s: %v, %v", from, res.Entry, err)
		}
	}
}

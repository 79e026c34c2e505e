package entry

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
)

// TypeEntry is the type of entries in the index.
const TypeEntry = "entry"

// PageOf returns the page of an entry in the index. The page's host is the origin of the entry, such as email. Its
// time of change is the date of the message, if that date is plausible. The description of the entry has chunks of
// its own, so tier 1 changes no chunk of the text.
func PageOf(f Fields, now time.Time) search.Page {
	// fails only for bad addresses
	text, _ := web.Extract([]byte(TextOf(f)), "text/plain; charset=utf-8", mailBase, extract.Limits{})
	p := search.Page{
		ID: f.Text("id"), URL: f.Text("url"), Host: HostOf(f), Type: TypeEntry,
		Title: TitleOf(f), Language: text.Language, MimeType: "text/plain", IndexedAt: now, ChangedAt: sentAt(f),
	}
	body, _ := chunk.Split(chunk.Page{ID: p.ID, Title: p.Title, Blocks: text.Blocks})
	about, _ := chunk.Split(chunk.Page{ID: p.ID + "/about", Blocks: aboutOf(f)})
	for _, c := range append(body, about...) {
		p.Chunks = append(p.Chunks, search.Chunk{Key: string(c.Key), UID: string(c.UID), Heading: c.Heading, Text: c.Text})
	}
	return p
}

// HostOf returns the origin of an entry, such as email.
func HostOf(f Fields) string { return strings.TrimSuffix(f.Text("source"), "-batch") }

// TextOf returns the cleanest text that an entry has.
func TextOf(f Fields) string {
	return cmp.Or(f.Text("clean_text"), f.Text("extracted_text"), f.Text("capture_text"))
}

// TitleOf returns the title of an entry in a list of results. The title is never empty.
func TitleOf(f Fields) string {
	const most = 120
	first, _, _ := strings.Cut(strings.TrimSpace(TextOf(f)), "\n")
	title := cmp.Or(oneLine(f.Text("title")), oneLine(f.Text("gist")))
	title = cmp.Or(title, oneLine(words.Clip(first, most)))
	return cmp.Or(title, f.Text("url"), f.Text("id"))
}

// aboutOf returns the texts that describe an entry. A search for words in these texts should find the entry.
func aboutOf(f Fields) []extract.Block {
	var keywords []string
	_ = json.Unmarshal([]byte(f.Text("keywords")), &keywords) // no keywords if the column is damaged
	var blocks []extract.Block
	for _, text := range []string{
		f.Text("author"), f.Text("gist"),
		strings.Join(append([]string{f.Text("topic_primary"), f.Text("topic_secondary")}, keywords...), "\n"),
	} {
		if text = strings.TrimSpace(text); text != "" {
			blocks = append(blocks, extract.Block{Kind: extract.Paragraph, Text: text})
		}
	}
	return blocks
}

// sentAt returns the date of a message. If the date is not plausible, it returns the time when the entry was last
// written.
func sentAt(f Fields) time.Time {
	written := storage.ParseTime(f.Text("updated_at"))
	meta, _ := f["metadata"].(map[string]any)
	for _, from := range []string{"email", "telegram"} {
		of, _ := meta[from].(map[string]any)
		date, _ := of["date"].(string)
		if at, ok := timeOf(date); ok && at.Year() >= 1970 && at.Before(written) {
			return at.UTC()
		}
	}
	return written
}

// LinkOf returns the address of the page that an entry of policy [TelegramLink] links to; "" for other entries.
func LinkOf(f Fields) string {
	if f.Text("idempotency_policy_key") != TelegramLink {
		return ""
	}
	return cmp.Or(f.Text("url_canonical"), f.Text("url"))
}

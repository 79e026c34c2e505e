package entry

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
)

// qualityRules is the name of the rules of this file in metadata.retrieval. The number in the name must be raised
// when the rules change.
const qualityRules = "quality_v1"

const (
	// excerptBytes bounds the excerpt of an entry's text.
	excerptBytes = 400
	// tellingWords is the number of words that a paragraph must have so that an excerpt may begin with it.
	tellingWords = 8
	// fewWords is the number of words below which a text is short.
	fewWords = 20
	// manyWords is the number of words above which a greater length does not improve the score.
	manyWords = 150
)

// retrieval returns the columns that searches and reviews use (D7): an excerpt, counts, ratios from 0 to 1, flags and
// a score from 0 to 1. It returns nil for a text that is empty after cleaning. All normalizations call it. The
// columns can be inserted or used for an update.
func retrieval(extracted, clean, excerpt string) Fields {
	if clean == "" {
		return nil
	}
	if excerpt = oneLine(excerpt); excerpt == "" {
		excerpt = excerptOf(clean)
	}
	excerpt = words.Clip(excerpt, excerptBytes)
	s := signals(extracted, clean)
	quality := map[string]any{}
	maps.Copy(quality, s)
	s["retrieval_excerpt"] = excerpt
	s["metadata"] = map[string]any{"retrieval": map[string]any{
		"excerpt": excerpt, "rules": qualityRules, "quality": quality,
	}}
	return s
}

// signals measures a text. The argument extracted is the text before cleaning.
func signals(extracted, clean string) Fields {
	extracted = cmp.Or(extracted, clean)
	all, kept := utf8.RuneCountInString(extracted), utf8.RuneCountInString(clean)
	n, links, linkChars := countWords(clean), 0, 0
	for _, at := range findURLs(extracted) {
		links, linkChars = links+1, linkChars+utf8.RuneCountInString(at)
	}
	keptShare, linkShare := share(kept, all), share(linkChars, all)
	boilerplate := keptShare < 0.4 && all >= 400
	incomplete := looksCut(clean)
	return Fields{
		"clean_char_count": int64(kept), "extracted_char_count": int64(all), "clean_word_count": int64(n),
		"link_count":               int64(links),
		"clean_vs_extracted_ratio": keptShare, "link_ratio": linkShare,
		"boilerplate_heavy": boilerplate, "extraction_incomplete": incomplete,
		"low_signal":    n < fewWords || linkShare > 0.5,
		"quality_score": score(n, linkShare, boilerplate, incomplete),
	}
}

// score returns the quality of a text from 0 to 1. One half depends on the length of the text, the other on the share
// of the text that is not links. The score is lower if the text is mostly boilerplate, or truncated.
func score(words int, links float64, boilerplate, incomplete bool) float64 {
	if words == 0 {
		return 0
	}
	s := 0.5*math.Min(1, float64(words)/manyWords) + 0.5*(1-links)
	if boilerplate {
		s -= 0.2
	}
	if incomplete {
		s -= 0.3
	}
	return round(math.Max(0, s))
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return round(math.Min(1, float64(part)/float64(whole)))
}

// round rounds to three decimals, so that a stored number reads back unchanged.
func round(f float64) float64 { return math.Round(f*1000) / 1000 }

// looksCut reports whether a text states that it continues elsewhere, or that the page shows none of its content.
func looksCut(text string) bool {
	tail := text[max(0, len(text)-200):]
	lower := strings.ToLower(tail)
	if strings.HasSuffix(lower, "…") || strings.HasSuffix(lower, "[...]") || strings.HasSuffix(lower, "...") {
		return true
	}
	for _, phrase := range []string{
		"continue reading", "read more", "read the full", "subscribe to read", "subscribe to continue", "sign in to continue",
		"log in to continue", "enable javascript", "javascript is disabled", "weiterlesen", "lire la suite",
	} {
		if strings.Contains(lower, phrase) {
			return true
		}
	}
	return false
}

// countWords counts words: runs of letters and digits, and each character of scripts without spaces between words.
func countWords(text string) int {
	n, within := 0, false
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
			unicode.Myanmar):
			n, within = n+1, false
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && within:
			if !within {
				n++
			}
			within = true
		case r != '\'' && r != '’' && r != '-':
			within = false
		}
	}
	return n
}

// excerptOf returns the beginning of the first paragraph that has enough words. If there is none, it returns the
// beginning of the whole text. The excerpt ends after a sentence, unless it would then lose more than two thirds of
// its length. In that case it ends after a word, with an ellipsis.
func excerptOf(clean string) string {
	at := 0
	for p := range strings.SplitSeq(clean, "\n\n") {
		if countWords(p) >= tellingWords {
			break
		}
		at += len(p) + 2
	}
	if at >= len(clean) {
		at = 0
	}
	text := oneLine(clean[at:])
	if len(text) <= excerptBytes {
		return text
	}
	head := words.Clip(text, excerptBytes-len("…"))
	if end := lastSentence(head); end > excerptBytes/3 {
		return head[:end]
	}
	if space := strings.LastIndexByte(head, ' '); space > excerptBytes/2 {
		head = head[:space]
	}
	return head + "…"
}

// lastSentence returns the offset of the end of the last whole sentence, or 0 if there is none.
func lastSentence(text string) int {
	end := 0
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		switch r {
		case '.', '!', '?':
			if next < len(text) && text[next] == ' ' {
				end = next
			}
		case '。', '！', '？':
			end = next
		}
	}
	return end
}

func oneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

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
	for _, c := range chunksOf(f, text) {
		p.Chunks = append(p.Chunks, search.Chunk{Key: string(c.Key), UID: string(c.UID), Heading: c.Heading, Text: c.Text})
	}
	return p
}

// Records returns the records of the chunks that [PageOf] gives to an entry.
func Records(f Fields) (records []chunk.Record) {
	text, _ := web.Extract([]byte(TextOf(f)), "text/plain; charset=utf-8", mailBase, extract.Limits{})
	for _, c := range chunksOf(f, text) {
		records = append(records, chunk.RecordOf(c))
	}
	return records
}

func chunksOf(f Fields, text extract.Document) []chunk.Chunk {
	id := f.Text("id")
	body, _ := chunk.Split(chunk.Page{ID: id, Title: TitleOf(f), Blocks: text.Blocks})
	about, _ := chunk.Split(chunk.Page{ID: id + "/about", Blocks: aboutOf(f)})
	return append(body, about...)
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

package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTerms(t *testing.T) {
	for _, tc := range []struct {
		name, query string
		want        []Term
	}{
		{"words", "a  b", []Term{{Text: "a"}, {Text: "b"}}},
		{"phrase between words", `a "b c" d`, []Term{{Text: "a"}, {Text: "b c", Phrase: true}, {Text: "d"}}},
		{"prefixes", `a* "b c"* d`, []Term{{Text: "a", Prefix: true}, {Text: "b c", Phrase: true, Prefix: true},
			{Text: "d"}}},
		{"unclosed quote", `a "b c`, []Term{{Text: "a"}, {Text: "b"}, {Text: "c"}}},
		{"operators are words", "NOT (b)", []Term{{Text: "NOT"}, {Text: "(b)"}}},
		{"doubled word", `a a a* "a"`, []Term{{Text: "a"}, {Text: "a", Prefix: true}}},
		{"nothing to look for", `- "" "!" * 🐟`, nil},
		{"quote inside a word", `a"b"c`, []Term{{Text: "a"}, {Text: "b", Phrase: true}, {Text: "c"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Terms(tc.query)); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
		})
	}
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "w%d ", i)
	}
	if n := len(Terms(many.String())); n != MaxTerms {
		t.Errorf("have %d terms, want %d", n, MaxTerms)
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("word ", 200)
	for _, tc := range []struct{ name, text, begins, ends string }{
		{"short text whole", "a beacon c", "a beacon c", "a beacon c"},
		{"no match: the beginning", "first " + long, "first word", "word"},
		{"match far in, cut between words", long + "x beacon y " + long, "word word", "word"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var found []Range
			if i := strings.Index(tc.text, "beacon"); i >= 0 {
				found = []Range{{i, i + len("beacon")}}
			}
			text, ranges := Excerpt(tc.text, found)
			if !strings.HasPrefix(text, tc.begins) || !strings.HasSuffix(text, tc.ends) || len(text) > passageRunes ||
				len(ranges) != len(found) {
				t.Errorf("have %q, ranges %v", text, ranges)
			}
			for _, r := range ranges {
				if s := text[r.From:r.To]; s != "beacon" {
					t.Errorf("highlight of %q", s)
				}
			}
		})
	}
}

// TestJ4PassagesAreSentences checks that a passage begins and ends with sentences where possible, and contains the
// match.
func TestJ4PassagesAreSentences(t *testing.T) {
	before := strings.Repeat("The quay is closed on Mondays, as Mr. smith knows. ", 12)
	after := strings.Repeat(" Ferries leave at nine o'clock from the northern quay.", 12)
	for name, tc := range map[string]struct {
		text, match string
		at          bool
		begins      string
		ends        string
	}{
		"within": {before + "Here a beacon stands." + after, "beacon", false, "Here a beacon stands. Ferries", "quay."},
		"a line begins": {before + "\nlist of every beacon of the coast" + after, "beacon", false, "list of every",
			"quay."},
		"no sentence": {strings.Repeat("word ", 200) + "beacon" + strings.Repeat(" word", 200), "beacon", false, "word",
			"word"},
		"chinese": {strings.Repeat("港口已关闭。", 40) + "灯塔在北面。" + strings.Repeat("船停在港口。", 60), "灯塔", false,
			"灯塔在北面。", "。"},
		"the definition": {"beacon beacon " + before + "\nbeacon\n: A light." + after, "beacon", true,
			"beacon\n: A light.", "quay."},
	} {
		var found []Range
		for from := 0; ; {
			i := strings.Index(tc.text[from:], tc.match)
			if i < 0 {
				break
			}
			found = append(found, Range{from + i, from + i + len(tc.match)})
			from += i + len(tc.match)
		}
		at := -1
		if tc.at {
			at = found[len(found)-1].From
		}
		text, ranges := ExcerptAt(tc.text, found, at)
		if !strings.HasPrefix(text, tc.begins) || !strings.HasSuffix(text, tc.ends) || len(ranges) == 0 {
			t.Errorf("%s: %q, %v", name, text, ranges)
		}
	}
}

// TestC5Contents checks that Fields changes exactly with the values that are written with each chunk.
func TestC5Contents(t *testing.T) {
	page := func() Page {
		return Page{ID: "a", URL: "https://h/a", Title: "T", Chunks: []Chunk{{Key: "k", UID: "u", Text: "one"}},
			Images: []Image{{ID: "i", Alt: "crane"}}}
	}
	before := page().Contents()
	for _, tc := range []struct {
		name                   string
		edit                   func(*Page)
		fields, chunks, images bool // change
	}{
		{"nothing", func(p *Page) {}, false, false, false},
		{"title", func(p *Page) { p.Title = "U" }, true, false, false},
		{"language", func(p *Page) { p.Language = "de" }, true, false, false},
		{"address", func(p *Page) { p.URL = "https://h/b" }, true, false, true},
		{"uid", func(p *Page) { p.Chunks[0].UID = "v" }, false, true, false},
		{"chunk", func(p *Page) { p.Chunks[0].Key = "l" }, false, true, false},
		{"image", func(p *Page) { p.Images[0].Alt = "ferry" }, false, false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := page()
			tc.edit(&p)
			after := p.Contents()
			if after.Fields != before.Fields != tc.fields || !cmp.Equal(after.Chunks, before.Chunks) != tc.chunks ||
				!cmp.Equal(after.Images, before.Images) != tc.images {
				t.Errorf("before %+v, after %+v", before, after)
			}
		})
	}
}

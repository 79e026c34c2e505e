package chunk

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// zoned generates a page with main content, and the number of its blocks. The other blocks are beside it.
func zoned(t *rapid.T) (p Page, main int) {
	blocks := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) extract.Block {
		b := extract.Block{Kind: rapid.SampledFrom([]extract.Kind{extract.Paragraph, extract.Heading, extract.Code,
			extract.Table, extract.List}).Draw(t, "kind"), Text: rapid.StringMatching(`([a-c𝔸é]{1,4} ?){1,40}`).Draw(t, "text")}
		if b.Kind == extract.Heading {
			b.Level = rapid.IntRange(1, 3).Draw(t, "level")
		}
		return b
	}), 0, 12).Draw(t, "blocks")
	blocks = append([]extract.Block{{Kind: extract.Paragraph, Text: "The beginning."}}, blocks...)
	main = rapid.IntRange(1, len(blocks)).Draw(t, "main")
	for i := range blocks[main:] {
		blocks[main+i].Zone = extract.Beside
	}
	return Page{ID: "page", Title: "A title", Blocks: blocks}, main
}

// TestN10MainIsCutAsIfAlone checks that the chunks of the main content, with their names and positions, do not depend
// on what is beside it, and that no chunk spans two zones (N10).
func TestN10MainIsCutAsIfAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, main := zoned(t)
		all, _ := Split(p)
		alone := p
		alone.Blocks = p.Blocks[:main]
		want, _ := Split(alone)
		beside := slices.IndexFunc(all, func(c Chunk) bool { return c.Zone == extract.Beside })
		if beside < 0 {
			beside = len(all)
		}
		// A name that another chunk also has is made distinct by the chunk's position among all of the page.
		names := cmpopts.IgnoreFields(Chunk{}, "UID")
		if diff := cmp.Diff(want, all[:beside], names, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		text := newText(extract.Join(p.Blocks))
		for _, c := range all[beside:] {
			if c.Zone != extract.Beside || text.Slice(c.Start, c.End) != c.Text {
				t.Fatalf("%+v is at %q", c, text.Slice(c.Start, c.End))
			}
		}
	})
}

// TestN10NoContextCrossesZones checks that an edit beside the main content leaves all names of main chunks as they
// are, and that an edit of the main content leaves the names beside it (N10, 002 §4.4).
func TestN10NoContextCrossesZones(t *testing.T) {
	split := func(main, beside string) []Chunk {
		chunks, _ := Split(Page{ID: "page", Title: "T", Blocks: []extract.Block{
			{Kind: extract.Paragraph, Text: main}, {Kind: extract.Paragraph, Text: beside, Zone: extract.Beside}}})
		return chunks
	}
	before, besideEdited := split("The quay is open.", "49 EUR"), split("The quay is open.", "59 EUR")
	mainEdited := split("The quay is closed for the winter.", "49 EUR")
	if len(before) != 2 || before[0].UID != besideEdited[0].UID || before[1].UID != mainEdited[1].UID {
		t.Errorf("names cross zones: %v, %v, %v", before, besideEdited, mainEdited)
	}
	if before[1].UID == besideEdited[1].UID || before[1].Key != mainEdited[1].Key ||
		before[1].Start != len("The quay is open.")+2 {
		t.Errorf("beside: %+v, %+v", before[1], besideEdited[1])
	}
	same := split("The same words.", "The same words.")
	if same[0].UID == same[1].UID || same[0].Key == same[1].Key || strings.HasSuffix(string(same[0].Key), "-2") {
		t.Errorf("equal texts of two zones share a name: %+v", same)
	}
}

// TestN10BesideHasItsOwnHeadings checks that the headings of the main content are not above what is beside it (N10).
func TestN10BesideHasItsOwnHeadings(t *testing.T) {
	chunks, _ := Split(Page{ID: "page", Blocks: []extract.Block{
		{Kind: extract.Heading, Level: 1, Text: "Lamp"}, {Kind: extract.Paragraph, Text: "It shines."},
		{Kind: extract.Heading, Level: 2, Text: "Last"},
		{Kind: extract.Paragraph, Text: "49 EUR", Zone: extract.Beside},
		{Kind: extract.Heading, Level: 3, Text: "Opening hours", Zone: extract.Beside},
		{Kind: extract.Paragraph, Text: "9 to 5", Zone: extract.Beside},
	}})
	var have []string
	for _, c := range chunks {
		have = append(have, string(c.Zone)+"|"+c.Heading+"|"+c.Text)
	}
	want := []string{"|Lamp|It shines.", "|Lamp|Last", "beside||49 EUR", "beside|Opening hours|9 to 5"}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

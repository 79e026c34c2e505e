package chunk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// tableOf returns a table of rows below a header.
func tableOf(header string, rows int) string {
	var text strings.Builder
	text.WriteString(header)
	for i := range rows {
		fmt.Fprintf(&text, "\n| Dock %d | %d m | %d EUR |", i, i, i)
	}
	return text.String()
}

// TestT4TablesKeepTheirHeader checks that each chunk of a table begins with the table's header, and that the text of
// the chunks is still that of the page (T4).
func TestT4TablesKeepTheirHeader(t *testing.T) {
	const header = "| Name | Depth | Night fee |\n| --- | --- | --- |"
	for name, tc := range map[string]struct{ table, lead string }{
		"header":       {tableOf(header, 200), header},
		"no line":      {tableOf("Name | Depth | Night fee", 200), "Name | Depth | Night fee"},
		"empty header": {tableOf("|  |  |  |\n| --- | --- | --- |", 200), ""},
		"long header":  {tableOf("| "+strings.Repeat("long ", 500)+" |", 200), ""},
	} {
		blocks := []extract.Block{{Kind: extract.Paragraph, Text: "Fees."}, {Kind: extract.Table, Text: tc.table},
			{Kind: extract.Table, Text: tableOf(header, 1)}}
		chunks, _ := Split(Page{ID: "page", Blocks: blocks})
		text, begun := extract.Join(blocks), 0
		for _, c := range chunks {
			if text[c.Start:c.End] != c.Text {
				t.Errorf("%s: %q is not the text at %d", name, c.Text, c.Start)
			}
			if c.Lead != "" && c.Lead != tc.lead {
				t.Errorf("%s: lead %q", name, c.Lead)
			}
			if c.Ordinal < len(chunks)-1 && c.Kind == Table && tc.lead != "" &&
				!strings.HasPrefix(c.Searched(), tc.lead+"\n| Dock") {
				t.Errorf("%s: %.80q has no header", name, c.Searched())
			}
			if c.Lead != "" {
				begun++
			}
		}
		if (begun > 0) != (tc.lead != "") || len(chunks) < 6 {
			t.Errorf("%s: %d of %d chunks have a lead", name, begun, len(chunks))
		}
	}
}

// TestT4HeaderIsPartOfTheKey checks that the parts of a table get new keys with a new header, because they are found by
// its words.
func TestT4HeaderIsPartOfTheKey(t *testing.T) {
	last := func(header string) Chunk {
		chunks, _ := Split(Page{ID: "page", Blocks: []extract.Block{{Kind: extract.Table, Text: tableOf(header, 200)}}})
		return chunks[len(chunks)-1]
	}
	a, b := last("| Name | Depth | Fee |"), last("| Name | Depth | Tax |")
	if a.Text != b.Text || a.Key == b.Key || a.textHash() == b.textHash() {
		t.Errorf("%+v\n%+v", a, b)
	}
}

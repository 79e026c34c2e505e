package web

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
)

// gfm renders GitHub Flavored Markdown, with footnotes and definition lists.
var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList))

// frame is a page around content.
const frame = `<!doctype html><html lang="en"><head><title>Locks</title></head><body><header><nav><a href="/">Home</a>
	<a href="/news">News</a></nav></header><div class="layout"><main>%s</main><aside class="sidebar"><h2>More</h2><ul>
	<li><a href="/1">Crane</a><li><a href="/2">Quay</a></ul></aside></div><footer>Port Gazette 2026</footer></body></html>`

// drawWords draws a few words that have no special meaning in Markdown.
func drawWords(t *rapid.T) string {
	words := rapid.SliceOfN(rapid.StringMatching(`[a-zäß]{2,9}`), 1, 6).Draw(t, "words")
	return strings.Join(words, " ")
}

func drawLines(t *rapid.T, mark func(i int) string) string {
	var lines []string
	for i := range rapid.IntRange(1, 5).Draw(t, "lines") {
		lines = append(lines, mark(i)+drawWords(t))
	}
	return strings.Join(lines, "\n")
}

// drawTable draws a table in GFM form.
func drawTable(t *rapid.T) string {
	columns, rows := rapid.IntRange(1, 5).Draw(t, "columns"), rapid.IntRange(1, 5).Draw(t, "rows")
	lines := make([]string, 0, rows+2)
	for i := range rows + 2 {
		line := "|"
		for range columns {
			cell := "---"
			if i != 1 {
				cell = drawWords(t)
			}
			line += " " + cell + " |"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// drawBlock draws a block and the Markdown for it.
func drawBlock(t *rapid.T) (extract.Block, string) {
	same := func(kind extract.Kind, text string) (extract.Block, string) {
		return extract.Block{Kind: kind, Text: text}, text
	}
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		level, text := rapid.IntRange(2, 6).Draw(t, "level"), drawWords(t)
		return extract.Block{Kind: extract.Heading, Level: level, Text: text}, strings.Repeat("#", level) + " " + text
	case 1:
		return same(extract.List, drawLines(t, func(int) string { return "- " }))
	case 2:
		first := rapid.IntRange(1, 3).Draw(t, "first")
		text := drawLines(t, func(i int) string { return fmt.Sprintf("%d. ", first+i) })
		return extract.Block{Kind: extract.List, Text: text, Counted: first == 1}, text
	case 3:
		return same(extract.List, drawLines(t, func(i int) string { return strings.Repeat("  ", i) + "- " }))
	case 4:
		return same(extract.List, drawLines(t, func(i int) string { return [...]string{"- [x] ", "- [ ] "}[i%2] }))
	case 5:
		return same(extract.Table, drawTable(t))
	case 6:
		code := rapid.StringMatching("[a-z#]([a-z<>&*_ \t\n]{0,30}[a-z;])?").Draw(t, "code")
		code = blocks.TrimCode(code)
		return extract.Block{Kind: extract.Code, Text: code, Language: "go"}, "```go\n" + code + "\n```"
	case 7:
		text := drawWords(t)
		return extract.Block{Kind: extract.Quote, Text: text}, "> " + text
	case 8:
		text := drawLines(t, func(i int) string { return [...]string{"", ": "}[min(i, 1)] }) + "\n: " + drawWords(t)
		return same(extract.List, text)
	default:
		return same(extract.Paragraph, drawWords(t)+".")
	}
}

// H14: TestH14RoundTrip checks that blocks rendered to HTML, in a page with navigation around them, are read back
// unchanged.
func TestH14RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title := drawWords(t)
		want, source := []extract.Block{{Kind: extract.Heading, Level: 1, Text: title}}, "# "+title
		for range rapid.IntRange(1, 12).Draw(t, "blocks") {
			block, text := drawBlock(t)
			if last := want[len(want)-1]; last.Kind == block.Kind && block.Kind != extract.Paragraph &&
				block.Kind != extract.Code {
				continue // two lists in a row would merge
			}
			want, source = append(want, block), source+"\n\n"+text
		}
		note := drawWords(t)
		want = append(want, extract.Block{Kind: extract.Paragraph, Text: "Closed[^1]."},
			extract.Block{Kind: extract.List, Text: "[^1]: " + note})
		source += "\n\nClosed[^a].\n\n[^a]: " + note + "\n"
		var html bytes.Buffer
		if err := gfm.Convert([]byte(source), &html); err != nil {
			t.Fatal(err)
		}
		doc, err := Extract(fmt.Appendf(nil, frame, html.String()), "text/html; charset=utf-8", goldenBase, extract.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, extract.MainBlocks(doc.Blocks)); diff != "" {
			t.Fatalf("-want +have\n%s\nof\n%s", diff, source)
		}
	})
}

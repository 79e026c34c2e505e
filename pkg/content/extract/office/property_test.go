package office_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/office"
	"pgregory.net/rapid"
)

func escaped(s string) string {
	var out bytes.Buffer
	_ = xml.EscapeText(&out, []byte(s))
	return out.String()
}

// words generates text that is already folded.
func words() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := dom.Fold(rapid.String().Draw(t, "text"))
		if strings.Trim(s, " |\ufffe\uffff\ufffd") == "" || strings.ContainsAny(s, "\ufffe\uffff") {
			return "tide"
		}
		return s
	})
}

// written is a block, and the XML that Word writes for it.
type written struct {
	block extract.Block
	xml   string
}

// blocks generates blocks such that no two neighbours would merge into one.
func blocks() *rapid.Generator[written] {
	return rapid.Custom(func(t *rapid.T) written {
		switch text := words().Draw(t, "words"); rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			level := rapid.IntRange(1, 6).Draw(t, "level")
			return written{extract.Block{Kind: extract.Heading, Level: level, Text: text},
				para(fmt.Sprint("Heading", level), escaped(text))}
		case 1:
			return written{extract.Block{Kind: extract.Quote, Text: text}, para("Zitat", escaped(text))}
		case 2:
			return listBlock(rapid.SliceOfN(words(), 1, 5).Draw(t, "items"),
				rapid.SliceOfN(rapid.IntRange(0, 8), 5, 5).Draw(t, "levels"))
		case 3:
			return tableBlock(rapid.SliceOfN(rapid.SliceOfN(words(), 2, 4), 1, 4).Draw(t, "rows"))
		default:
			return written{extract.Block{Kind: extract.Paragraph, Text: text}, para("", escaped(text))}
		}
	})
}

func listBlock(items []string, levels []int) written {
	var lines, out []string
	for i, item := range items {
		lines = append(lines, strings.Repeat("  ", levels[i])+"- "+item)
		out = append(out, listed(1, levels[i], escaped(item)))
	}
	return written{extract.Block{Kind: extract.List, Text: strings.Join(lines, "\n")}, strings.Join(out, "")}
}

func tableBlock(rows [][]string) written {
	var lines []string
	out := "<w:tbl>"
	for _, row := range rows {
		lines = append(lines, strings.TrimRight(strings.Join(row, " | "), " |"))
		var cells []string
		for _, cell := range row {
			cells = append(cells, para("", escaped(cell)))
		}
		out += tr(cells...)
	}
	return written{extract.Block{Kind: extract.Table, Text: strings.Join(lines, "\n")}, out + "</w:tbl>"}
}

// TestWhatIsWrittenIsRead checks that blocks, written as Word would write them, are read back unchanged.
func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var body string
		var want []extract.Block
		for _, w := range rapid.SliceOfN(blocks(), 0, 8).Draw(rt, "blocks") {
			if n := len(want); n > 0 && want[n-1].Kind == extract.List && w.block.Kind == extract.List {
				continue
			}
			want = append(want, w.block)
			body += w.xml
		}
		doc, err := office.DOCX(pack(t, word(body, nil)), extract.Limits{})
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, doc.Blocks); diff != "" {
			rt.Errorf("-want +have\n%s", diff)
		}
	})
}

// checkDocument checks the properties of any document whose parts have that total size.
func checkDocument(t rapid.TB, read func([]byte, extract.Limits) (extract.Document, error), body []byte, size int) {
	lim := extract.Limits{MaxBytes: 10_000, MaxBlocks: 500, MaxLinks: 20}
	doc, err := read(body, lim)
	again, errAgain := read(slices.Clone(body), lim)
	if diff := cmp.Diff(doc, again); diff != "" || fmt.Sprint(err) != fmt.Sprint(errAgain) {
		t.Fatalf("the second time: %v, %v\n%s", err, errAgain, diff)
	}
	sum := 0
	for _, b := range doc.Blocks {
		sum += len(b.Text)
		if strings.TrimSpace(b.Text) == "" || !utf8.ValidString(b.Text) ||
			(b.Kind == extract.Heading) != (b.Level >= 1 && b.Level <= 6) {
			t.Errorf("impossible block %+v", b)
		}
		if folded := foldedLines(b.Text); b.Kind != extract.Code && folded != b.Text {
			t.Errorf("not folded: %q, want %q", b.Text, folded)
		}
	}
	if sum > lim.MaxBytes || sum > size || len(doc.Blocks) > lim.MaxBlocks || len(doc.Links) > lim.MaxLinks {
		t.Errorf("%d bytes in %d blocks with %d links, of %d bytes", sum, len(doc.Blocks), len(doc.Links), size)
	}
}

// foldedLines returns s with each line folded after its indentation.
func foldedLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		text := strings.TrimLeft(line, " ")
		lines[i] = line[:len(line)-len(text)] + dom.Fold(text)
	}
	return strings.Join(lines, "\n")
}

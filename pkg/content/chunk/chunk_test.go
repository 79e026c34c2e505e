package chunk

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

func heading(level int, text string) extract.Block {
	return extract.Block{Kind: extract.Heading, Level: level, Text: text}
}

func paragraph(text string) extract.Block {
	return extract.Block{Kind: extract.Paragraph, Text: text}
}

func code(text string) extract.Block { return extract.Block{Kind: extract.Code, Text: text} }

func table(text string) extract.Block { return extract.Block{Kind: extract.Table, Text: text} }

// split cuts a page and ignores collisions of names.
func split(id, title string, blocks ...extract.Block) []Chunk {
	chunks, _ := Split(Page{ID: id, Title: title, Blocks: blocks})
	return chunks
}

// show formats chunks without their names.
func show(chunks []Chunk) []string {
	var lines []string
	for _, c := range chunks {
		line := fmt.Sprintf("%d [%s] %s", c.Ordinal, c.Heading, c.Text)
		if c.Kind != Prose {
			line = string(c.Kind) + " " + line
		}
		lines = append(lines, line)
	}
	return lines
}

func TestSplit(t *testing.T) {
	long := strings.Repeat("word ", Budget-8) + "end"
	for _, tc := range []struct {
		name   string
		blocks []extract.Block
		want   []string
	}{
		{"no blocks: the title", nil, []string{"title 0 [] Title"}},
		{"paragraphs under one heading share a chunk", []extract.Block{heading(1, "A"), paragraph("one"), paragraph("two")},
			[]string{"0 [A] one\n\ntwo"}},
		{"text before the first heading", []extract.Block{paragraph("one"), heading(2, "B"), paragraph("two")},
			[]string{"0 [] one", "1 [B] two"}},
		{"path of headings, levels skipped", []extract.Block{heading(1, "A"), heading(3, "C"), paragraph("one"),
			heading(2, "B"), paragraph("two")},
			[]string{"0 [A › C] one", "1 [A › B] two"}},
		{"a heading without text is found all the same",
			[]extract.Block{heading(1, "A"), heading(2, "B"), heading(2, "C"), paragraph("one"), heading(2, "D")},
			[]string{"heading 0 [A] B", "1 [A › C] one", "heading 2 [A] D"}},
		{"a section over the budget is cut between its paragraphs",
			[]extract.Block{paragraph(long), paragraph("one two three four five six seven"), paragraph("eight")},
			[]string{"0 [] " + long, "1 [] one two three four five six seven\n\neight"}},
		{"C3: listings and tables are chunks of their own",
			[]extract.Block{paragraph("one"), code("\ta()"), paragraph("two"), table("x | y"), table("z")},
			[]string{"0 [] one", "code 1 [] \ta()", "2 [] two", "table 3 [] x | y", "table 4 [] z"}},
		{"blank blocks say nothing", []extract.Block{paragraph("  "), code("\n\n"), heading(1, " ")},
			[]string{"title 0 [] Title"}},
		{"a level that there is not", []extract.Block{heading(9, "A"), paragraph("one"), heading(-1, "B"), paragraph("two")},
			[]string{"0 [A] one", "1 [B] two"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, show(split("url_a", " Title ", tc.blocks...))); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
		})
	}
	if chunks := split("url_a", ""); len(chunks) != 0 {
		t.Errorf("nothing to say: have %v", chunks)
	}
}

// TestC3Segments checks the fields of a chunk that describe its segment.
func TestC3Segments(t *testing.T) {
	listing := code("func main() {}")
	listing.Language = "go"
	chunks, _ := Split(Page{ID: "file_a", Name: Name{Namespace, "docs/a b.md"},
		Blocks: []extract.Block{heading(1, "A"), paragraph("one"), listing, table("x | y")}})
	goUID, tableUID := segmentUID("code", "go", "func main() {}"), segmentUID("table", "", "x | y")
	want := []*Segment{
		nil,
		{UID: goUID, Type: "code", LanguageID: "go", VirtualPath: "docs/a b.md#seg:" + goUID},
		{UID: tableUID, Type: "table", VirtualPath: "docs/a b.md#seg:" + tableUID},
	}
	for i, c := range chunks {
		if diff := cmp.Diff(want[i], c.Segment); diff != "" {
			t.Errorf("chunk %d: -want +have\n%s", i, diff)
		}
		path := "docs/a b.md"
		if c.Segment != nil {
			path = c.Segment.VirtualPath
		}
		if c.VirtualPath != path || !strings.HasPrefix(string(c.UID), "ck64:v1:repo:"+path+":") || c.Name != "A" {
			t.Errorf("chunk %d: %+v, want the path %s", i, c, path)
		}
	}
	if !strings.Contains(string(chunks[1].UID), goUID+":go:") {
		t.Errorf("uid %s without the language", chunks[1].UID)
	}
	if c := split("url_a", "", paragraph("one"))[0]; c.VirtualPath != "url_a" {
		t.Errorf("without a path: %q, want the id", c.VirtualPath)
	}
}

func TestCode(t *testing.T) {
	listing := strings.Repeat("\tcall()\n", Budget/2-1)
	chunks := split("url_a", "", code(listing))
	if len(chunks) != 1 || chunks[0].Text != strings.TrimRight(listing, "\n") {
		t.Errorf("code that fits is cut: %q", show(chunks))
	}
	chunks = split("url_a", "", code(strings.Repeat(listing, 4)))
	for _, c := range chunks {
		if !strings.HasPrefix(c.Text, "\tcall()") || !strings.HasSuffix(c.Text, "call()") || c.Segment != chunks[0].Segment {
			t.Errorf("code over the budget is cut within a line, or into two segments: %q", c.Text)
		}
	}
	if len(chunks) < 4 {
		t.Errorf("have %d chunks", len(chunks))
	}
	rows := split("url_a", "", table(strings.TrimRight(strings.Repeat("Berth 4 | 6.5 m\n", 300), "\n")))
	for _, c := range rows {
		if !strings.HasPrefix(c.Text, "Berth") || !strings.HasSuffix(c.Text, "6.5 m") {
			t.Errorf("a table is cut within a row: %q", c.Text)
		}
	}
	functions := strings.Repeat("func() {\n\tone\n\ttwo\n}\n\n", 100)
	for _, c := range split("url_a", "", code(functions)) {
		if !strings.HasSuffix(c.Text, "}") {
			t.Errorf("not cut at a blank line: %q", c.Text)
		}
	}
}

func TestSentences(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"plain", "One. Two! Three? Four", "One. |Two! |Three? |Four"},
		{"abbreviation before lower case", "See e.g. the quay. Then go.", "See e.g. the quay. |Then go."},
		{"number", "It costs 2.5 million. Yes.", "It costs 2.5 million. |Yes."},
		{"Japanese", "港は閉鎖。船は戻る。", "港は閉鎖。|船は戻る。|"},
		{"lines", "a\nb", "a\n|b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var parts []string
			for part := range sentences(tc.text) {
				parts = append(parts, part)
			}
			if have := strings.Join(parts, "|"); have != tc.want {
				t.Errorf("have %q, want %q", have, tc.want)
			}
		})
	}
	for _, c := range split("url_a", "", paragraph(strings.Repeat("The lock is closed. ", 400))) {
		if !strings.HasSuffix(c.Text, "closed.") || !strings.HasPrefix(c.Text, "The") {
			t.Errorf("cut within a sentence: %q", c.Text)
		}
	}
	for _, c := range split("url_a", "", paragraph(strings.Repeat("seaweed ", 1000))) {
		if strings.Trim(strings.ReplaceAll(c.Text, "seaweed", ""), " ") != "" {
			t.Errorf("cut within a word: %q", c.Text)
		}
	}
}

// drawBlocks makes pages with repeated, blank and over-long texts.
func drawBlocks(t *rapid.T, label string) []extract.Block {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) extract.Block {
		kind := rapid.SampledFrom([]extract.Kind{extract.Heading, extract.Paragraph, extract.List, extract.Code,
			extract.Table}).Draw(t, "kind")
		words := rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "bb.", "港", "C", "d\n", "\n\n", " ", "😀", "\xff", strings.Repeat("é", 700), strings.Repeat("e f. ", 150),
			strings.Repeat("g\n", 300),
		}), 1, 12).Draw(t, "words")
		b := extract.Block{Kind: kind, Text: strings.Join(words, " ")}
		if kind == extract.Heading {
			b.Level = rapid.IntRange(1, 6).Draw(t, "level")
		}
		return b
	}), 0, 12).Draw(t, label)
}

// TestChunksAreWellFormed checks that the chunks of any page are parts of its text in order, none over the budget,
// none blank, and that together with the headings they are the whole text.
func TestChunksAreWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := drawBlocks(t, "blocks")
		if err := wellFormed(blocks); err != nil {
			t.Fatal(err)
		}
	})
}

var keyShape = regexp.MustCompile(`^[a-z][a-z0-9-]{0,59}$`)

func wellFormed(blocks []extract.Block) error {
	for i := range blocks {
		blocks[i].Text = strings.ToValidUTF8(blocks[i].Text, "\uFFFD")
	}
	text := newText(extract.Join(blocks))
	uids, keys := map[UID]bool{}, map[Key]bool{}
	var all strings.Builder
	end := 0
	for i, c := range split("url_a", "", blocks...) {
		if uids[c.UID] || keys[c.Key] || c.Ordinal != i || !keyShape.MatchString(string(c.Key)) {
			return fmt.Errorf("chunk %d: names %q and %q", i, c.UID, c.Key)
		}
		uids[c.UID], keys[c.Key] = true, true
		if c.Start < end || text.Slice(c.Start, c.End) != c.Text || strings.TrimSpace(c.Text) == "" {
			return fmt.Errorf("chunk %d: %d to %d behind %d is %.40q", i, c.Start, c.End, end, c.Text)
		}
		end = c.End
		if c.Tokens > Budget || c.Tokens != Tokens(c.Text) || len(c.Heading) > maxPath || len(c.Name) > maxPath {
			return fmt.Errorf("chunk %d: %d tokens, heading of %d bytes", i, c.Tokens, len(c.Heading))
		}
		if !utf8.ValidString(c.Heading) || !utf8.ValidString(string(c.UID)) {
			return fmt.Errorf("chunk %d: not UTF-8", i)
		}
		if c.Kind != Heading && c.Kind != Title {
			all.WriteString(c.Text)
		}
	}
	return covered(blocks, all.String())
}

// covered compares all text that is not blank, except headings.
func covered(blocks []extract.Block, have string) error {
	var want strings.Builder
	for _, b := range blocks {
		if b.Kind != extract.Heading {
			want.WriteString(b.Text)
		}
	}
	if folded(want.String()) != folded(have) {
		return fmt.Errorf("the chunks hold %d bytes of %d", len(folded(have)), len(folded(want.String())))
	}
	return nil
}

func folded(s string) string { return strings.Join(strings.Fields(s), "") }

func FuzzSplit(f *testing.F) {
	f.Add("one\n\ntwo. Three", "a()\n", "x | y", 3)
	f.Add(strings.Repeat("港は閉鎖。", 200), strings.Repeat("x", 3000), "\xff\r\n😀", 40)
	f.Fuzz(func(t *testing.T, prose, listing, rows string, times int) {
		var blocks []extract.Block
		for i := range min(max(times, 0), 50) {
			blocks = append(blocks, []extract.Block{paragraph(prose), code(listing), heading(i%7, rows), table(rows),
				paragraph(listing)}[i%5])
		}
		if err := wellFormed(blocks); err != nil {
			t.Fatal(err)
		}
	})
}

// TestLongHeadings checks that a page with very long headings takes time linear in its length, and that all of its
// words are found.
func TestLongHeadings(t *testing.T) {
	essay := strings.Repeat("All about the lock. ", 400)
	chunks := split("url_a", "", heading(1, essay), heading(1, "B"), paragraph("one"))
	for _, c := range chunks[:len(chunks)-1] {
		if c.Kind != Heading || c.Heading != "" || len(c.Name) > maxPath || c.Tokens > Budget {
			t.Errorf("have %+v", c)
		}
	}
	if len(chunks) < 4 {
		t.Errorf("have %d chunks", len(chunks))
	}
}

// TestBlanksAreBounded checks that a chunk is bounded in bytes although blanks are no tokens.
func TestBlanksAreBounded(t *testing.T) {
	const most = 100 << 10
	for name, blanks := range map[string]string{"spaces": strings.Repeat(" ", 1<<20), "tabs": strings.Repeat("\t", 1<<20),
		"lines": strings.Repeat("\n", 1<<20), "no-break spaces": strings.Repeat("\u00a0", 1<<20)} {
		for text, want := range map[string]int{
			"ebb" + blanks + "flow": 2, strings.Repeat("ebb"+blanks[:1<<10]+"\n", 600): 25,
			strings.Repeat("ebb"+blanks[:120]+"\n", 600): 3,
		} {
			chunks, _ := Split(Page{ID: "p", Blocks: []extract.Block{{Kind: extract.Code, Text: text}}})
			words := 0
			for _, c := range chunks {
				words += len(strings.Fields(c.Text))
				if len(c.Text) > most {
					t.Errorf("%s: a chunk of %d bytes", name, len(c.Text))
				}
			}
			if len(chunks) < want || words != len(strings.Fields(text)) {
				t.Errorf("%s: %d chunks of %d words", name, len(chunks), words)
			}
		}
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, " \n": 0, "a": 1, "harbor": 1, "harbors": 2, "harbor harbors": 3, "2026": 2, "it's": 3, "((((": 1,
		"港は閉鎖": 4, "größer": 2, "😀": 2, "a1b2": 4,
	} {
		if have := Tokens(text); have != want {
			t.Errorf("%q: have %d, want %d", text, have, want)
		}
	}
}

// TestTokensAdd checks that parts separated by a blank have as many tokens as the whole, and other parts at least as
// many.
func TestTokensAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		if sum := Tokens(a) + Tokens(b); Tokens(a+" "+b) != sum || Tokens(a+b) > sum {
			t.Fatalf("%d and %d, joined %d, run together %d", Tokens(a), Tokens(b), Tokens(a+" "+b), Tokens(a+b))
		}
	})
}

// TestJ4Anchors checks that a chunk has the anchor of the innermost heading with one, and that an anchor changes
// nothing else.
func TestJ4Anchors(t *testing.T) {
	at := func(b extract.Block, anchor string) extract.Block {
		b.Anchor = anchor
		return b
	}
	anchored := []extract.Block{paragraph("zero"), at(heading(1, "A"), "a"), paragraph("one"), at(heading(2, "B"), "b"),
		code("two"), heading(3, "C"), paragraph("three"), heading(2, "D"), paragraph("four"), at(heading(2, "E"), "e"),
		at(paragraph("term"), "t"), heading(1, "F"), paragraph("six"), code("cut"), at(paragraph("a term"), "u")}
	chunks := split("url_a", "", anchored...)
	var have []string
	for _, c := range chunks {
		have = append(have, c.Text+" #"+c.Anchor)
	}
	want := []string{"zero #", "one #a", "two #b", "three #b", "four #a", "term #t", "six #", "cut #", "a term #u"}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
	for i, b := range anchored {
		anchored[i] = at(b, "")
	}
	for i, c := range split("url_a", "", anchored...) {
		if c.Anchor = chunks[i].Anchor; !cmp.Equal(c, chunks[i]) {
			t.Errorf("without anchors: %s", cmp.Diff(chunks[i], c))
		}
	}
}

package pdf

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"a broken word is joined", "docu\u0002mentation", "documentation"},
		{"the other mark", "docu\ufffementation", "documentation"},
		{"capitals keep their hyphen", "US\u0002ascii", "US-ascii"},
		{"one letter keeps its hyphen", "e\u0002mail", "e-mail"},
		{"a name keeps its hyphen", "Franco\u0002German", "Franco-German"},
		{"numbers keep theirs", "10\u000212", "10-12"},
		{"a hyphen at the end stays", "Hafen\u0002", "Hafen-"},
		{"spaces are folded", " a \t b\u00a0 ", "a b"},
		{"soft hyphens and controls go", "a\u00adb\u0001c\ufeff", "abc"},
	} {
		if got := clean(c.raw); got != c.want {
			t.Errorf("%s: have %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "docu\u0002mentation", " \u0002 ", "a\xff\ufffe", "\u0002\u0002a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got := clean(raw)
		if !utf8.ValidString(got) || got != strings.Join(strings.Fields(got), " ") ||
			strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("clean(%q) = %q", raw, got)
		}
		if again := clean(got); again != got {
			t.Errorf("clean(%q) = %q", got, again)
		}
	})
}

func TestJoin(t *testing.T) {
	for _, c := range []struct{ text, next, want string }{
		{"one", "two", "one two"},
		{"well-", "known", "well-known"},
		{"North-", "South", "North- South"},
		{"海の", "潮汐", "海の潮汐"},
		{"see –", "there", "see – there"},
	} {
		if got := join(c.text, c.next); got != c.want {
			t.Errorf("join(%q, %q) = %q, want %q", c.text, c.next, got, c.want)
		}
	}
}

func TestRunningHeads(t *testing.T) {
	page := func(n int, texts ...string) (lines []line) {
		for _, text := range texts {
			lines = append(lines, line{page: n, text: text})
		}
		return lines
	}
	for _, c := range []struct {
		name  string
		lines func(n int) []line
		want  int // lines that remain, out of 4 pages
	}{
		{"the same head", func(n int) []line { return page(n, "Almanac", fmt.Sprint("body ", n*7)) }, 4},
		{"page numbers, counted from elsewhere",
			func(n int) []line { return page(n, fmt.Sprint("body ", n*7), fmt.Sprint(n+13)) }, 4},
		{"a section and the page",
			func(n int) []line { return page(n, fmt.Sprint("body ", n*7), fmt.Sprintf("§%c %d", 'A'+n, n+1)) }, 4},
		{"page of pages", func(n int) []line { return page(n, fmt.Sprint("body ", n*7), fmt.Sprintf("Page %d of 4", n+1)) },
			4},
		{"roman numbers", func(n int) []line {
			return page(n, fmt.Sprint("body ", n*7), []string{"iii", "iv", "v", "vi"}[n])
		}, 4},
		{"a sum on each page is content",
			func(n int) []line { return page(n, fmt.Sprint("body ", n*7), fmt.Sprintf("Total %d EUR", 100*n*n)) }, 8},
		{"on two pages only", func(n int) []line {
			return page(n, []string{"Almanac", "Almanac", "x", "y"}[n], fmt.Sprint("body ", n*7))
		}, 8},
	} {
		var lines []line
		for n := range 4 {
			lines = append(lines, c.lines(n)...)
		}
		findRunningLines(lines)
		remain := 0
		for _, l := range lines {
			if !l.running {
				remain++
			}
		}
		if remain != c.want {
			t.Errorf("%s: %d lines remain, want %d: %+v", c.name, remain, c.want, lines)
		}
	}
}

// at makes a line in 10-point type, in a column 200 points wide.
// TestRepeatedSentences checks that a sentence that is the same on several pages stays, and that a footer that is a
// sentence goes.
func TestRepeatedSentences(t *testing.T) {
	var lines []line
	for page := range 6 {
		for i, text := range []string{"Harbour rules", fmt.Sprintf("Chapter %c begins with this", 'a'+page),
			fmt.Sprintf("and goes on with %c.", 'a'+page), "Ask the harbour master if in doubt.",
			"All rights of it are reserved."} {
			l := at(50, []float64{800, 700, 688, 676, 40}[i], text)
			l.page, l.size = page, 10
			lines = append(lines, l)
		}
	}
	findRunningLines(lines)
	for i, l := range lines {
		if want := i%5 == 0 || i%5 == 4; l.running != want {
			t.Errorf("page %d: %q: running %v", l.page, l.text, l.running)
		}
	}
}

func at(x, y float64, text string) line {
	return line{text: text, size: 10, x: x, y: y, endX: x + 5*float64(len(text)), endY: y}
}

func TestParagraphs(t *testing.T) {
	full := "forty letters make a line of this column"
	for _, c := range []struct {
		name  string
		lines []line
		want  []string
	}{
		{"lines are joined", []line{at(0, 100, full), at(0, 88, full)}, []string{full + " " + full}},
		{"a gap parts them", []line{at(0, 100, full), at(0, 88, full), at(0, 60, "x")}, []string{full + " " + full, "x"}},
		{"an indent after a full stop", []line{at(0, 100, full), at(0, 88, "the end."), at(12, 76, "Next")},
			[]string{full + " the end.", "Next"}},
		{"only the first line is indented", []line{at(12, 100, full), at(0, 88, full)}, []string{full + " " + full}},
		{"hanging indents", []line{at(0, 100, full), at(12, 88, "b"), at(0, 76, "c")}, []string{full + " b", "c"}},
		{"a short last line", []line{at(0, 100, full), at(0, 88, "the end."), at(0, 76, full)},
			[]string{full + " the end.", full}},
		{"on in the next column", []line{at(0, 88, full), at(220, 700, "goes on")}, []string{full + " goes on"}},
		{"a new one in the next column", []line{at(0, 88, "the end."), at(220, 700, "goes on")},
			[]string{"the end.", "goes on"}},
		{"lines of a list of prices", []line{at(0, 100, "Prices 2026"), at(0, 88, "Rope 6 EUR"),
			at(0, 76, "Storm lamp with a hook of brass 79 EUR"), at(0, 64, "Oil 4 EUR")},
			[]string{"Prices 2026", "Rope 6 EUR", "Storm lamp with a hook of brass 79 EUR", "Oil 4 EUR"}},
		{"rows whose numbers stand below each other", []line{at(0, 100, "Thing      Price"), at(0, 88, "Anchor     89.00"),
			at(0, 76, "Storm lamp 79.00")}, []string{"Thing      Price", "Anchor     89.00", "Storm lamp 79.00"}},
		{"a ragged edge", []line{at(0, 100, full), at(0, 88, full[:33]+"Harbour"), at(0, 76, "Masters meet here"),
			at(0, 64, "at noon")}, []string{full + " " + full[:33] + "Harbour Masters meet here at noon"}},
		{"another size", []line{at(0, 100, full), {text: "note", size: 8, y: 88, endY: 88}}, []string{full, "note"}},
	} {
		var got []string
		for _, b := range assemble(c.lines) {
			got = append(got, b.Text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: want -, have +:\n%s", c.name, diff)
		}
	}
}

// TestTitleOfLines checks that a document without headings is called by its first line, if that stands alone and is no
// sentence.
func TestTitleOfLines(t *testing.T) {
	for want, lines := range map[string][]line{
		"Prices 2026": {at(0, 100, "Prices 2026"), at(0, 88, "Rope 6 EUR"), at(0, 76, "Storm lamp with a hook 79 EUR")},
		"":            {at(0, 100, "We sell rope."), at(0, 60, "Rope 6 EUR")},
	} {
		if have := firstLine(lines, assemble(lines)); have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
}

func TestHeadingsBySize(t *testing.T) {
	big := func(y float64, text string) line { return line{text: text, size: 16, y: y, endY: y} }
	lines := []line{big(200, "A title that takes"), big(182, "two lines"),
		at(0, 160, "and text of which there is more than of headings"), at(0, 148, "goes on"), big(120, "Another")}
	findSizeHeadings(lines)
	want := []extract.Block{
		{Kind: extract.Heading, Level: 1, Text: "A title that takes two lines"},
		{Kind: extract.Paragraph, Text: "and text of which there is more than of headings goes on"},
		{Kind: extract.Heading, Level: 1, Text: "Another"},
	}
	if diff := cmp.Diff(want, assemble(lines)); diff != "" {
		t.Errorf("want -, have +:\n%s", diff)
	}
}

func TestMatchOutline(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  int
	}{
		{"as it stands", []string{"Sea walls"}, 1},
		{"with a number", []string{"2.1 Sea Walls"}, 1},
		{"over two lines", []string{"Sea", "walls", "and text"}, 2},
		{"another", []string{"Sea walls and dykes"}, 0},
	} {
		var lines []line
		for _, text := range c.lines {
			lines = append(lines, line{text: text})
		}
		if got := match(lines, []bookmark{{key: headingKey("Sea walls"), level: 2}}); got != c.want {
			t.Errorf("%s: %d lines match, want %d", c.name, got, c.want)
		}
	}
}

// TestNothingIsLost checks that the blocks contain the letters of all lines in order, whatever the layout.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.Custom(func(t *rapid.T) line {
			return line{
				page: rapid.IntRange(0, 2).Draw(t, "page"), text: rapid.StringMatching(`[a-zA-Z.海-]{1,12}`).Draw(t, "text"),
				size: rapid.Float64Range(0, 20).Draw(t, "size"), x: rapid.Float64Range(-10, 300).Draw(t, "x"),
				y: rapid.Float64Range(-10, 800).Draw(t, "y"), field: rapid.Bool().Draw(t, "field"),
			}
		})).Draw(t, "lines")
		findSizeHeadings(lines)
		var in, out strings.Builder
		for _, l := range lines {
			in.WriteString(letters(l.text))
		}
		for _, b := range assemble(lines) {
			if strings.TrimSpace(b.Text) == "" {
				t.Fatalf("an empty block of %v", lines)
			}
			out.WriteString(letters(b.Text))
		}
		if in.String() != out.String() {
			t.Fatalf("have %q, want %q", out.String(), in.String())
		}
	})
}

func letters(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) {
			return c
		}
		return -1
	}, s)
}

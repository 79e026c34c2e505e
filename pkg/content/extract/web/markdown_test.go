package web

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// TestA17Markdown reads a document with every element of Markdown.
func TestA17Markdown(t *testing.T) {
	body, err := os.ReadFile("testdata/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := extractAs(t, "text/markdown; charset=utf-8", string(body))
	want := extract.Document{
		MimeType: "text/markdown", Charset: "utf-8", Title: "Locks: a guide", Language: "en", LanguageDetected: true,
		Text: doc.Text, VisibleText: doc.VisibleText,
		Blocks: []extract.Block{
			{Kind: extract.Heading, Level: 1, Text: "The locks"},
			{Kind: extract.Paragraph, Text: "Ships of more than 90 m use berth 7, see the plan or https://port.example/x."},
			{Kind: extract.List, Text: "- [x] call the lock\n- [ ] wait\n  - on channel 12\n  - or by light"},
			{Kind: extract.List, Text: "1. in\n2. out", Counted: true},
			{Kind: extract.Heading, Level: 2, Text: "Depths"},
			{Kind: extract.Table, Text: "| Berth | Depth |\n| --- | --- |\n| 4 | 6.5 m |\n| 7 | 11 m |"},
			{Kind: extract.Code, Text: "locks:\n  north: {depth: 6.5}", Language: "yaml"},
			{Kind: extract.Quote, Text: "Nobody waits long."},
			{Kind: extract.Paragraph, Text: "Written in HTML, and kept: sidebar."},
		},
		Metadata: extract.Metadata{Published: time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)},
		Links: []extract.Link{{URL: "https://port.example/news/plan.md", Text: "the plan"},
			{URL: "https://port.example/map", Text: ""}},
		Images: []extract.Image{{URL: at + "quay.jpg", Alt: "The quay", Title: "North quay"}},
	}
	if diff := cmp.Diff(want.Blocks, doc.Blocks); diff != "" {
		t.Errorf("blocks: -want +have\n%s", diff)
	}
	want.Blocks, doc.Blocks = nil, nil
	if diff := cmp.Diff(want, doc); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
}

func TestFrontMatter(t *testing.T) {
	for _, tc := range []struct{ name, text, title, body string }{
		{"plain", "---\ntitle: Locks # not this\ndate: 2026-11-03\n---\nx", "Locks", "x"},
		{"double quotes", "---\ntitle: \"Locks: \\\"a\\\" \\u00fc\"\n---\nx", `Locks: "a" ü`, "x"},
		{"single quotes", "---\ntitle: 'Ana''s locks'\n---\nx", "Ana's locks", "x"},
		{"block scalar", "---\ntitle: >\n  Locks\n---\nx", "Locks", "x"},
		{"empty", "---\ntitle:\n---\nx", "", "x"},
		{"title of something else", "---\nauthor:\n  title: Dr\n---\nx", "", "x"},
		{"a rule is none", "---\nx", "", "---\nx"},
		{"none", "# x", "", "# x"},
		{"one quote", "---\ntitle: \"\n---\nx", "", "x"},
		{"TOML", "+++\ntitle = \"Locks\" # x\n[extra]\ntitle = \"no\"\n+++\nx", "Locks", "x"},
		{"TOML, literal", "+++\ntitle = 'a \\b'\n+++\nx", `a \b`, "x"},
		{"not closed", "+++\ntitle = 1\nx", "", "+++\ntitle = 1\nx"},
		{"empty header", "---\n---\nx", "", "x"},
		{"ends with dots", "---\ntitle: a\n...\nx", "a", "x"},
		{"ends with the file", "---\ntitle: a\n---", "a", ""},
		{"byte order mark", "\ufeff---\ntitle: a\n---\nx", "a", "x"},
		{"too long", "---\ntitle: a\n" + strings.Repeat("b: c\n", 20_000) + "---\nx", "", "---\ntitle: a\n" +
			strings.Repeat("b: c\n", 20_000) + "---\nx"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			front, body := frontMatter(tc.text)
			if title := front.title; title != tc.title || body != tc.body {
				t.Errorf("have %q and %.40q, want %q and %.40q", title, body, tc.title, tc.body)
			}
		})
	}
}

// A17: TestA17FrontMatterGivesDateAndAuthor checks the forms in which headers of Markdown give them.
func TestA17FrontMatterGivesDateAndAuthor(t *testing.T) {
	for text, want := range map[string]string{
		"---\ndate: 2024-03-05\nauthor: Ann Ray\n---\nx":                        "2024-03-05 Ann Ray",
		"---\npubDate: \"March 5, 2024\"\nauthors: [Ann Ray, 'Bo Lee']\n---\nx": "2024-03-05 Ann Ray, Bo Lee",
		"---\nauthors:\n  - Ann Ray\n  - Bo Lee\n---\nx":                        "- Ann Ray, Bo Lee",
		"---\nauthors:\n- name: Ann Ray\n  url: https://a.example\n---\nx":      "- Ann Ray",
		"---\nauthor:\n  name: Ann Ray\n---\nx":                                 "- Ann Ray",
		"---\nauthor: {name: Ann Ray, email: x}\n---\nx":                        "- Ann Ray",
		"+++\ndate = 2024-03-05T10:00:00Z\nauthor = \"Ann Ray\"\n+++\nx":        "2024-03-05 Ann Ray",
		"+++\nauthors = [\"Ann Ray\", \"Bo Lee\"]\n+++\nx":                      "- Ann Ray, Bo Lee",
		"+++\n[author]\nname = \"Ann Ray\"\n+++\nx":                             "- Ann Ray",
		"---\ndate: soon\n---\nx":                                               "- ",
	} {
		m := extractAs(t, "text/markdown", text).Metadata
		day := "-"
		if !m.Published.IsZero() {
			day = m.Published.Format("2006-01-02")
		}
		if have := day + " " + m.Author; have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

func TestMarkdownTitles(t *testing.T) {
	for text, want := range map[string]string{"# A\n\n# B": "A", "text\n\nA\n===\n": "A", "## Only this": "",
		"---\ntitle: T\n---\n# A": "T"} {
		if have := extractAs(t, "text/markdown", text).Title; have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

// TestRoughMarkdown checks that a text for which the parser would need seconds, or a stack of a gigabyte, is read as
// plain text.
func TestRoughMarkdown(t *testing.T) {
	for _, tc := range []struct{ name, text string }{
		{"nested quotes", strings.Repeat(">", 31)},
		{"nested quotes with blanks", strings.Repeat("> ", 31)},
		{"nested lists", strings.Repeat("- ", 31)},
		{"nested numbers", strings.Repeat("1. ", 31)},
		{"nesting by indentation", strings.Repeat(" ", 101) + "- a"},
		{"open links", strings.Repeat("[a](", 10_000)},
		{"open brackets on many lines", strings.Repeat("[\n", 20_000)},
		{"open brackets where no item can begin", strings.Repeat("    - [\n", 10_000)},
		{"emphasis", strings.Repeat("*a **a ", 5_000)},
		{"wide and long table", strings.Repeat("|a", 1000) + "\n" + strings.Repeat("|-", 1000) + "\n" +
			strings.Repeat("|\n", 1000)},
		{"too long", strings.Repeat("word ", 200_000)},
		{"too many lines", strings.Repeat("w\n\n", 30_000)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := extractAs(t, "text/markdown", tc.text)
			if !doc.Flat || doc.Text == "" {
				t.Errorf("flat=%v, %d bytes of text", doc.Flat, len(doc.Text))
			}
		})
	}
}

// TestPlainSailing checks that long documents of the usual kinds are read as Markdown.
func TestPlainSailing(t *testing.T) {
	var changes, table strings.Builder
	table.WriteString("|a|b|c|d|\n|-|-|-|-|\n")
	for i := range 4000 {
		fmt.Fprintf(&changes, "- Fixed [#%d](https://port.example/i/%d), *thanks* to [@ana](https://port.example/ana)\n", i,
			i)
		fmt.Fprintf(&table, "| [a%d](x) | b | c | d |\n", i%100)
		if i%40 == 0 {
			table.WriteString("\n|a|b|c|d|\n|-|-|-|-|\n")
		}
	}
	for name, text := range map[string]string{"changelog": changes.String(), "tables": table.String()} {
		if doc := extractAs(t, "text/markdown", text); doc.Flat {
			t.Errorf("%s is read as plain text", name)
		}
	}
}

// TestMarkdownAmplification checks a text with one long address and many references to it.
func TestMarkdownAmplification(t *testing.T) {
	text := "[a]: /" + strings.Repeat("x", 60_000) + "\n\n" + strings.Repeat("[a]\n\n", 2000)
	if doc := extractAs(t, "text/markdown", text); !doc.Flat || !strings.Contains(doc.Text, "[a]") {
		t.Errorf("flat=%v", doc.Flat)
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"", "# a\n\n- b\n  - c\n", "|a|b|\n|-|-|\n|c|", "---\ntitle: \"x\n---\n", "> - ```\n> a",
		"[a]: b 'c'\n\n![a][]", "<div>\n<table>", "~~a~~ **b _c_**",
		"a\n===\n\n\tcode\n", "<!-- a", "&#0;\\\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { checkPromises(t, body, "text/markdown") })
}

package web_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// written is a document with blocks of each kind.
var written = []extract.Block{
	{Kind: extract.Heading, Level: 1, Text: "Halls"},
	{Kind: extract.Paragraph, Text: "Let by the council.\nAsk a week before."},
	{Kind: extract.Heading, Level: 3, Text: "Fees"},
	{Kind: extract.Table, Text: "Hall | Time | Fee\nGreat Hall | 19:30 | 42 EUR\n | 20:30 | 50 EUR\nBarn\n | | 8 EUR"},
	{Kind: extract.Table, Text: "| Key | Value |\n| --- | --- |\n| a \\| b | 7 |\n|  | 9 |"},
	{Kind: extract.Table, Text: "Only\ncolumn"},
	{Kind: extract.Heading, Level: 2, Text: "Rules"},
	{Kind: extract.List, Text: "- Doors\n  - Open: 9\n  - Shut: 18\n- Keys\n    1. First\n2. Second\n[^1]: A note"},
	{Kind: extract.Code, Text: "if open {\n\n\tenter()\n}"},
	{Kind: extract.Quote, Text: "Be kind.\nThe mayor"},
}

// part returns the text of what rules find in a document of blocks.
func part(t *testing.T, doc extract.Document, spec watch.Spec) (string, extract.Document) {
	t.Helper()
	rules, err := watch.Compile(spec)
	if err != nil {
		t.Fatal(err)
	}
	w, why := web.WrittenOf(doc)
	if why != "" {
		t.Fatal(why)
	}
	out, _, err := w.Part(rules)
	if err != nil {
		return err.Error(), out
	}
	return out.Text, out
}

func blocksOf(blocks []extract.Block) extract.Document {
	return extract.Document{MimeType: "application/pdf", Blocks: blocks, Text: extract.Join(blocks)}
}

// W36: TestW36Selectors checks which parts of a document selectors find, and that a part has the lines as they were
// read.
func TestW36Selectors(t *testing.T) {
	for selector, want := range map[string]string{
		`tr:named("Great Hall")`:                          "Great Hall | 19:30 | 42 EUR",
		`tr:named("Great Hall") td:column("Fee")`:         "42 EUR",
		`tr:named("20:30")`:                               " | 20:30 | 50 EUR",
		`td:column("Fee")`:                                "42 EUR\n50 EUR\n8 EUR",
		`tr:named("a | b") td:column("Value")`:            "7",
		`section:named("Fees") p`:                         "",
		`table:under("Fees") tr:named("Barn")`:            "Barn",
		`section:named("Fees") > h3`:                      "Fees",
		`p:named("Let by the council.")`:                  "",
		`body > section > p`:                              "Let by the council.\nAsk a week before.",
		`li:named("Open")`:                                "  - Open: 9",
		`ul:under("Rules") > li:named("Doors")`:           "- Doors\n  - Open: 9\n  - Shut: 18",
		`li:named("First")`:                               "    1. First",
		`pre`:                                             "if open {\n\n\tenter()\n}",
		`pre > div:named("enter()")`:                      "\tenter()",
		`blockquote p:last-child`:                         "The mayor",
		`section:named("Halls") > section:named("Rules")`: extract.Join(written[6:]),
		`$.a`: "this is not JSON, and a JSONPath finds values in JSON: use a CSS selector",
	} {
		if have, _ := part(t, blocksOf(written), watch.Spec{Include: []string{selector}}); have != want {
			t.Errorf("%s: %q, want %q", selector, have, want)
		}
	}
	for selector, want := range map[string]string{
		`section:named("Rules"), table, h3`: "Halls\n\nLet by the council.\nAsk a week before.",
		`:column("Time"), :column("Value"), section:named("Rules"), p, section > table:last-of-type`: "Halls\n\nFees\n\nHall | Time | Fee\n" +
			"Great Hall | 42 EUR\n50 EUR\nBarn\n | | 8 EUR\n\n| Key | Value |\n| --- | --- |\na \\| b",
		`li:named("Doors"), pre, table, section:named("Fees"), p`: "Halls\n\nRules\n\n- Keys\n    1. First\n2. Second\n" +
			"[^1]: A note",
	} {
		if have, _ := part(t, blocksOf(written), watch.Spec{Exclude: []string{selector}}); have != want {
			t.Errorf("without %s: %q, want %q", selector, have, want)
		}
	}
}

// W36: TestW36SameText checks that what no selector leaves out of a document is the same: its blocks and its hashes.
func TestW36SameText(t *testing.T) {
	docs := map[string]extract.Document{"blocks": blocksOf(written)}
	for _, pattern := range []string{"*.md", "*.txt", "*.csv", "*.xml", "*.ics"} {
		names, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			body, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := web.Extract(body, "", "https://port.example/"+filepath.Base(name), extract.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			docs[name] = doc
		}
	}
	for name, doc := range docs {
		_, have := part(t, doc, watch.Spec{Exclude: []string{"nav"}})
		if diff := cmp.Diff(doc.Blocks, have.Blocks); diff != "" || have.Hashes() != doc.Hashes() {
			t.Errorf("%s: %s", name, diff)
		}
		rules, err := watch.Compile(watch.Spec{Include: []string{"body"}})
		if err != nil {
			t.Fatal(err)
		}
		w, _ := web.WrittenOf(doc)
		for i, line := range strings.Split(doc.Text, "\n") {
			if letters := strings.Trim(line, " |-:"); len(w.Marked(rules)[i]) == 0 && letters != "" {
				t.Errorf("%s: nothing of line %d is marked: %q", name, i, line)
			}
		}
	}
	if len(docs) < 5 {
		t.Errorf("only %d documents", len(docs))
	}
}

// W36: TestW36NoForm checks that a document without a form of a page says why.
func TestW36NoForm(t *testing.T) {
	large := extract.Block{Kind: extract.Table, Text: strings.TrimSpace(strings.Repeat("a | b | c\n", 100_000))}
	for want, doc := range map[string]extract.Document{
		"no text is read":     {MimeType: "image/png"},
		"too many":            {MimeType: "text/csv", Blocks: slices.Repeat([]extract.Block{large}, 2)},
		"that can be parsed":  {MimeType: "text/html", Blocks: written},
		"need a web page or ": {MimeType: "application/json", Blocks: written},
	} {
		if w, why := web.WrittenOf(doc); w.Root != nil || !strings.Contains(why, want) {
			t.Errorf("%s: %q", want, why)
		}
	}
}

package extract

import "testing"

// TestJ6Markdown checks that headings and code are written with their syntax, that code cannot end its fence, and
// that text that looks like syntax is escaped.
func TestJ6Markdown(t *testing.T) {
	have := Markdown([]Block{
		{Kind: Heading, Level: 2, Text: "Tide\ntables"}, {Kind: Paragraph, Text: "# no heading\n``` no code"},
		{Kind: Code, Language: "go", Text: "a := `x`\n```\n\tb()"}, {Kind: Quote, Text: "one\ntwo"},
		{Kind: List, Text: "- a\n- b"}, {Kind: Table, Text: "| a |\n| - |"},
	})
	want := "## Tide tables\n\n\\# no heading\n\\``` no code\n\n````go\na := `x`\n```\n\tb()\n````\n\n> one\n> two\n\n" +
		"- a\n- b\n\n| a |\n| - |"
	if have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
}

package form

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/goldentest"
)

// TestP1EveryFieldIsDocumented checks that docs/channels.md has every field of every service (P1).
func TestP1EveryFieldIsDocumented(t *testing.T) {
	const begin, end = "## Services\n\n", "## Addresses in settings\n"
	path := filepath.Join("..", "..", "..", "docs", "channels.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no section for the tables", path)
	}
	goldentest.Compare(t, path, before+begin+fieldTables()+end+after)
}

// fieldTables returns the tables of docs/channels.md: all fields of all services.
func fieldTables() string {
	var out strings.Builder
	for _, s := range Services() {
		fmt.Fprintf(&out, "### %s (`%s`)\n\n%s\n\n", s.Label, s.Kind, wrapped(s.Help))
		out.WriteString("| field | in the form | meaning |\n|---|---|---|\n")
		for _, f := range s.Fields {
			fmt.Fprintf(&out, "| `%s` | %s | %s |\n", f.Name, f.Label, meaning(f))
		}
		out.WriteString("\n")
	}
	return out.String()
}

// meaning describes a field in one line.
func meaning(f Field) string {
	var out []string
	add := func(text string) {
		if text != "" {
			out = append(out, text)
		}
	}
	switch {
	case f.Secret && f.Optional:
		add("secret, optional")
	case f.Secret:
		add("secret")
	case f.Optional:
		add("optional")
	}
	add(f.Help)
	var choices []string
	for _, c := range f.Choices {
		choices = append(choices, strings.TrimPrefix("`"+c.Value+"`: "+c.Text, "``: "))
	}
	add(strings.Join(choices, "; "))
	if f.Default != "" {
		add("`" + f.Default + "` if empty")
	}
	if f.Example != "" {
		add("such as `" + f.Example + "`")
	}
	return strings.ReplaceAll(strings.Join(out, "; "), "|", `\|`)
}

// wrapped breaks a text into lines of at most 120 characters.
func wrapped(text string) string {
	var out strings.Builder
	size := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case size == 0:
		case size+1+n > 120:
			out.WriteString("\n")
			size = 0
		default:
			out.WriteString(" ")
			size++
		}
		out.WriteString(word)
		size += n
	}
	return out.String()
}

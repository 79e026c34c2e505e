package openapitest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/goldentest"
	"github.com/tidemark/tidemark/pkg/form"
)

// TestSettingsInDocsAreCurrent checks that docs/api.md lists what can be set of an item and of a tag, as it is
// described (V1).
func TestSettingsInDocsAreCurrent(t *testing.T) {
	file := filepath.Join(top, "docs", "api.md")
	page, err := os.ReadFile(file)
	must(t, err)
	const begin, end = "## Settings of items and tags\n", "## All routes\n"
	before, rest, found := strings.Cut(string(page), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no section for the settings", file)
	}
	goldentest.Compare(t, file, before+begin+settingsTable()+end+after)
}

// settingsTable lists the settings of an item. A tag has the same, but for those of folders and of the item alone.
func settingsTable() string {
	var b strings.Builder
	b.WriteString("\nRequests change them by JSON Merge Patch (RFC 7396). An object in the table stands before its " +
		"parts. Tags have\nthose that are not marked.\n\n| setting | flag | in words | meaning |\n|---|---|---|---|\n")
	for _, f := range form.Of[api.ItemSettings]().Fields {
		_, ofTags := form.Of[api.TagSettings]().Field(f.Path)
		name, flag, meaning := "`"+f.Path+"`", "", f.Help
		if !ofTags {
			name += " (items)"
		}
		if f.Flag != "" {
			flag = "`" + strings.TrimSpace("--"+f.Flag+" "+f.Argument) + "`"
		}
		var values []string
		for _, c := range f.Choices {
			values = append(values, "`"+c.Value+"`")
		}
		if len(values) > 0 {
			meaning += "; " + strings.Join(values, ", ")
		}
		if f.Max > 0 {
			meaning += fmt.Sprintf("; %d to %d", f.Min, f.Max)
		}
		if f.Most > 0 {
			meaning += fmt.Sprintf("; at most %d", f.Most)
		}
		if f.Default != "" {
			meaning += "; `" + f.Default + "` by default"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, flag, cmp.Or(f.Label, "–"), strings.ReplaceAll(meaning, "|", `\|`))
	}
	return b.String() + "\n"
}

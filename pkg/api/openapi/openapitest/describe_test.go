package openapitest

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
	"github.com/tidemark/tidemark/pkg/base/goldentest"
	"github.com/tidemark/tidemark/pkg/form"
)

const top = "../../../.."

// TestDocumentIsCurrent checks that the committed document equals the one built from the types, comments and
// conversations.
func TestDocumentIsCurrent(t *testing.T) {
	have, err := Build(top)
	must(t, err)
	goldentest.Compare(t, filepath.Join("..", "openapi.json"), string(have))
}

// TestHelpIsCurrent checks that the help texts of settings equal the comments of package api.
func TestHelpIsCurrent(t *testing.T) {
	words, err := readComments(filepath.Join(top, "pkg", "api"))
	must(t, err)
	help := map[string]string{}
	for _, of := range settings {
		for f := range of.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if text := words.prose(words.fields[of.Name()][f.Name], jsonNames(of)); text != "" && name != "" {
				help[of.Name()+"."+name] = strings.ReplaceAll(text, "`", "")
			}
		}
	}
	have, err := encode(help)
	must(t, err)
	file := filepath.Join(top, "pkg", "form", "help.json")
	goldentest.Compare(t, file, string(have))
}

// settings are the types whose fields people set.
var settings = []reflect.Type{
	reflect.TypeFor[api.Watch](), reflect.TypeFor[api.Interval](), reflect.TypeFor[api.Schedule](),
	reflect.TypeFor[api.ActiveHours](), reflect.TypeFor[api.Files](), reflect.TypeFor[api.Rendering](),
	reflect.TypeFor[api.SiteSettings](), reflect.TypeFor[api.SiteFollow](), reflect.TypeFor[api.SiteRequest](),
	reflect.TypeFor[api.BackfillRequest](), reflect.TypeFor[api.SearchRequest](), reflect.TypeFor[api.RetrieveRequest](),
	reflect.TypeFor[api.RetrieveFilter](),
	reflect.TypeFor[api.TagSettings](), reflect.TypeFor[api.Settings](), reflect.TypeFor[api.ItemSettings](),
	reflect.TypeFor[api.ChangeFilter](), reflect.TypeFor[api.RuleFilter](), reflect.TypeFor[api.RuleSpec](),
	reflect.TypeFor[api.Condition](), reflect.TypeFor[api.QuietHours](), reflect.TypeFor[api.MessageWording](),
	reflect.TypeFor[api.ChannelSettings](), reflect.TypeFor[api.MuteRequest](),
	reflect.TypeFor[api.IgnoreRequest](),
}

// TestRulesSchemaIsCurrent checks that the committed schema of the file of rules equals the one built from the types.
func TestRulesSchemaIsCurrent(t *testing.T) {
	have, err := RulesFile(top)
	must(t, err)
	file := filepath.Join(top, "schemas", "rules.json")
	goldentest.Compare(t, file, string(have))
}

// TestSitesSchemaIsCurrent checks that the schema of the site file describes how links are followed as the type of the
// setting does: the site file and the API have the same bounds, defaults and help.
func TestSitesSchemaIsCurrent(t *testing.T) {
	file := filepath.Join(top, "schemas", "sites.json")
	kept, err := os.ReadFile(file)
	must(t, err)
	var b strings.Builder
	for i, f := range form.Of[api.SiteFollow]().Fields {
		if i > 0 {
			b.WriteString(",\n")
		}
		rest := fmt.Sprintf(`"type": ["array", "null"], "maxItems": %d, "items": {"$ref": "#/$defs/host"}`, f.Most)
		if f.Max > 0 {
			rest = fmt.Sprintf(`"type": ["integer", "null"], "minimum": %d, "maximum": %d, "default": %s`, f.Min, f.Max,
				f.Default)
		}
		fmt.Fprintf(&b, "    %q: {\n     \"description\": %q,\n     %s\n    }", f.Path,
			strings.ToUpper(f.Help[:1])+f.Help[1:]+".", rest)
	}
	have := followSchema.ReplaceAllString(string(kept), "${1}"+strings.ReplaceAll(b.String(), "$", "$$")+"$2")
	goldentest.Compare(t, file, have)
}

var followSchema = regexp.MustCompile(`(?s)(  "follow": \{\n   "type": "object",\n[^\n]*\n   "properties": \{\n).*?(\n   \}\n  \},\n)`)

// TestRoutesInDocsAreCurrent checks that the tables in docs/api.md equal those built from the document.
func TestRoutesInDocsAreCurrent(t *testing.T) {
	built, err := Build(top)
	must(t, err)
	d, err := openapi.Read(built)
	must(t, err)
	file := filepath.Join(top, "docs", "api.md")
	page, err := os.ReadFile(file)
	must(t, err)
	have, err := Routes(page, d)
	must(t, err)
	goldentest.Compare(t, file, string(have))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

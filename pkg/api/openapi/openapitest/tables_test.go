package openapitest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/search"
)

// TestOperationsAreComplete checks that users can find, understand and try every operation: it has an id, an area, a
// summary, and an example of the request and of the answer.
func TestOperationsAreComplete(t *testing.T) {
	d, err := openapi.Read(openapi.JSON)
	must(t, err)
	names := map[string]bool{}
	for _, path := range d.Paths {
		for _, m := range path.Value {
			o, at := m.Value, m.Name+" "+path.Name
			if names[o.OperationID] || o.OperationID == "" {
				t.Errorf("%s: operationId %q", at, o.OperationID)
			}
			names[o.OperationID] = true
			if !slices.ContainsFunc(d.Tags, func(tag openapi.Tag) bool { return tag.Name == o.Tags[0] }) || len(o.Tags) != 1 {
				t.Errorf("%s: tags %q", at, o.Tags)
			}
			if o.Summary == "" || strings.HasSuffix(o.Summary, ".") {
				t.Errorf("%s: the summary %q is no phrase", at, o.Summary)
			}
			if open := o.Security != nil; open != (path.Name == "/health" || path.Name == "/schemas/{name}") {
				t.Errorf("%s: needs no key: %v", at, open)
			}
			checkExamples(t, d, at, o)
		}
	}
}

func checkExamples(t *testing.T, d *openapi.Document, at string, o openapi.Operation) {
	if o.RequestBody != nil && len(o.RequestBody.Content[0].Value.Examples) == 0 {
		t.Errorf("%s: no example of a request", at)
	}
	for _, p := range o.Parameters {
		if p.Description == "" && p.In == "path" || p.Required && p.Example == nil && len(p.Schema.Enum) == 0 {
			t.Errorf("%s: the parameter %s has no description, or no example", at, p.Name)
		}
	}
	shown := false
	for _, r := range d.Answers(o) {
		if strings.HasPrefix(r.Name, "2") {
			shown = shown || len(r.Value.Content[0].Value.Examples) > 0
			continue
		}
		if _, problem := r.Value.Content.Get(api.ProblemType); !problem || r.Value.Description == "" {
			t.Errorf("%s: %s is answered without a problem document", at, r.Name)
		}
	}
	served := []string{"/openapi.json", "/docs", "/schemas/{name}", "/metrics"} // not answers, but documents
	if !shown && !slices.Contains(served, path(at)) {
		t.Errorf("%s: no example of an answer", at)
	}
}

func path(at string) string { _, p, _ := strings.Cut(at, " "); return p }

// TestLimitsAreOfFields checks that every bound and enumeration belongs to an existing field.
func TestLimitsAreOfFields(t *testing.T) {
	d, err := openapi.Read(openapi.JSON)
	must(t, err)
	params := map[string]bool{}
	for _, e := range api.Routes() {
		for _, p := range e.Params() {
			params[e.Requests[0].Name()+"."+p.Name] = true
		}
	}
	for name := range limits {
		of, field, nested := strings.Cut(name, ".")
		s, found := d.Components.Schemas.Get(of)
		if found && nested {
			_, found = s.Properties.Get(field)
		}
		for _, t := range settings { // also of a type that only is a part of others
			_, is := form.Names(t)[field]
			found = found || nested && t.Name() == of && is
		}
		if !found && !params[name] {
			t.Errorf("limits_test.go: there is no %s", name)
		}
	}
}

// TestProse checks how a comment becomes prose about JSON fields.
func TestProse(t *testing.T) {
	c, err := readComments("../..")
	must(t, err)
	names := jsonNames(reflect.TypeFor[api.AddURLRequest]())
	for text, want := range map[string]string{
		"URL and URLs hold at most\n[MaxBatch] (spec 003 §6).": "`url` and `urls` hold at most 1000.",
		"Give ChatID; see A24 (A24).\n\nNew GET.":              "Give `chat_id`; see A24.\n\nNew GET.",
		"TypeURL or a [Range) of IDNA":                         "url or a [Range) of IDNA",
		"Lookup is no field of it":                             "Lookup is no field of it",
	} {
		if have := c.prose(text, names); have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

// TestFindStep checks that the example of a route is a step of that route.
func TestFindStep(t *testing.T) {
	c := conversations{
		{Name: "a", Method: "GET", Path: "/api/items/x?top=2"}, {Name: "b", Method: "GET"}, {Name: "b", Method: "GET"},
	}
	s, err := c.find("GET items/{id}", "a")
	if err != nil || s.values["id"] != "x" || s.values["top"] != "2" {
		t.Errorf("%v %v", s, err)
	}
	for _, bad := range [][2]string{{"GET items", "a"}, {"DELETE items/{id}", "a"}, {"GET items/{id}/lineage", "a"},
		{"GET items", "b"}, {"GET items", "c"}} {
		if _, err := c.find(bad[0], bad[1]); err == nil {
			t.Errorf("%v is found", bad)
		}
	}
}

// TestBoundsAreThoseOfTheCode checks that the bounds in the tags of requests equal those that the code checks.
func TestBoundsAreThoseOfTheCode(t *testing.T) {
	for _, tt := range []struct {
		of          any
		field       string
		def, lo, hi int
	}{
		{api.SearchRequest{}, "Top", api.DefaultTop, 1, search.MaxTop},
		{api.SearchRequest{}, "Skip", 0, 0, search.MaxSkip},
		{api.ActivityQuery{}, "Hours", api.DefaultHours, 1, activity.MaxHours},
		{api.EntryQuery{}, "Top", 50, 1, entries.MaxList - 1},
		{api.EnrichQuery{}, "Top", 20, 1, enrich.MaxList},
	} {
		f, _ := typeOf(tt.of).FieldByName(tt.field)
		if def, lo, hi := api.Bounds(f); def != tt.def || lo != tt.lo || hi != tt.hi {
			t.Errorf("%T.%s: %d, %d to %d; want %d, %d to %d", tt.of, tt.field, def, lo, hi, tt.def, tt.lo, tt.hi)
		}
	}
}

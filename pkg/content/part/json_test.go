package part_test

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

const lamps = `{"made":"10:04","items":[{"name":"Lamp","price":5,"seen":12,"tags":["a","b"]},
 {"name":"Desk","price":7.50,"seen":4,"tags":[]}],"best":{"name":"Lamp"}}`

func readJSON(t *testing.T, spec watch.Spec, text, contentType string) part.Part {
	t.Helper()
	doc, err := web.Extract([]byte(text), contentType, "https://shop.example/lamps", extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return part.NewReader(spec).Read(doc, []byte(text), contentType, "https://shop.example/lamps")
}

// W24: TestW24PartsOfJSON checks which values of JSON are watched, in which form, and how many are found.
func TestW24PartsOfJSON(t *testing.T) {
	for name, tt := range map[string]struct {
		spec  watch.Spec
		text  string
		found int
	}{
		"values": {watch.Spec{Include: []string{"$.items[*].price"}}, "- price: 5\n- price: 7.50", 2},
		"objects": {watch.Spec{Include: []string{"$.items[*]"}, Exclude: []string{"$..seen", "$..tags"}},
			"Lamp\n\n- name: Lamp\n- price: 5\n\nDesk\n\n- name: Desk\n- price: 7.50", 2},
		"by a filter":     {watch.Spec{Include: []string{"$.items[?@.price < 6].name"}}, "- name: Lamp", 1},
		"one object":      {watch.Spec{Include: []string{"$.best"}}, "best\n\n- name: Lamp", 1},
		"texts of a list": {watch.Spec{Include: []string{"$.items[0].tags[*]"}}, "- a\n- b", 2},
		"objects and more": {watch.Spec{Include: []string{"$.made", "$.items[1]"}, Exclude: []string{"$..tags"}},
			"- made: 10:04\n\nDesk\n\n- name: Desk\n- price: 7.50\n- seen: 4", 2},
		"a value in one": {watch.Spec{Include: []string{"$.best", "$..name"}},
			"- name: Lamp\n- name: Desk\n\nbest\n\n- name: Lamp", 3},
		"all but some": {watch.Spec{Exclude: []string{"$.items", "$.made"}}, "best\n\n- name: Lamp", 0},
		"all but what is in a list": {watch.Spec{Exclude: []string{"$.items[*]", "$.best.*"}},
			"- made: 10:04\n- items: []\n- best: {}", 0},
		"nothing":         {watch.Spec{Include: []string{"$.none"}}, "", 0},
		"nothing is left": {watch.Spec{Include: []string{"$.best"}, Exclude: []string{"$.best"}}, "", 0},
		"all is left out": {watch.Spec{Exclude: []string{"$"}}, "", 0},
		"rules of a tag":  {watch.Spec{Include: []string{"main", "$.made"}, Exclude: []string{"nav"}}, "- made: 10:04", 1},
		"an empty object": {watch.Spec{Include: []string{"$.items[1].tags"}}, "- tags: []", 1},
	} {
		p := readJSON(t, tt.spec, lamps, "application/json")
		if p.Text != tt.text || p.Elements != tt.found && len(tt.spec.Include) > 0 || p.Why != "" {
			t.Errorf("%s: %d: %q %s", name, p.Elements, p.Text, p.Why)
		}
	}
	lines := readJSON(t, watch.Spec{Include: []string{"$[?@.n > 1].n"}}, "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n",
		"application/x-ndjson")
	if lines.Text != "- n: 2\n- n: 3" || lines.Elements != 2 {
		t.Errorf("lines: %d %q", lines.Elements, lines.Text)
	}
}

// W24: TestW24PartsOfAnotherType checks that rules for another type of document say so, and that a path that is too
// expensive does.
func TestW24PartsOfAnotherType(t *testing.T) {
	large := "[" + strings.Repeat("[1],", 50_000) + "1]"
	for why, tt := range map[string]struct{ rule, text, contentType string }{
		"use a CSS selector":      {"$.items", "<main><p>A lamp.</main>", "text/html"},
		"use a JSONPath":          {".price", lamps, "application/json"},
		"this is not JSON":        {"$.items", "a,b\n1,2", "text/csv"},
		"and this is application": {"$.items", `{"a":`, "application/json"},
		"too much time":           {"$[?count($..*) > 1]", large, "application/json"},
	} {
		p := readJSON(t, watch.Spec{Include: []string{tt.rule}}, tt.text, tt.contentType)
		if !strings.Contains(p.Why, why) || p.Elements != 0 || p.Text != "" {
			t.Errorf("%s: %q, %d elements, %q", why, p.Why, p.Elements, p.Text)
		}
	}
}

// W24: TestW24PartStaysTheSame checks that the state of a part does not depend on what surrounds it.
func TestW24PartStaysTheSame(t *testing.T) {
	spec := watch.Spec{Include: []string{"$.items[*]['name','price']"}}
	was := readJSON(t, spec, lamps, "application/json")
	for text, same := range map[string]bool{
		strings.Replace(lamps, "10:04", "10:05", 1):         true,
		strings.Replace(lamps, `"seen":12`, `"seen":13`, 1): true,
		strings.Replace(lamps, "7.50", "7.60", 1):           false,
	} {
		if now := readJSON(t, spec, text, "application/json"); (now.State == was.State) != same {
			t.Errorf("the same: %v, %q", !same, now.Text)
		}
	}
}

package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/notify"
	"go.yaml.in/yaml/v3"
)

// written is a kind of file that people write: its schema, what reads it, and a file that has every field.
type written struct {
	name string
	read func([]byte) error
	full string
}

var files = []written{
	{"rules", func(b []byte) error { _, err := notify.ParseFile("f", b); return err }, `
channels:
  - {name: ops, kind: webhook, url: https://ops.example/hook, secret: OPS}
  - {name: chat, kind: shoutrrr, urlFrom: CHAT}
rules:
  - name: Prices
    filter: {host: shop.example, tag: price, type: url, kind: content, zone: main, minShare: 0.5, q: lamp,
      small: "true", silenced: "true", items: host=shop.example, added: '€ ?[0-9]', removed: sold}
    channels: [ops, chat]
    digest: weekly
    on: fri
    at: "07:30"
    timezone: Europe/Paris
    off: true
    every: 6h
    quietHours: {from: "22:00", to: "07:00", timezone: Europe/Paris}
  - name: One page
    filter: {itemId: url_aaaaaaaaaaaaaaaaaaaaaaaaaa, item: url_aaaaaaaaaaaaaaaaaaaaaaaaaa}
    channels: [ops]
    message: {title: "{{title}}: {{summary}}", text: "{{difference}}"}
  - name: Cheaper
    enabled: true
    when: {field: price, op: changedBy, value: 10, unit: "%", against: lowest, first: true}
    channels: [ops]
  - name: Back in stock
    when: {field: availability, op: fromTo, from: out of stock, to: in stock}
    channels: [ops]
`},
	{"sites", func(b []byte) error { _, err := site.Parse("f", b); return err }, `
sites:
  - slug: port
    domain: port.example
    www: true
    start: [https://port.example/guide/]
    sitemaps: [https://cdn.example/sitemap.xml]
    feeds: [https://port.example/news.atom]
    archives: ["https://port.example/notices/{yyyy}/{mm}/"]
    listings: [{url: https://port.example/news, links: main a, next: a.older, poll: true}]
    containers: [https://account.blob.core.windows.net/reports]
    follow: {depth: 3, pages: 5000, addresses: 100000, hosts: [static.port.example]}
    alternates: true
    include: [^https]
    exclude: [/print/]
    limits: {minDelayMs: 10, maxDelayMs: 20, maxConcurrent: 2, requestsPerDay: 5, bytesPerDay: 6, maxItems: 7}
`},
}

// schema reads the schema of a file, also as a plain value.
func (f written) schema(t *testing.T) (*jsonschema.Schema, map[string]any) {
	text, err := os.ReadFile(filepath.Join(top, "schemas", f.name+".json"))
	must(t, err)
	plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	must(t, c.AddResource("schema.json", plain))
	s, err := c.Compile("schema.json")
	must(t, err)
	if s.DraftVersion != 2020 {
		t.Errorf("%s: draft %d", f.name, s.DraftVersion)
	}
	return s, plain.(map[string]any)
}

// verdicts returns what the reader and the schema say of a file.
func (f written) verdicts(t *testing.T, s *jsonschema.Schema, text []byte) (reader, schema error) {
	var value any
	must(t, yaml.Unmarshal(text, &value))
	b, err := json.Marshal(value)
	must(t, err)
	plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	must(t, err)
	return f.read(text), s.Validate(plain)
}

// place is a value within a file: how to set it, or with remove to take it out, and the schema that holds for it.
type place struct {
	path   string
	value  any
	set    func(any)
	remove func()
	schema map[string]any
}

// places lists every value of a file with its schema.
func places(path string, value any, set func(any), remove func(), schema, root map[string]any) (out []place) {
	if ref, ok := schema["$ref"].(string); ok {
		schema = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if either, ok := schema["anyOf"].([]any); ok && isUnset(either[len(either)-1]) {
		return places(path, value, set, remove, either[0].(map[string]any), root)
	}
	out = []place{{path, value, set, remove, schema}}
	switch v := value.(type) {
	case map[string]any:
		fields, _ := schema["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			was := v[name]
			below, _ := fields[name].(map[string]any)
			out = append(out, places(path+"."+name, was, func(x any) { v[name] = x }, func() { delete(v, name) }, below,
				root)...)
		}
	case []any:
		for i, was := range v {
			items, _ := schema["items"].(map[string]any)
			out = append(out, places(path+"[]", was, func(x any) { v[i] = x }, nil, items, root)...)
		}
	}
	return out
}

// isUnset reports whether a schema allows only what leaves a field empty.
func isUnset(schema any) bool {
	s, _ := schema.(map[string]any)
	return s["type"] == "null" || s["pattern"] == "^$"
}

// structural matches what the readers say of a file whose structure is wrong.
var structural = regexp.MustCompile(`is missing|: unknown|whole number|, but must be|write 1 to 64|names its secret`)

// each changes a file in one place after the other, and undoes each change.
func (f written) each(t *testing.T, change func(p place, check func(must bool, what string))) {
	s, root := f.schema(t)
	var value any
	must(t, yaml.Unmarshal([]byte(f.full), &value))
	for _, p := range places("", value, nil, nil, root, root)[1:] {
		change(p, func(refused bool, what string) {
			text, err := yaml.Marshal(value)
			must(t, err)
			reader, schema := f.verdicts(t, s, text)
			refused = refused || reader != nil && structural.MatchString(reader.Error())
			if reader == nil && schema != nil || refused && (reader == nil || schema == nil) {
				t.Errorf("%s: %s %s: the reader says %v, the schema %v", f.name, p.path, what, reader, schema)
			}
			p.set(p.value)
		})
	}
}

// TestW5SchemasHoldForWhatIsRead checks that the schemas refuse what the readers of the files refuse for its structure,
// and nothing that they take: fields that are unknown or missing, values of another type, numbers out of bounds (W5).
func TestW5SchemasHoldForWhatIsRead(t *testing.T) {
	others := []any{"zebra", 7, true, []any{"zebra"}, map[string]any{"zebra": "x"}}
	for _, f := range files {
		f.each(t, func(p place, check func(bool, string)) {
			for _, other := range others {
				if fmt.Sprintf("%T", other) != fmt.Sprintf("%T", p.value) && !numbers(other, p.value) && !isEither(other, p) {
					p.set(other)
					check(true, fmt.Sprintf("%v", other))
				}
			}
			if p.remove != nil {
				p.remove()
				check(false, "removed")
			}
			if fields, ok := p.value.(map[string]any); ok {
				fields["zebra"] = "x"
				check(true, "with another field")
				delete(fields, "zebra")
				required, _ := p.schema["required"].([]any)
				for _, name := range required {
					was := fields[name.(string)]
					delete(fields, name.(string))
					check(true, "without "+name.(string))
					fields[name.(string)] = was
				}
			}
			least, bounded := p.schema["minimum"].(json.Number)
			if most, _ := p.schema["maximum"].(json.Number); bounded {
				lo, _ := least.Int64()
				hi, _ := most.Int64()
				for value, refused := range map[int64]bool{lo - 1: true, lo: false, hi: false, hi + 1: true} {
					p.set(value)
					check(refused, fmt.Sprint(value))
				}
			}
		})
	}
}

// TestW5EmptyFields checks that a schema takes what the reader of its file takes of fields that are left empty, and
// refuses empty ones that must be there: nothing behind the name, an empty text, an empty list, an empty group (W5).
func TestW5EmptyFields(t *testing.T) {
	for i, f := range files {
		f.each(t, func(p place, check func(bool, string)) {
			for _, empty := range []any{nil, "", " ", []any{}, map[string]any{}} {
				p.set(empty)
				check(false, fmt.Sprintf("is %#v", empty))
			}
		})
		s, _ := f.schema(t)
		for _, text := range [][]string{{
			"channels:\nrules:\n",
			"channels: [{name: a, kind: webhook, url: , urlFrom: A, secret: B}, {name: b, kind: shoutrrr, urlFrom: A, url: ''}]",
			"rules: [{name: a, channels: [a], filter: , digest: , at: , when: , message: }]",
		}, {
			"sites: [{slug: a, domain: a.example, www: , start: , listings: , follow: , limits: , include: , exclude: []}]",
			"sites: [{slug: a, domain: a.example, follow: {depth: , hosts: }, listings: [{url: 'https://a.example/', next: }]}]",
		}}[i] {
			if reader, schema := f.verdicts(t, s, []byte(text)); reader != nil || schema != nil {
				t.Errorf("%s: the reader says %v, the schema %v", text, reader, schema)
			}
		}
	}
}

// isEither reports whether a value is a number or text at a place that takes both.
func isEither(value any, p place) bool {
	_, text := value.(string)
	_, whole := value.(int)
	return p.schema["anyOf"] != nil && (text || whole)
}

func numbers(a, b any) bool {
	_, whole := a.(int)
	_, part := b.(float64)
	return whole && part
}

// TestW5SchemasHaveTheFieldsThatAreRead checks that the file with every field is read and is valid, that the schemas
// have these fields and no other, and that the reader of the site file knows the same (W5).
func TestW5SchemasHaveTheFieldsThatAreRead(t *testing.T) {
	allowed := regexp.MustCompile(`zebra: unknown; allowed are (.*)`)
	for _, f := range files {
		s, root := f.schema(t)
		reader, schema := f.verdicts(t, s, []byte(f.full))
		if reader != nil || schema != nil {
			t.Fatalf("%s: the reader says %v, the schema %v", f.name, reader, schema)
		}
		used := map[string]map[string]bool{}
		f.each(t, func(p place, _ func(bool, string)) {
			fields, _ := p.value.(map[string]any)
			for name := range fields {
				if used[p.path] == nil {
					used[p.path] = map[string]bool{}
				}
				used[p.path][name] = true
			}
		})
		var value any
		must(t, yaml.Unmarshal([]byte(f.full), &value))
		for _, p := range places("", value, nil, nil, root, root) {
			fields, ok := p.value.(map[string]any)
			if !ok {
				continue
			}
			properties := slices.Sorted(maps.Keys(p.schema["properties"].(map[string]any)))
			if diff := cmp.Diff(properties, slices.Sorted(maps.Keys(used[p.path]))); diff != "" && p.path != "" {
				t.Errorf("%s: %s -schema +file\n%s", f.name, p.path, diff)
			}
			fields["zebra"] = "x"
			text, err := yaml.Marshal(value)
			must(t, err)
			delete(fields, "zebra")
			m := allowed.FindStringSubmatch(f.read(text).Error())
			if m != nil && m[1] != strings.Join(properties, ", ") {
				t.Errorf("%s: %s has %v, but the reader knows %s", f.name, p.path, properties, m[1])
			}
		}
	}
}

var (
	yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")
	indented  = regexp.MustCompile(`(?m)^    channels:\n(?:    .*\n)+`)
)

// TestW5ExamplesAreValid checks that the examples of the documentation, the example file and the site files that
// Tidemark writes are valid (W5).
func TestW5ExamplesAreValid(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(top, name))
		must(t, err)
		return string(text)
	}
	sites := []string{read("backfill-sites.example.yaml")}
	for _, m := range yamlBlock.FindAllStringSubmatch(read("docs/backfill-sites.md"), -1) {
		sites = append(sites, "sites:\n"+strings.TrimPrefix(m[1], "sites:\n"))
	}
	for _, address := range []string{"example.com", "https://example.com/a'b/", "http://example.com/sitemap.xml"} {
		e, err := site.EntryOf(address)
		must(t, err)
		e, err = e.Using(api.SiteSettings{Follow: &api.SiteFollow{}, Include: []string{"/a/*"}, Listings: []string{e.Home}})
		must(t, err)
		sites = append(sites, e.File())
	}
	rules := indented.FindAllString(read("docs/guide.md"), -1)
	if len(sites) < 6 || len(rules) == 0 {
		t.Fatalf("%d site files, %d files of rules", len(sites), len(rules))
	}
	for i, examples := range [][]string{rules, sites} {
		s, _ := files[i].schema(t)
		for _, text := range examples {
			if reader, schema := files[i].verdicts(t, s, []byte(text)); reader != nil || schema != nil {
				t.Errorf("the reader says %v, the schema %v of\n%s", reader, schema, text)
			}
		}
	}
}

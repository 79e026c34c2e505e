package openapitest

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
)

// schemas turns types into schemas. Types of pkg/api with a name become components of that name.
type schemas struct {
	words *comments
	named map[string]*openapi.Schema
	patch bool // the fields of a patch are described, which may all be null or left out
}

func newSchemas(words *comments) *schemas {
	return &schemas{words: words, named: map[string]*openapi.Schema{}}
}

// anyOf returns the schema of a value that has one of several types.
func (s *schemas) anyOf(types []reflect.Type) *openapi.Schema {
	if len(types) == 1 {
		return s.of(types[0])
	}
	out := &openapi.Schema{}
	for _, t := range types {
		out.AnyOf = append(out.AnyOf, s.of(t))
	}
	return out
}

// oneNamed is anyOf as a named component. For a body without a name, client generators invent a type, and some of
// them then encode it wrongly.
func (s *schemas) oneNamed(types []reflect.Type) *openapi.Schema {
	if len(types) == 1 {
		return s.anyOf(types)
	}
	var names []string
	for _, t := range types {
		names = append(names, t.Name())
	}
	name := strings.Join(names, "Or")
	s.named[name] = s.anyOf(types)
	return &openapi.Schema{Ref: "#/components/schemas/" + name}
}

var basic = map[reflect.Kind]openapi.Schema{
	reflect.String:  {Type: openapi.Types{"string"}},
	reflect.Bool:    {Type: openapi.Types{"boolean"}},
	reflect.Int:     {Type: openapi.Types{"integer"}},
	reflect.Int64:   {Type: openapi.Types{"integer"}, Format: "int64"},
	reflect.Float32: {Type: openapi.Types{"number"}, Format: "float"},
	reflect.Float64: {Type: openapi.Types{"number"}, Format: "double"},
}

// of returns the schema of a type, as package encoding/json writes its values.
func (s *schemas) of(t reflect.Type) *openapi.Schema {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &openapi.Schema{Type: openapi.Types{"string"}, Format: "date-time"}
	case t.Name() != "" && t.PkgPath() == reflect.TypeFor[api.Item]().PkgPath():
		return s.component(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.Slice:
		return &openapi.Schema{Type: openapi.Types{"array"}, Items: s.of(t.Elem())}
	case reflect.Map:
		return &openapi.Schema{Type: openapi.Types{"object"}, AdditionalProperties: s.of(t.Elem())}
	case reflect.Interface:
		return &openapi.Schema{}
	}
	if b, ok := basic[t.Kind()]; ok {
		return &b
	}
	panic(fmt.Sprintf("describe: no schema for %s", t)) // a new kind of field: add it above
}

// component builds the schema of a named type once, and returns a reference to it.
func (s *schemas) component(t reflect.Type) *openapi.Schema {
	name := t.Name()
	if s.patch && t.Kind() == reflect.Struct {
		name += "Patch"
	}
	if s.named[name] == nil {
		was := s.patch
		s.patch = was || isPatch(t)
		defer func() { s.patch = was }()
		out := &openapi.Schema{}
		s.named[name] = out // before the fields, which may have the same type
		switch {
		case t.Kind() == reflect.Struct:
			*out = *s.object(t)
		case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Pointer:
			*out = openapi.Schema{Type: openapi.Types{"object"}, AdditionalProperties: orNull(s.of(t.Elem()))}
		default:
			*out = basic[t.Kind()]
		}
		names := jsonNames(t)
		delete(names, t.Name()) // the comment begins with the name of the type
		out.Description = s.words.prose(s.words.types[t.Name()], names)
		limit(out, t.Name())
	}
	return &openapi.Schema{Ref: "#/components/schemas/" + name}
}

func (s *schemas) object(t reflect.Type) *openapi.Schema {
	out := &openapi.Schema{Type: openapi.Types{"object"}}
	s.fields(t, out)
	return out
}

// fields adds the fields of a struct. Those of an embedded struct are added in its position.
func (s *schemas) fields(t reflect.Type, out *openapi.Schema) {
	for f := range t.Fields() {
		if f.Anonymous {
			s.fields(f.Type, out)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		p, about := s.field(t, f, name)
		p.Description = about
		if s.patch && !isPatch(t) {
			out.Properties.Put(name, orNull(p))
			continue
		}
		if !strings.Contains(options, "omit") {
			out.Required = append(out.Required, name)
			if f.Type.Kind() == reflect.Pointer {
				p.Type = append(p.Type, "null")
			}
		}
		out.Properties.Put(name, p)
	}
}

// isPatch reports whether a request is a patch. Of its own fields, none is a setting: those are in other types.
func isPatch(t reflect.Type) bool {
	_, is := reflect.New(t).Interface().(interface{ SetPatch(api.Patch) })
	return is
}

// orNull returns the schema of a value that may also be null.
func orNull(p *openapi.Schema) *openapi.Schema {
	if p.Ref == "" && p.Enum == nil {
		p.Type = append(p.Type, "null")
		return p
	}
	out := &openapi.Schema{Description: p.Description}
	p.Description = ""
	out.AnyOf = []*openapi.Schema{p, {Type: openapi.Types{"null"}}}
	return out
}

// jsonNames maps the Go names of a struct's fields to their JSON names.
func jsonNames(t reflect.Type) map[string]string {
	out := map[string]string{}
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				out[f.Name] = name
			}
		}
	}
	return out
}

// parameters returns the fields of a route's requests that are sent in the path or in the query.
func (s *schemas) parameters(e *api.Endpoint) (params []openapi.Parameter) {
	if len(e.Params()) == 0 {
		return nil
	}
	t := e.Requests[0]
	for _, p := range e.Params() {
		out := openapi.Parameter{Name: p.Name, In: "query", Required: !strings.Contains(p.Tag.Get("json"), ",omit")}
		out.Schema, out.Description = s.field(t, p.StructField, p.Name)
		if p.Tag.Get("default") == "false" {
			out.Schema.Default = false
		}
		switch {
		case p.InPath:
			out.In, out.Required = "path", true
		case p.InBody:
			out.Description = "As `" + p.Name + "` in the body; either is enough."
		}
		params = append(params, out)
	}
	return params
}

// field returns the schema of a struct's field, and its description.
func (s *schemas) field(of reflect.Type, f reflect.StructField, name string) (*openapi.Schema, string) {
	p := s.of(f.Type)
	if def, lo, hi := api.Bounds(f); hi != 0 {
		*p = number(def, lo, hi)
		if f.Tag.Get("default") == "" {
			p.Default = nil
		}
	}
	describe(p, f)
	limit(p, of.Name()+"."+name)
	return p, s.words.prose(s.words.fields[of.Name()][f.Name], jsonNames(of)) + meanings(f)
}

// meanings says what the values of a setting mean, if they have words of their own.
func meanings(f reflect.StructField) string {
	var all []string
	for one := range strings.SplitSeq(f.Tag.Get("choices"), "|") {
		if value, words, has := strings.Cut(one, "="); has {
			all = append(all, "`"+value+"`, "+words)
		}
	}
	if all == nil {
		return ""
	}
	return ": " + strings.Join(all, "; ")
}

// describe adds what the description of a setting says of its values.
func describe(s *openapi.Schema, f reflect.StructField) {
	values := s
	if s.Items != nil {
		values = s.Items
		s.MaxItems, _ = strconv.Atoi(f.Tag.Get("most"))
	}
	if choices := f.Tag.Get("choices"); choices != "" && f.Tag.Get("format") == "" && f.Type.Kind() != reflect.Bool &&
		f.Type != reflect.TypeFor[*bool]() {
		values.Enum = nil
		for one := range strings.SplitSeq(choices, "|") {
			value, _, _ := strings.Cut(one, "=")
			values.Enum = append(values.Enum, value)
		}
	}
}

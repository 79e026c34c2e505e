package describe

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/openapi"
)

// schemas turns types into schemas. Types of pkg/api with a name become components of that name.
type schemas struct {
	words *comments
	named map[string]*openapi.Schema
}

func newSchemas(words *comments) *schemas {
	return &schemas{words, map[string]*openapi.Schema{}}
}

// anyOf is the schema of a value of one of some types.
func (s *schemas) anyOf(values []any) *openapi.Schema {
	if len(values) == 1 {
		return s.of(typeOf(values[0]))
	}
	out := &openapi.Schema{}
	for _, v := range values {
		out.AnyOf = append(out.AnyOf, s.of(typeOf(v)))
	}
	return out
}

// oneNamed is anyOf as a component. Generators of clients make a type of their own of a body without a
// name, and some forget how it is written.
func (s *schemas) oneNamed(values []any) *openapi.Schema {
	if len(values) == 1 {
		return s.anyOf(values)
	}
	var names []string
	for _, v := range values {
		names = append(names, typeOf(v).Name())
	}
	name := strings.Join(names, "Or")
	s.named[name] = s.anyOf(values)
	return &openapi.Schema{Ref: "#/components/schemas/" + name}
}

var basic = map[reflect.Kind]openapi.Schema{
	reflect.String:  {Type: openapi.Types{"string"}},
	reflect.Bool:    {Type: openapi.Types{"boolean"}},
	reflect.Int:     {Type: openapi.Types{"integer"}},
	reflect.Int64:   {Type: openapi.Types{"integer"}, Format: "int64"},
	reflect.Float64: {Type: openapi.Types{"number"}, Format: "double"},
}

// of is the schema of a type, as package encoding/json writes its values.
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

// component makes the schema of a named type once, and refers to it.
func (s *schemas) component(t reflect.Type) *openapi.Schema {
	if s.named[t.Name()] == nil {
		out := &openapi.Schema{}
		s.named[t.Name()] = out // before its fields, which may be of the same type
		if t.Kind() == reflect.Struct {
			*out = *s.object(t)
		} else {
			*out = basic[t.Kind()]
		}
		names := jsonNames(t)
		delete(names, t.Name()) // the comment begins with the type's own name
		out.Description = s.words.prose(s.words.types[t.Name()], names)
		limit(out, t.Name())
	}
	return &openapi.Schema{Ref: "#/components/schemas/" + t.Name()}
}

func (s *schemas) object(t reflect.Type) *openapi.Schema {
	out := &openapi.Schema{Type: openapi.Types{"object"}}
	s.fields(t, out)
	return out
}

// fields adds those of a struct, and of structs embedded in it in their place.
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
		p := s.of(f.Type)
		p.Description = s.words.prose(s.words.fields[t.Name()][f.Name], jsonNames(t))
		if !strings.Contains(options, "omit") {
			out.Required = append(out.Required, name)
			if f.Type.Kind() == reflect.Pointer {
				p.Type = append(p.Type, "null")
			}
		}
		limit(p, t.Name()+"."+name)
		out.Properties.Put(name, p)
	}
}

// jsonNames are the names of a struct's fields in JSON by those in Go.
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

// query are the fields of a request as parameters of a query.
func (s *schemas) query(t reflect.Type) (params []openapi.Parameter) {
	object := s.object(t)
	for _, p := range object.Properties {
		about := p.Value.Description
		p.Value.Description = ""
		params = append(params, openapi.Parameter{Name: p.Name, In: "query", Description: about, Schema: p.Value})
	}
	for i := range params {
		for _, name := range object.Required {
			params[i].Required = params[i].Required || params[i].Name == name
		}
	}
	return params
}

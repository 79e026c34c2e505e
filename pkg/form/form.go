// Package form makes, of the descriptions of what people can set, every form in which they set and see it: flags,
// inputs of the dashboard, facts in words, checks with their messages, and the merging of settings with their origin.
//
// A description is beside its type in package api, as the tags of its fields (see [api.Watch]) and the comment on each,
// which is the help text. [Of] reads it once for each type. Functions that show a value have its type as a parameter,
// so that a test sees what is shown where; what they do is compiled once for all types.
package form

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/tidemark/tidemark/pkg/api"
)

// Field is a setting: the smallest part that people set by itself.
type Field struct {
	Path     string // its name in JSON, behind those of the objects that it is in: watch.include
	Label    string
	Help     string
	Flag     string // its flag on the command line; "" if it has none
	Argument string // what the flag takes, such as SELECTOR
	Choices  []Choice
	Default  string
	Format   string // of a text, or of each text of a list: a key of the table of formats
	Most     int    // of a list or a map: how many entries it may have
	Min      int    // of a number
	Max      int    // of a number; 0 if it has no bounds
	Whole    string // the path of the setting around it that is merged as a whole; "" if it is merged by itself
	Switch   bool   // of an object: it is there or not, whatever it has

	steps [][]int // the way to it: fields of structs, each behind a pointer
	Type  reflect.Type
}

// Choice is a value that a setting may have, and what people call it.
type Choice struct{ Value, Text string }

// A Form is the description of a type: its settings, in their order. It also has the objects that are merged as a
// whole and those that people can write on one line, each before its parts.
type Form struct {
	Fields []Field
	units  []Field // the settings that are merged, each by itself
}

var forms sync.Map // of *Form, by reflect.Type

// Of returns the description of a type.
func Of[T any]() *Form { return of(reflect.TypeFor[T]()) }

func of(t reflect.Type) *Form {
	if known, ok := forms.Load(t); ok {
		return known.(*Form)
	}
	f := &Form{}
	f.add(t, Field{steps: [][]int{nil}})
	known, _ := forms.LoadOrStore(t, f)
	return known.(*Form)
}

// Field returns the setting with a path.
func (f *Form) Field(path string) (Field, bool) {
	i := slices.IndexFunc(f.Fields, func(one Field) bool { return one.Path == path })
	if i < 0 {
		return Field{}, false
	}
	return f.Fields[i], true
}

// Label returns what people call a setting of a page or of a rule, or "".
func Label(path string) string {
	for _, f := range []*Form{Of[api.ItemSettings](), Of[api.RuleSpec]()} {
		if one, ok := f.Field(path); ok && one.Label != "" {
			return one.Label
		}
	}
	return ""
}

// Pick returns the part of a patch that is about the settings of the form; nil if there is none.
func (f *Form) Pick(p api.Patch) (out api.Patch) {
	for _, one := range f.units {
		top, _, _ := strings.Cut(one.Path, ".")
		if value, named := p[top]; named {
			if out == nil {
				out = api.Patch{}
			}
			out[top] = value
		}
	}
	return out
}

// add adds the fields of a struct, which is part of another setting.
func (f *Form) add(t reflect.Type, around Field) {
	for sf := range t.Fields() {
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		last := len(around.steps) - 1
		one := Field{Whole: around.Whole, Type: sf.Type, steps: slices.Clone(around.steps)}
		one.steps[last] = append(slices.Clone(one.steps[last]), sf.Index...)
		inner := sf.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		isObject := isObject(inner)
		switch {
		case sf.Anonymous && isObject:
			one.Path = around.Path
			f.add(sf.Type, one)
			continue
		case name == "" || name == "-" || sf.Tag.Get("label") == "-" || sf.Tag.Get("also") != "":
			continue
		}
		one.Path = strings.TrimPrefix(around.Path+"."+name, ".")
		one.describe(t, sf, name)
		isWhole := sf.Tag.Get("unit") == "whole"
		if isWhole || (!isObject || one.Switch) && one.Whole == "" {
			f.units = append(f.units, one)
		}
		if isWhole {
			one.Whole = one.Path
		}
		if !isObject || one.Label != "" {
			f.Fields = append(f.Fields, one)
		}
		if isObject {
			one.Switch = false
			if sf.Type.Kind() == reflect.Pointer {
				one.steps = append(one.steps, nil)
			}
			f.add(inner, one)
		}
	}
}

var apiPath = reflect.TypeFor[api.Watch]().PkgPath()

func isObject(t reflect.Type) bool { return t.Kind() == reflect.Struct && t.PkgPath() == apiPath }

// describe reads the description of a field.
func (f *Field) describe(of reflect.Type, sf reflect.StructField, name string) {
	tag := sf.Tag.Get
	f.Label, f.Format, f.Default, f.Help = tag("label"), tag("format"), tag("default"), helpOf(of.Name(), name)
	f.Switch = tag("unit") == "switch"
	f.Flag, f.Argument, _ = strings.Cut(cmp.Or(tag("flag"), hyphenated(name)), " ")
	if f.Flag == "-" {
		f.Flag = ""
	}
	switch kind := f.inner().Kind(); {
	case f.Argument != "" || kind == reflect.Bool:
	case kind == reflect.Int:
		f.Argument = "N"
	default:
		f.Argument = "VALUE"
	}
	for value := range strings.SplitSeq(tag("choices"), "|") {
		if value != "" {
			value, text, _ := strings.Cut(value, "=")
			f.Choices = append(f.Choices, Choice{value, cmp.Or(text, value)})
		}
	}
	for name, into := range map[string]*int{"most": &f.Most, "min": &f.Min, "max": &f.Max} {
		*into, _ = strconv.Atoi(tag(name)) // a test checks that every tag can be parsed
	}
}

// Default gives the numbers of a value, given by a pointer, their defaults where they are 0. Numbers of objects in the
// value stay as they are.
func Default(v any) {
	to := reflect.ValueOf(v).Elem()
	for _, f := range of(to.Type()).Fields {
		if n, err := strconv.Atoi(f.Default); err == nil && f.Type.Kind() == reflect.Int && len(f.steps) == 1 {
			if number := f.of(to); number.IsZero() {
				number.SetInt(int64(n))
			}
		}
	}
}

// hyphenated returns a name as a flag has it: list-links for listLinks.
func hyphenated(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Text returns what people call a value of the setting.
func (f Field) Text(value string) string {
	for _, c := range f.Choices {
		if c.Value == value {
			return c.Text
		}
	}
	return value
}

// values returns the values of the choices, as a message lists them.
func (f Field) values() string {
	var all []string
	for _, c := range f.Choices {
		all = append(all, c.Value)
	}
	if n := len(all); n > 1 {
		return fmt.Sprintf("%s or %s", strings.Join(all[:n-1], ", "), all[n-1])
	}
	return strings.Join(all, "")
}

// in returns the field of a value, given as a struct: not valid if an object around it is not set.
func (f Field) in(v reflect.Value) reflect.Value {
	for i, step := range f.steps {
		if i > 0 {
			if v.IsNil() {
				return reflect.Value{}
			}
			v = v.Elem()
		}
		v = v.FieldByIndex(step)
	}
	return v
}

// of is [Field.in] that makes the objects around the field where they are missing.
func (f Field) of(v reflect.Value) reflect.Value {
	for i, step := range f.steps {
		if i > 0 {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.FieldByIndex(step)
	}
	return v
}

//go:generate go test ../api/openapi/openapitest -run TestHelpIsCurrent -update

// help is made of the comments of package api, by the name of the type and of the field in JSON.
//
//go:embed help.json
var help []byte

var helpTexts = sync.OnceValue(func() (all map[string]string) {
	if err := json.Unmarshal(help, &all); err != nil {
		panic(err) // unreachable: a test reads it
	}
	return all
})

func helpOf(typeName, field string) string { return helpTexts()[typeName+"."+field] }

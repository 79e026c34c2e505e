package form

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// Inputs returns the settings of a value as those of a form's inputs, by path: a list has a line for each entry, and
// one of choices a value for each. Settings that are not set are there, empty.
func Inputs[T any](v T) url.Values { return inputs(reflect.ValueOf(v)) }

func inputs(src reflect.Value) url.Values {
	out := url.Values{}
	for _, f := range of(src.Type()).Fields {
		if f.isInput() {
			out[f.Path] = f.input(f.in(src))
		}
	}
	return out
}

// isInput reports whether the setting has an input of its own; an object has one for each of its parts.
func (f Field) isInput() bool { return f.Switch || f.inner().Kind() != reflect.Struct }

// IsLines reports whether people write the setting on several lines.
func (f Field) IsLines() bool {
	return isList(f.Type) && !f.IsSet() && !f.splits() || f.Type.Kind() == reflect.Map
}

// IsSet reports whether people choose several values of the setting.
func (f Field) IsSet() bool { return (isList(f.Type) || f.Format == asList) && len(f.Choices) > 0 }

// IsLong reports whether the setting is a text of several lines.
func (f Field) IsLong() bool { return f.Format == asLines }

// IsSwitch reports whether the setting is on or off.
func (f Field) IsSwitch() bool { return f.Switch || f.inner().Kind() == reflect.Bool }

func (f Field) input(v reflect.Value) []string {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return []string{""}
		}
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
		return []string{""}
	case f.Switch:
		return []string{"true"}
	case f.Format == "millis" && v.Int() != 0:
		return []string{(time.Duration(v.Int()) * time.Millisecond).String()}
	}
	switch is := v.Interface().(type) {
	case []string:
		switch {
		case f.IsSet():
			return slices.Clone(is)
		case f.splits():
			return []string{strings.Join(is, ", ")}
		}
		return []string{strings.Join(is, "\n")}
	case map[string]api.FieldSpec:
		return []string{strings.Join(api.FieldLines(is), "\n")}
	}
	text := fmt.Sprint(v.Interface())
	switch {
	case (v.Kind() != reflect.Int || f.Min > 0) && v.IsZero():
		return []string{f.usual()}
	case f.Format == asList:
		return f.several(text)
	case f.Format == asShare:
		return []string{strconv.FormatFloat(100*v.Float(), 'g', 4, 64)}
	}
	return []string{text}
}

// usual returns the value of a choice that is not made: that which applies.
func (f Field) usual() string {
	if len(f.Choices) == 0 {
		return ""
	}
	return f.Default
}

// readInput is [Field.read] for an input: people write a share in percent.
func (f Field) readInput(lines []string) (any, error) {
	if f.Format != asShare {
		return f.read(lines)
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(lines[0], "%")), 64)
	if err != nil {
		return nil, errors.New("must be a number from 0 to 100, in percent")
	}
	if why := f.Wrong(n / 100); why != "" {
		return nil, errors.New(why)
	}
	return n / 100, nil
}

// Changes reads what a person typed into the inputs of the form and returns what they changed. Was has what the form
// showed, as [Inputs] returns it; inputs that it lacks were not shown. Each error is Invalid and names its setting.
func (f *Form) Changes(typed, was url.Values) (p api.Patch, errs []error) {
	p = api.Patch{}
	for _, f := range f.Fields {
		old, shown := was[f.Path]
		lines, before := f.lines(typed[f.Path]), f.lines(old)
		if !f.isInput() || !shown || slices.Equal(lines, before) {
			continue
		}
		path := strings.Split(f.Path, ".")
		if whole, named := p.Get(path[:len(path)-1]...); named && whole == nil && len(path) > 1 {
			continue // it is switched off
		}
		if len(lines) == 0 || len(lines) == 1 && f.usual() != "" && lines[0] == f.usual() {
			p.Set(nil, path...)
			continue
		}
		value, err := f.readInput(lines)
		if err != nil {
			text := "%s %w"
			if f.Type.Kind() == reflect.Map {
				text = "%s: %w"
			}
			errs = append(errs, fault.Field(f.Path, text, f.Path, err))
			continue
		}
		entries, isMap := value.(map[string]any)
		if !isMap {
			p.Set(value, path...)
			continue
		}
		for name := range f.named(before) {
			if _, stays := entries[name]; !stays {
				entries[name] = nil
			}
		}
		p.Set(entries, path...)
	}
	return p, errs
}

// named returns the entries that lines have.
func (f Field) named(lines []string) map[string]any {
	if len(lines) == 0 {
		return nil
	}
	value, err := f.read(lines)
	entries, _ := value.(map[string]any)
	if err != nil {
		return nil
	}
	return entries
}

// lines returns what was typed, without empty lines and the space around each.
func (f Field) lines(typed []string) (out []string) {
	for _, text := range typed {
		if f.splits() {
			text = strings.ReplaceAll(text, ",", "\n")
		}
		if !f.IsLines() && !f.splits() {
			text = strings.ReplaceAll(text, "\r\n", "\n")
			if text = strings.TrimSpace(text); text != "" {
				out = append(out, text)
			}
			continue
		}
		out = append(out, words.Parts(text, "\n")...)
	}
	return out
}

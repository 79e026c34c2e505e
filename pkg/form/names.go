package form

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

// Names returns the fields of a struct, given also by a pointer, by their names in JSON; for any other type, nil.
func Names(t reflect.Type) map[string]reflect.Type {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	out := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			out[name] = f.Type
		}
	}
	return out
}

// Mistyped says, of an error of decoding JSON into a type, where a value is of the wrong type, and what is wrong with
// it: must be text, not number. Ok is false for any other error.
func Mistyped(err error, into reflect.Type) (path, why string, ok bool) {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return "", "", false
	}
	var names []string
	for name := range strings.SplitSeq(wrong.Field, ".") {
		for into != nil && (into.Kind() == reflect.Slice || into.Kind() == reflect.Map || into.Kind() == reflect.Pointer) {
			into = into.Elem()
		}
		inner, known := Names(into)[name]
		if !known && into != nil && into.Kind() == reflect.Struct {
			if f, found := into.FieldByName(name); found && f.Anonymous {
				continue // encoding/json names embedded structs, too
			}
		}
		names, into = append(names, name), inner
	}
	return strings.Join(names, "."), "must be " + called(wrong.Type) + ", not " + wrong.Value, true
}

// called returns what JSON calls values of a Go type, such as "a list".
func called(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[api.TelegramID]():
		return "a whole number or text"
	case reflect.TypeFor[api.Constant]():
		return "a number or text"
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "a JSON object"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	default:
		return "text"
	}
}

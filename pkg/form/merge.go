package form

import (
	"reflect"
	"slices"
	"strings"
)

// Merge gives into the settings of from that it does not have yet, and calls took with the path of each. Entries of a
// map are settings of their own. If the map is full, an entry is left out, and took gets fits false.
//
// Into and from share lists afterwards, but no objects and no maps.
func Merge[T any](into *T, from T, took func(path string, fits bool)) {
	merge(reflect.ValueOf(into).Elem(), reflect.ValueOf(&from).Elem(), took)
}

func merge(to, src reflect.Value, took func(path string, fits bool)) {
	if src.IsZero() {
		return
	}
	for _, f := range of(to.Type()).units {
		given := f.in(src)
		if !given.IsValid() || isEmpty(given) {
			continue
		}
		if given.Kind() == reflect.Map {
			f.mergeMap(f.of(to), given, took)
		} else if has := f.of(to); isEmpty(has) {
			has.Set(given)
			took(f.Path, true)
		}
	}
}

func isEmpty(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.IsZero()
}

func (f Field) mergeMap(to, from reflect.Value, took func(path string, fits bool)) {
	merged := reflect.MakeMap(to.Type())
	for _, key := range to.MapKeys() {
		merged.SetMapIndex(key, to.MapIndex(key))
	}
	keys := from.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		if merged.MapIndex(key).IsValid() {
			continue
		}
		fits := f.Most == 0 || merged.Len() < f.Most
		if fits {
			merged.SetMapIndex(key, from.MapIndex(key))
		}
		took(f.Path+"."+key.String(), fits)
	}
	if merged.Len() > 0 {
		to.Set(merged)
	}
}

// Tidy removes objects that set nothing.
func Tidy[T any](v *T) { tidy(reflect.ValueOf(v).Elem()) }

// tidy reports whether anything is set.
func tidy(v reflect.Value) (isSet bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Elem().Kind() != reflect.Struct {
			return !v.IsNil()
		}
		if !tidy(v.Elem()) {
			v.SetZero()
		}
		return !v.IsNil()
	case reflect.Struct:
		for i := range v.NumField() {
			isSet = tidy(v.Field(i)) || isSet
		}
		return isSet
	case reflect.Map, reflect.Slice:
		return v.Len() > 0
	}
	return !v.IsZero()
}

package entry

import (
	"maps"
	"slices"
)

// keyColumns contain an entry's identity. A null in the input does not remove a key from an entry, because
// normalization writes null for each key that it does not make.
var keyColumns = []string{"idempotency_policy_key", "idempotency_key_primary", "idempotency_key_secondary"}

// Writable returns the fields that may be written. It drops the store's own columns and null keys.
func (f Fields) Writable() Fields {
	out := maps.Clone(f)
	for _, name := range immutable {
		delete(out, name)
	}
	for _, name := range keyColumns {
		if out.Text(name) == "" {
			delete(out, name)
		}
	}
	if out[skippedField] == true {
		out["clean_text"] = nil
	}
	delete(out, skippedField)
	return out
}

// Overlay returns a copy of old in which the writable fields of the input replace those of old. If a list of columns
// is given, only the columns in it are replaced. Metadata is merged; everything else is replaced.
func Overlay(old, in Fields, only []string) Fields {
	out := maps.Clone(old)
	for name, value := range in {
		if only != nil && !slices.Contains(only, name) {
			continue
		}
		switch {
		case name == "metadata":
			into, _ := out[name].(map[string]any)
			if more, ok := value.(map[string]any); ok {
				out[name] = mergeObjects(into, more)
			}
		case value == nil || value == "":
			delete(out, name)
		default:
			out[name] = value
		}
	}
	return out
}

// mergeObjects returns a copy of one object with the members of another. It changes neither of them. Objects are
// merged at every level. Of all other values, including lists and null, those of the second object are used.
func mergeObjects(into, more map[string]any) map[string]any {
	out := maps.Clone(into)
	if out == nil {
		out = map[string]any{}
	}
	for name, value := range more {
		old, isObject := out[name].(map[string]any)
		if new, also := value.(map[string]any); also && isObject {
			value = mergeObjects(old, new)
		}
		out[name] = value
	}
	return out
}

// add copies the given columns into f.
func (f Fields) add(more Fields) {
	maps.Copy(f, more)
}

// merge merges an object into the member of the metadata with the given name.
func (f Fields) merge(name string, object map[string]any) {
	meta, _ := f["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		f["metadata"] = meta
	}
	if len(object) > 0 {
		meta[name] = object
	}
}

package entry

import (
	"maps"
	"slices"
)

// keyColumns are an entry's identity. Null does not take a key away from an entry: what is normalized
// without one says so with null.
var keyColumns = []string{"idempotency_policy_key", "idempotency_key_primary", "idempotency_key_secondary"}

// retrievalColumns are what a text that is empty when clean must not overwrite.
var retrievalColumns = []string{
	"clean_text", "retrieval_excerpt", "clean_char_count", "extracted_char_count", "clean_word_count", "link_count",
	"clean_vs_extracted_ratio", "link_ratio", "quality_score", "boilerplate_heavy", "low_signal", "extraction_incomplete",
}

// Writable is what of the fields may be written: not the store's own columns, nor null keys, nor what
// belongs to a text that is empty when clean.
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
		for _, name := range retrievalColumns {
			delete(out, name)
		}
	}
	delete(out, skippedField)
	return out
}

// Overlay is an entry with what came in, which is writable, over it: only the columns listed, or all
// when only is nil. Metadata is merged, everything else replaced.
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

// mergeObjects is into with more over it: objects are merged at every level, all other values, lists
// and null among them, are replaced. Neither is changed.
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

// add takes over columns.
func (f Fields) add(more Fields) {
	for name, value := range more {
		f[name] = value
	}
}

// merge puts an object into the metadata under a name.
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

package verdict

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Fields are the fields that are asked for of an item, with keys that identify their definitions.
type Fields struct {
	Specs []field.Spec
	keys  map[string]string
}

// fieldsOf returns the fields that the options of an item ask for.
func fieldsOf(set *api.Watch) (f Fields) {
	if set == nil || len(set.Fields) == 0 {
		return f
	}
	f.keys = map[string]string{}
	f.Specs, _ = field.Asked(set.Fields) // checked before it was stored
	for _, s := range f.Specs {
		f.keys[s.Name] = keyOf(s)
	}
	return f
}

// HaveOthers reports whether a field is asked for that was not read by its present definition, unless no field of the
// page can be read.
func (f Fields) HaveOthers(it *registry.Item) bool {
	return slices.ContainsFunc(f.Specs, func(s field.Spec) bool {
		known, ok := it.Fields.Field(s.Name)
		return !ok || known.Key != f.keys[s.Name] && known.State != field.Unread
	})
}

// keyOf returns a short text that is another for other rules.
func keyOf(rules ...any) string {
	text, _ := json.Marshal(rules) // strings always encode
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, xxhash.Sum64(text)))
}

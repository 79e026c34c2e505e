package field

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
)

// objects makes items of the objects of JSON-LD.
type objects struct {
	source map[string]jsonld.Object // by their ids
	named  map[string]*Item         // the items of these
	items  int                      // how many were made
	props  int
}

// ofObjects returns the items of objects. More reports whether there are more than are read.
func ofObjects(list []jsonld.Object) (all []*Item, more bool) {
	r := objects{source: map[string]jsonld.Object{}, named: map[string]*Item{}}
	for _, o := range list {
		if id, _ := o["@id"].(string); id != "" && len(o) > 1 && r.source[id] == nil {
			r.source[id] = o
		}
	}
	for _, o := range list {
		if it := r.item(o, 0); it != nil && !slices.Contains(all, it) {
			all = append(all, it)
		}
	}
	return all, r.items >= maxItems || r.props > maxProps
}

// item returns the item of an object. An object that has nothing but an id stands for the object with that id.
func (r *objects) item(o jsonld.Object, depth int) *Item {
	id, _ := o["@id"].(string)
	if known := r.named[id]; known != nil && len(o) == 1 {
		return known
	}
	if named := r.source[id]; named != nil && len(o) == 1 {
		o = named
	}
	if depth > maxDepth || r.items >= maxItems {
		return nil
	}
	r.items++
	it := &Item{ID: id, Types: typesOf(textsIn(o["@type"]))}
	if id != "" && r.named[id] == nil {
		r.named[id] = it
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if strings.HasPrefix(key, "@") {
			continue
		}
		r.add(it, nameOf(key), o[key], depth)
	}
	return it
}

// add adds the values of a property, which may be a list.
func (r *objects) add(it *Item, name string, value any, depth int) {
	if r.props++; r.props > maxProps {
		return
	}
	switch v := value.(type) {
	case []any:
		if depth > maxDepth {
			return
		}
		for _, one := range v {
			r.add(it, name, one, depth+1)
		}
	case jsonld.Object:
		if text := textIn(v["@value"]); text != "" {
			it.Props = append(it.Props, Prop{name, PropValue{Text: text}})
		} else if inner := r.item(v, depth+1); inner != nil {
			it.Props = append(it.Props, Prop{name, PropValue{Item: inner}})
		}
	default:
		if text := textIn(value); text != "" {
			it.Props = append(it.Props, Prop{name, PropValue{Text: text}})
		}
	}
}

// textIn returns the text of a text, a number or a truth value.
func textIn(value any) string {
	switch v := value.(type) {
	case string:
		return words.Clip(strings.TrimSpace(v), maxItemText)
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// textsIn returns the texts in a value, which may be a list.
func textsIn(value any) (all []string) {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	const most = 10
	for _, one := range list[:min(len(list), most)] {
		if text := textIn(one); text != "" {
			all = append(all, text)
		}
	}
	return all
}

package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// Patch is a JSON Merge Patch (RFC 7396) of settings, by their names in JSON. An object changes what it names, a list
// replaces the whole list, null removes a setting, and what is not named stays.
type Patch map[string]any

// Patching is the part of a request that is sent as it is given, besides the other fields of the request that are set.
// It can remove settings, and set those that Go cannot tell from ones that are left out.
type Patching struct {
	Patch Patch `json:"-"`
}

// SetPatch sets the patch. A server calls it with the body of a request.
func (p *Patching) SetPatch(body Patch) { p.Patch = body }

func (p Patching) patch() Patch { return p.Patch }

// Set names a setting by its path, such as "watch", "trigger". A nil value removes it. Copies of the patch stay.
func (p Patch) Set(value any, path ...string) {
	for _, name := range path[:len(path)-1] {
		inner, _ := objectOf(p[name])
		if inner = maps.Clone(inner); inner == nil {
			inner = Patch{}
		}
		p[name], p = inner, inner
	}
	p[path[len(path)-1]] = value
}

// Get returns what the patch says of a setting, and whether it names it. The value is nil if the setting, or an object
// around it, is removed.
func (p Patch) Get(path ...string) (value any, named bool) {
	for i, name := range path {
		if value, named = p[name]; !named || value == nil {
			return value, named
		}
		if i < len(path)-1 {
			p, named = objectOf(value)
			if !named {
				return nil, false
			}
		}
	}
	return value, named
}

// Sets reports whether the patch gives a setting, or a part of it, a value.
func (p Patch) Sets(path ...string) bool {
	value, _ := p.Get(path...)
	object, isObject := objectOf(value)
	for name := range object {
		if object.Sets(name) {
			return true
		}
	}
	return value != nil && !isObject
}

// Without returns the patch without some of its names.
func (p Patch) Without(names ...string) Patch {
	out := Patch{}
	maps.Copy(out, p)
	maps.DeleteFunc(out, func(name string, _ any) bool { return slices.Contains(names, name) })
	return out
}

// Apply changes a value, given by a pointer, as the patch says. It shares no memory with what the value was before.
// Errors are those of [json.Unmarshal].
func (p Patch) Apply(value any) error {
	now, err := patchOf(value)
	if err != nil {
		return err
	}
	merged, err := json.Marshal(now.merge(p))
	if err != nil {
		return err
	}
	to := reflect.ValueOf(value).Elem()
	fresh := reflect.New(to.Type())
	if err := json.Unmarshal(merged, fresh.Interface()); err != nil {
		return err
	}
	to.Set(fresh.Elem())
	return nil
}

// merge changes a document as a patch says.
func (p Patch) merge(by Patch) Patch {
	if p == nil {
		p = Patch{}
	}
	for name, value := range by {
		inner, isObject := objectOf(value)
		switch {
		case value == nil:
			delete(p, name)
		case isObject:
			old, _ := objectOf(p[name])
			p[name] = map[string]any(old.merge(inner))
		default:
			p[name] = value
		}
	}
	return p
}

func objectOf(value any) (Patch, bool) {
	switch o := value.(type) {
	case Patch:
		return o, true
	case map[string]any:
		return o, true
	}
	return nil, false
}

// patchOf returns a value as a document.
func patchOf(value any) (out Patch, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return ParsePatch(text)
}

// ParsePatch reads a JSON object. Numbers keep their form.
func ParsePatch(text []byte) (out Patch, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return out, d.Decode(&out)
}

// bodyOf returns the body of a request. Of a request with a [Patch], only the fields that are set are sent.
func bodyOf(request any) any {
	p, patches := request.(interface{ patch() Patch })
	if !patches || p.patch() == nil {
		return request
	}
	body, err := patchOf(request)
	if err != nil {
		return request // unreachable: these types can be encoded
	}
	maps.DeleteFunc(body, func(_ string, value any) bool {
		list, isList := value.([]any)
		return value == nil || value == "" || isList && len(list) == 0
	})
	maps.Copy(body, p.patch())
	return body
}

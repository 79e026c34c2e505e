package form

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// Flags are the flags of settings on the command line, and the patch that those make which a person gives.
type Flags struct {
	All []*Flag
}

// Flag is a flag that sets a setting. It has the methods that package pflag asks of a value.
type Flag struct {
	Name, Usage string
	fields      []Field // several if they have the same flag, such as time zones
	given       []string
}

// Flags returns the flags of the settings, but for those below a path of without.
func (f *Form) Flags(without ...string) *Flags {
	out := &Flags{}
	for _, one := range f.Fields {
		top, _, _ := strings.Cut(one.Path, ".")
		if one.Flag == "" || slices.Contains(without, top) {
			continue
		}
		is := func(g *Flag) bool { return g.Name == one.Flag }
		if i := slices.IndexFunc(out.All, is); i >= 0 {
			out.All[i].fields = append(out.All[i].fields, one)
			continue
		}
		out.All = append(out.All, &Flag{Name: one.Flag, Usage: one.usage(), fields: []Field{one}})
	}
	return out
}

// usage is the help text of the flag.
func (f Field) usage() string {
	text := f.Help
	var values []string
	for _, c := range f.Choices {
		if c.Text != c.Value {
			c.Value += " (" + c.Text + ")"
		}
		values = append(values, c.Value)
	}
	if len(values) > 0 {
		text += ": " + strings.Join(values, ", ")
	}
	if isList(f.Type) && !f.splits() || f.Type.Kind() == reflect.Map {
		text += "; may be repeated"
	}
	return text
}

func isList(t reflect.Type) bool { return t.Kind() == reflect.Slice }

// splits reports whether the flag of a list takes several entries at once, separated by commas.
func (f Field) splits() bool { return isList(f.Type) && strings.Contains(f.Argument, ",") }

// Type returns what the flag takes.
func (f *Flag) Type() string {
	if f.IsSwitch() {
		return "bool"
	}
	return f.fields[0].Argument
}

// IsSwitch reports whether the flag may be given without a value.
func (f *Flag) IsSwitch() bool { return f.fields[0].IsSwitch() }

// String returns what was given.
func (f *Flag) String() string {
	if f == nil {
		return ""
	}
	return strings.Join(f.given, ",")
}

// Set notes what a person gives.
func (f *Flag) Set(text string) error {
	f.given = append(f.given, text)
	if len(f.fields) > 1 || f.clears() {
		return nil // of several, it is not known yet which of them is meant
	}
	_, err := f.fields[0].read(f.given)
	return err
}

// clears reports whether the setting is removed: an empty text is given.
func (f *Flag) clears() bool {
	return f.given[len(f.given)-1] == "" && !isList(f.fields[0].Type) && f.fields[0].Type.Kind() != reflect.Map
}

// into adds what was given to a patch.
func (f *Flag) into(p api.Patch) error {
	one := f.fields[0]
	path := strings.Split(one.Path, ".")
	if f.clears() {
		p.Set(nil, path...)
		return nil
	}
	value, err := one.read(f.given)
	entries, isObject := value.(map[string]any)
	if there, _ := p.Get(path...); isObject && there == nil {
		p.Set(api.Patch{}, path...)
	}
	for name, entry := range entries {
		p.Set(entry, append(slices.Clone(path), name)...)
	}
	if !isObject {
		p.Set(value, path...)
	}
	return err
}

// Check reports the first flag with a value that its setting may not have.
func (f *Flags) Check(p api.Patch) error {
	for _, flag := range f.All {
		one := flag.fields[0]
		value, named := p.Get(strings.Split(one.Path, ".")...)
		if why := one.Wrong(value); named && why != "" {
			return fmt.Errorf("--%s %s", flag.Name, why)
		}
	}
	return nil
}

// inner returns the type of a value that is set.
func (f Field) inner() reflect.Type {
	if f.Type.Kind() == reflect.Pointer {
		return f.Type.Elem()
	}
	return f.Type
}

// read reads what people write of the setting: several texts only of a list and of a map. The result is as a patch has
// it; of an object or a map, it names the parts.
func (f Field) read(texts []string) (any, error) {
	switch t := f.inner(); {
	case t.Kind() == reflect.Map:
		return f.readMap(texts)
	case f.Format == asList:
		return strings.Join(texts, ","), nil
	case f.splits():
		return append([]string{}, f.lines(texts)...), nil
	case isList(t) && t.Elem().Kind() == reflect.Int:
		return readInts(texts)
	case isList(t):
		return slices.Clone(texts), nil
	case f.Switch || t.Kind() == reflect.Struct:
		return f.readObject(strings.TrimSpace(texts[len(texts)-1]))
	}
	return f.readOne(texts[len(texts)-1])
}

// readInts reads several whole numbers.
func readInts(texts []string) (out []int, err error) {
	for _, text := range texts {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("must be a whole number, not %.40q", text)
		}
		out = append(out, n)
	}
	return out, nil
}

// readMap reads the entries of a map.
func (f Field) readMap(texts []string) (any, error) {
	out := map[string]any{}
	if f.Type == reflect.TypeFor[map[string]string]() {
		for _, text := range texts {
			name, value, found := strings.Cut(text, "=")
			if !found {
				return nil, fmt.Errorf("%.40q is not of the form %s", text, f.Argument)
			}
			out[name] = value
		}
		return out, nil
	}
	fields, err := api.ParseFieldLines(texts)
	for name, s := range fields {
		out[name] = whole(s)
	}
	return out, err
}

// readObject reads an object that people write as one text.
func (f Field) readObject(text string) (any, error) {
	switch t := f.inner(); {
	case f.Switch:
		if on, err := strconv.ParseBool(text); !on {
			return nil, err
		}
		return map[string]any{}, nil
	case t == reflect.TypeFor[api.Interval]():
		least, most, isRange := strings.Cut(text, "..")
		if !isRange {
			most = least
		}
		return map[string]any{"min": orNull(least), "max": orNull(most)}, nil
	case t == reflect.TypeFor[api.Schedule]():
		if isCron(text) {
			return map[string]any{"cron": text}, nil
		}
		return map[string]any{"text": text}, nil
	case written[t].read != nil:
		return written[t].read(text)
	}
	from, to, found := strings.Cut(text, "-")
	if !found {
		return nil, fmt.Errorf("give two times of day, as %s", f.Argument)
	}
	return map[string]any{"from": from, "to": to}, nil
}

// readOne reads a value that is neither an object nor several.
func (f Field) readOne(text string) (any, error) {
	last := strings.TrimSpace(text)
	switch kind := f.inner().Kind(); {
	case len(f.Choices) > 0 && kind == reflect.String:
		for _, c := range f.Choices {
			if strings.EqualFold(c.Value, last) {
				return c.Value, nil
			}
		}
	case f.Format == "millis":
		if _, err := strconv.Atoi(last); err == nil {
			last += "ms"
		}
		d, err := time.ParseDuration(last)
		if err != nil {
			return nil, fmt.Errorf("must be a time such as 500ms or 5s, not %.40q", last)
		}
		return int(d.Milliseconds()), nil
	case f.Format == "hostname":
		return strings.ToLower(last), nil
	case kind == reflect.Bool:
		return strconv.ParseBool(last)
	case kind == reflect.Int:
		n, err := strconv.Atoi(last)
		if err != nil {
			return nil, fmt.Errorf("must be a whole number, not %.40q", last)
		}
		return n, nil
	case kind == reflect.Float64:
		n, err := strconv.ParseFloat(last, 64)
		if err != nil {
			return nil, fmt.Errorf("must be a number, not %.40q", last)
		}
		return n, nil
	}
	return text, nil
}

// whole returns an object as a patch that leaves nothing of what it was before: all parts are named.
func whole(v any) map[string]any {
	out, of := map[string]any{}, reflect.ValueOf(v)
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Type().Field(i).Tag.Get("json"), ",")
		if out[name] = nil; !of.Field(i).IsZero() {
			out[name] = of.Field(i).Interface()
		}
	}
	return out
}

// written are the objects that people write as one text: how it is read, and said.
var written = map[reflect.Type]struct {
	read func(string) (any, error)
	say  func(any) string
}{}

// Write makes an object of package api one that people write as one text, such as the condition of a rule. Only the
// package that knows the text calls it, when the program begins. Settings are pointers to such objects.
func Write[T any](read func(text string) (T, error), say func(*T) string) struct{} {
	w := written[reflect.TypeFor[T]()]
	w.say = func(v any) string { return say(v.(*T)) }
	w.read = func(text string) (any, error) {
		v, err := read(text)
		return whole(v), err
	}
	written[reflect.TypeFor[T]()] = w
	return struct{}{}
}

// isCron reports whether a schedule is written as a cron expression.
func isCron(text string) bool {
	return strings.ContainsAny(text, "*/") || len(strings.Fields(text)) == 5 && text[0] <= '9'
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// Patch returns the changes that were asked for, those of an object before those of its parts. A flag of several
// settings, such as a time zone, is for those that are given beside it.
func (f *Flags) Patch() (api.Patch, error) {
	p := api.Patch{}
	for _, flag := range f.All {
		if len(flag.given) == 0 || len(flag.fields) > 1 {
			continue
		}
		if err := flag.into(p); err != nil {
			return nil, err
		}
	}
	for _, flag := range f.All {
		if len(flag.fields) < 2 || len(flag.given) == 0 {
			continue
		}
		meant := false
		var needs []string
		for _, one := range flag.fields {
			path := strings.Split(one.Path, ".")
			around := slices.IndexFunc(f.All, func(g *Flag) bool { return g.fields[0].Path == one.Whole })
			if around >= 0 {
				needs = append(needs, "--"+f.All[around].Name)
			}
			if around < 0 || p.Sets(path[:len(path)-1]...) {
				p.Set(flag.given[len(flag.given)-1], path...)
				meant = true
			}
		}
		if !meant {
			return nil, fmt.Errorf("--%s is of %s: give one of them, too", flag.Name, strings.Join(needs, " and "))
		}
	}
	return p, nil
}

// Clear names a setting to remove: by its flag, by its path, or by that of an object around it. An entry of a map is
// named behind the path of the map.
func (f *Form) Clear(p api.Patch, name string) error {
	var names []string
	found := false
	for _, one := range f.Fields {
		path := strings.Split(one.Path, ".")
		if entry, isEntry := strings.CutPrefix(name, one.Path+"."); isEntry && one.Type.Kind() == reflect.Map {
			path = append(path, entry)
		} else if strings.HasPrefix(one.Path, name+".") {
			path = strings.Split(name, ".")
		} else if one.Path != name && (one.Flag != name || name == "") {
			names = append(names, cmp.Or(one.Flag, one.Path))
			continue
		}
		p.Set(nil, path...)
		found = true
	}
	if !found {
		slices.Sort(names)
		return fmt.Errorf("there is no setting %.40q to clear: name one of %s", name,
			strings.Join(slices.Compact(names), ", "))
	}
	return nil
}

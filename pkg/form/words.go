package form

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// Fact is a setting in words.
type Fact struct{ Path, Label, Value string }

func (f Fact) Lower() string { return strings.ToLower(f.Label[:1]) + f.Label[1:] }

// Facts puts the settings that a value has into words, in the order of their description. A setting that is merged as
// a whole is one fact, and each entry of a map is one.
func Facts[T any](v T) (out []Fact) {
	src := reflect.ValueOf(&v).Elem()
	for _, f := range of(src.Type()).units {
		value := f.in(src)
		if !value.IsValid() || isEmpty(value) {
			continue
		}
		if fields, ok := value.Interface().(map[string]api.FieldSpec); ok {
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				out = append(out, Fact{f.Path + "." + name, f.Label, api.FieldLine(name, fields[name])})
			}
			continue
		}
		if fields, ok := value.Interface().(map[string]string); ok {
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				out = append(out, Fact{f.Path + "." + name, name, fields[name]})
			}
			continue
		}
		for _, part := range f.parts(value) {
			if text := part.Field.Words(part.value); text != "" {
				out = append(out, Fact{part.Path, part.Label, text})
			}
		}
	}
	return out
}

type part struct {
	Field
	value reflect.Value
}

// parts returns what is shown of a setting that is merged as a whole: itself, or its parts if it has no label.
func (f Field) parts(v reflect.Value) []part {
	if f.Label != "" {
		return []part{{f, v}}
	}
	var out []part
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	for _, inner := range of(v.Type()).Fields {
		if value := inner.in(v); value.IsValid() {
			inner.Path = f.Path + "." + inner.Path
			out = append(out, part{inner, value})
		}
	}
	return out
}

// Words puts a value of the setting into words; "" if it is not set.
func (f Field) Words(v reflect.Value) string {
	if say := written[f.inner()].say; say != nil {
		return say(v.Interface())
	}
	switch is := v.Interface().(type) {
	case *api.QuietHours:
		return Quiet(is)
	case *api.Interval:
		return Every(is)
	case *api.Schedule:
		return When(is)
	case *api.ActiveHours:
		return Hours(is)
	case []string:
		all := slices.Clone(is)
		for i := range all {
			all[i] = f.Text(all[i])
		}
		return strings.Join(all, ", ")
	case string:
		all := f.several(is)
		for i := range all {
			all[i] = f.Text(all[i])
		}
		return strings.Join(all, ", ")
	case float64:
		if f.Format == asShare {
			return strconv.FormatFloat(100*is, 'g', 4, 64) + " %"
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return f.Words(v.Elem())
	case reflect.Bool:
		return map[bool]string{true: "yes"}[v.Bool()]
	case reflect.Struct:
		return "yes"
	case reflect.Int:
		return words.Thousands(int(v.Int()))
	}
	return fmt.Sprint(v.Interface())
}

// Every puts an interval into words: every 1 to 7 days.
func Every(i *api.Interval) string {
	if i == nil || i.Min+i.Max == "" {
		return ""
	}
	least, most := span(i.Min), span(i.Max)
	switch {
	case least == most:
		return "every " + strings.TrimPrefix(most, "1 ")
	case least == "":
		return "at least every " + strings.TrimPrefix(most, "1 ")
	case most == "":
		return "at most every " + strings.TrimPrefix(least, "1 ")
	}
	n, unit, _ := strings.Cut(least, " ")
	if _, other, _ := strings.Cut(most, " "); strings.TrimSuffix(unit, "s") == strings.TrimSuffix(other, "s") {
		least = n
	}
	return "every " + least + " to " + most
}

// span writes a length in words; any other text stays as it is.
func span(text string) string {
	if d, why := length(text); why == "" {
		return words.Exact(d)
	}
	return text
}

// When puts a schedule into words: daily at 9am, Europe/Paris.
func When(s *api.Schedule) string {
	if s == nil {
		return ""
	}
	return cmp.Or(s.Text, s.Cron) + ", " + cmp.Or(s.Timezone, "UTC")
}

// Quiet puts quiet hours into words: 22:00 to 07:00, Europe/Paris.
func Quiet(q *api.QuietHours) string {
	if q == nil {
		return ""
	}
	return strings.TrimSuffix(q.From+" to "+q.To+", "+q.Timezone, ", ")
}

// Sent says when a rule sends messages: daily at 07:30, quiet 22:00 to 07:00, Europe/Paris.
func Sent(r api.RuleSpec) string {
	text := map[string]string{"hourly": "hourly", "daily": "daily at " + r.At}[r.Digest]
	if text = cmp.Or(text, "at once"); r.QuietHours != nil {
		text += ", quiet " + Quiet(r.QuietHours)
	}
	if r.Timezone != "" {
		text += ", " + r.Timezone
	}
	return text
}

// Line lists the settings of a value in one line.
func Line[T any](v T) string {
	var said []string
	for _, f := range Facts(v) {
		said = append(said, f.Lowered()+" "+f.Value)
	}
	return strings.Join(said, "; ")
}

// Lowered returns the label as it stands within a line.
func (f Fact) Lowered() string { return strings.ToLower(f.Label[:1]) + f.Label[1:] }

// Hours puts hours of the day into words: 08:00 to 18:00, mon tue, UTC.
func Hours(a *api.ActiveHours) string {
	if a == nil {
		return ""
	}
	var parts []string
	if a.From != "" {
		parts = append(parts, a.From+" to "+a.To)
	}
	if len(a.Days) > 0 {
		parts = append(parts, strings.Join(a.Days, " "))
	}
	return strings.Join(append(parts, cmp.Or(a.Timezone, "UTC")), ", ")
}

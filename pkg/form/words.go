package form

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// Fact is a setting, or what is known of a thing, in words.
type Fact struct {
	Path, Label, Value string
	At                 time.Time // in place of the value: when that was
	From               string    // of a setting in force: item, default, or tag followed by the name of a tag
}

// Text returns the value, and of a time how far it is from now.
func (f Fact) Text(now time.Time) string { return f.Value + words.Moment(now, f.At) }

// Lowered returns the label as it stands within a line.
func (f Fact) Lowered() string {
	switch upper := strings.ToUpper(f.Label); {
	case upper == f.Label:
		return strings.ToLower(f.Label)
	case upper[1] == f.Label[1]: // ETag
		return f.Label
	}
	return strings.ToLower(f.Label[:1]) + f.Label[1:]
}

// Own reports whether the item itself has the setting.
func (f Fact) Own() bool { return f.From == "item" }

// Tag returns the tag that has the setting; "" if none has.
func (f Fact) Tag() string {
	tag, isTag := strings.CutPrefix(f.From, "tag ")
	if !isTag {
		return ""
	}
	return tag
}

// Facts puts what a value has into words, in the order of its description. What is merged as a whole is one fact, and
// each entry of a map is one. Fields without a label are left out.
func Facts[T any](v T) []Fact { return facts(reflect.ValueOf(v)) }

func facts(src reflect.Value) (out []Fact) {
	for _, f := range of(src.Type()).units {
		value := f.in(src)
		if !value.IsValid() || isEmpty(value) || f.Label == "" && !isObject(f.inner()) {
			continue
		}
		switch is := value.Interface().(type) {
		case map[string]api.FieldSpec:
			for _, name := range slices.Sorted(maps.Keys(is)) {
				out = append(out, Fact{Path: f.Path + "." + name, Label: f.Label, Value: api.FieldLine(name, is[name])})
			}
			continue
		case map[string]string:
			for _, name := range slices.Sorted(maps.Keys(is)) {
				out = append(out, Fact{Path: f.Path + "." + name, Label: name, Value: is[name]})
			}
			continue
		case map[string]api.ItemField:
			for _, name := range slices.Sorted(maps.Keys(is)) {
				out = append(out, Fact{Path: f.Path + "." + name, Label: name, Value: fieldWords(is[name])})
			}
			continue
		case time.Time:
			if f.Format != "day" {
				out = append(out, Fact{Path: f.Path, Label: f.Label, At: is})
				continue
			}
		}
		for _, part := range f.parts(value) {
			if text := part.Field.words(part.value); text != "" {
				out = append(out, Fact{Path: part.Path, Label: part.Label, Value: text})
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

// words puts a value of the setting into words; "" if it is not set.
func (f Field) words(v reflect.Value) string {
	if say := written[f.inner()].say; say != nil {
		return say(v.Interface())
	}
	switch is := v.Interface().(type) {
	case *api.QuietHours:
		return quiet(is)
	case *api.Interval:
		return Every(is)
	case *api.Schedule:
		return When(is)
	case *api.ActiveHours:
		return hoursText(is)
	case *api.ItemChecks:
		return demandWords(is)
	case *api.WatchEmpty:
		return "since " + is.Since.UTC().Format(time.DateOnly)
	case *api.Uncompared:
		return uncomparedWords(is)
	case *api.IgnoreOffer:
		return fmt.Sprintf("%q has moved at %d of %s: ignore it? The pattern would be %s", is.Line, is.Times,
			words.Count(is.Of, "check"), is.Ignore)
	case *api.Small:
		return is.Words()
	case *api.UnreadData:
		return Unread(is)
	case *api.ListState:
		return listWords(is)
	case *api.FolderState:
		return folderWords(is)
	case *api.ListedEntry:
		return listedWords(is)
	case []api.ChangedField:
		return joined(is, changedWords)
	case []api.RefusedRequests:
		return joined(is, api.RefusedRequests.Words)
	case time.Time:
		return is.UTC().Format(time.DateOnly)
	case []string:
		all := slices.Clone(is)
		for i := range all {
			all[i] = f.Text(all[i])
		}
		return strings.Join(all, ", ")
	case string:
		if f.Format == "missing" {
			is = strings.TrimPrefix(is, "something may be missing: ")
		}
		all := f.several(is)
		for i := range all {
			all[i] = f.Text(all[i])
		}
		return strings.Join(all, ", ")
	case float64:
		if f.Format == asShare {
			return strconv.FormatFloat(100*is, 'g', 4, 64) + "%"
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return f.words(v.Elem())
	case reflect.Bool:
		text := strconv.FormatBool(v.Bool())
		return cmp.Or(strings.TrimPrefix(f.Text(text), text), map[bool]string{true: "yes"}[v.Bool()])
	case reflect.Struct:
		return "yes"
	case reflect.Int, reflect.Int64:
		return f.numberWords(v.Int())
	case reflect.Float64:
		return fmt.Sprintf("%.3g", v.Float())
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

// quiet puts quiet hours into words: 22:00 to 07:00, Europe/Paris.
func quiet(q *api.QuietHours) string {
	if q == nil {
		return ""
	}
	return strings.TrimSuffix(q.From+" to "+q.To+", "+q.Timezone, ", ")
}

// Sent says when a rule sends messages: daily at 07:30, quiet 22:00 to 07:00, Europe/Paris.
func Sent(r api.RuleSpec) string {
	text := map[string]string{"hourly": "hourly", "daily": "daily at " + r.At}[r.Digest]
	if text = cmp.Or(text, "at once"); r.QuietHours != nil {
		text += ", quiet " + quiet(r.QuietHours)
	}
	if r.Timezone != "" {
		text += ", " + r.Timezone
	}
	return text
}

// Line lists the settings of a value in one line.
func Line[T any](v T) string { return line(Facts(v)) }

func line(facts []Fact) string {
	var said []string
	for _, f := range facts {
		said = append(said, f.Lowered()+" "+f.Value)
	}
	return strings.Join(said, "; ")
}

// hoursText puts hours of the day into words: 08:00 to 18:00, mon tue, UTC.
func hoursText(a *api.ActiveHours) string {
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

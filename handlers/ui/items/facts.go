package items

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// facts describes settings in words. The map holds the source of each setting, as in [api.Effective]; it may be nil.
func facts(s api.TagSettings, from map[string]string) (out []frame.Fact) {
	add := func(field, name, value string) {
		if value != "" {
			tag, _ := strings.CutPrefix(from[field], "tag ")
			f := frame.Fact{Field: field, Name: name, Value: value, Own: from[field] == "item"}
			if tag != from[field] {
				f.Tag = tag
			}
			out = append(out, f)
		}
	}
	if i := s.Interval; i != nil {
		add("interval", "Check interval", intervalText(*i))
	}
	if c := s.Schedule; c != nil {
		add("schedule", "Schedule", cmp.Or(c.Text, c.Cron)+", "+cmp.Or(c.Timezone, "UTC"))
	}
	if a := s.ActiveHours; a != nil {
		add("activeHours", "Active hours", hoursText(*a))
	}
	if s.Priority != nil {
		add("priority", "Priority", strconv.Itoa(*s.Priority))
	}
	if w := s.Watch; w != nil {
		add("watch.include", "Watched parts", strings.Join(w.Include, ", "))
		add("watch.exclude", "Excluded parts", strings.Join(w.Exclude, ", "))
		add("watch.ignore", "Ignored lines", strings.Join(w.Ignore, ", "))
		add("watch.trigger", "Trigger", w.Trigger)
		add("watch.list", "List", listWords[w.List])
		add("watch.listLinks", "Links of its entries", strings.Join(w.ListLinks, ", "))
		for _, name := range slices.Sorted(maps.Keys(w.Fields)) {
			add("watch.fields."+name, "Value", api.FieldLine(name, w.Fields[name]))
		}
		add("watch.index", "Indexed", map[string]string{"page": "the whole page", "watched": "the watched part"}[w.Index])
	}
	s.Render = cmp.Or(renderWords[s.Render], s.Render)
	for _, t := range renderingTexts(&s.Rendering) {
		add(t.Field, t.Name, *t.text)
	}
	add(postHosts, "May send a POST to", strings.Join(s.PostHosts, ", "))
	return out
}

// intervalText describes an interval in words.
func intervalText(i api.Interval) string {
	if i.Min == i.Max {
		return "every " + i.Min
	}
	return cmp.Or(i.Min, "default") + " to " + cmp.Or(i.Max, "default")
}

// hoursText describes active hours in words.
func hoursText(a api.ActiveHours) string {
	var parts []string
	if a.From != "" {
		parts = append(parts, a.From+" to "+a.To)
	}
	if len(a.Days) > 0 {
		parts = append(parts, strings.Join(a.Days, " "))
	}
	return strings.Join(append(parts, cmp.Or(a.Timezone, "UTC")), ", ")
}

// effectiveFacts describes in words the settings that apply to an item.
func effectiveFacts(e *api.Effective) []frame.Fact {
	if e == nil {
		return nil
	}
	return facts(e.TagSettings, e.From)
}

// listWords say what is done with the entries of a list.
var listWords = map[string]string{"tell": "new ones are told", "add": "new ones are told and added",
	"addAll": "new ones are told, all are added"}

package options

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
)

// Tag is a tag with the options that it sets for its items.
type Tag struct {
	Name string
	Options
}

// Fields lists the settings that are merged separately, by their names in the API. Each part of a watch is a separate
// setting, and so is each field that is read of the page, by the name that [FieldSetting] gives.
var Fields = append([]string{"watch.include", "watch.exclude", "watch.ignore", "watch.trigger", "watch.index",
	"watch.list", "watch.listLinks", "interval", "schedule", "activeHours", "priority", "files"}, renderFields...)

// Effective are the options that apply to an item.
type Effective struct {
	Options
	// From maps each of [Fields] that is set to the name of the tag that set it, or to "" if the item itself set it.
	From map[string]string
	// Over are the fields of the page that are not read, because there are [MaxFields] before them.
	Over []string
}

// Merge returns the options that apply to an item with the given options of its own and the given tags.
func Merge(own Options, tags []Tag) Effective {
	e := Effective{From: map[string]string{}}
	e.fill(own, "")
	tags = slices.Clone(tags)
	slices.SortFunc(tags, func(a, b Tag) int { return cmp.Compare(a.Name, b.Name) })
	for _, t := range tags {
		e.fill(t.Options, t.Name)
	}
	return e
}

// fill sets the fields that are not set yet.
func (e *Effective) fill(o Options, from string) {
	if o.Watch != nil {
		e.fillWatch(*o.Watch, from)
	}
	if e.Interval == nil && e.Schedule == nil { // both define when to check, so they count as one setting
		if o.Schedule != nil {
			e.Schedule, e.From["schedule"] = o.Schedule, from
		} else if o.Interval != nil {
			e.Interval, e.From["interval"] = o.Interval, from
		}
	}
	if e.ActiveHours == nil && o.ActiveHours != nil {
		e.ActiveHours, e.From["activeHours"] = o.ActiveHours, from
	}
	if e.Priority == nil && o.Priority != nil {
		e.Priority, e.From["priority"] = o.Priority, from
	}
	if e.Files == nil && o.Files != nil {
		e.Files, e.From["files"] = o.Files, from
	}
	e.Rendering.fill(o.Rendering, func(field string) { e.From[field] = from })
}

func (e *Effective) fillWatch(w Watch, from string) {
	var is Watch
	if e.Watch != nil {
		is = *e.Watch
	}
	list := func(field string, into *[]string, rules []string) {
		if len(*into) == 0 && len(rules) > 0 {
			*into, e.From[field] = rules, from
		}
	}
	text := func(field string, into *string, value string) {
		if *into == "" && value != "" {
			*into, e.From[field] = value, from
		}
	}
	list("watch.include", &is.Include, w.Include)
	list("watch.exclude", &is.Exclude, w.Exclude)
	list("watch.ignore", &is.Ignore, w.Ignore)
	text("watch.trigger", &is.Trigger, w.Trigger)
	text("watch.index", &is.Index, w.Index)
	text("watch.list", &is.List, w.List)
	list("watch.listLinks", &is.ListLinks, w.ListLinks)
	is.Fields = maps.Clone(is.Fields)
	for _, name := range slices.Sorted(maps.Keys(w.Fields)) {
		switch _, has := is.Fields[name]; {
		case has:
		case len(is.Fields) == MaxFields:
			e.Over = append(e.Over, name)
		default:
			if is.Fields == nil {
				is.Fields = map[string]api.FieldSpec{}
			}
			is.Fields[name], e.From[FieldSetting(name)] = w.Fields[name], from
		}
	}
	e.Watch = &is
}

// Level returns the item's priority.
func (e Effective) Level() int {
	if e.Priority == nil {
		return UsualPriority
	}
	return *e.Priority
}

// By describes for people what has set a field: "the item" or "tag news". It returns "" if the field is not set.
func (e Effective) By(field string) string {
	switch tag, set := e.From[field]; {
	case !set:
		return ""
	case tag == "":
		return "the item"
	default:
		return "tag " + tag
	}
}

package options

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

// Tag is a tag with the settings that it has for its items.
type Tag struct {
	Name string
	api.Settings
}

// Effective are the settings that apply to an item.
type Effective struct {
	api.Settings
	// From maps the path of each setting that is set to the name of the tag that set it, or to "" if the item itself
	// set it.
	From map[string]string
	// Over are the fields of the page that are not read, because there are as many as may be before them.
	Over []string
}

// Merge returns the settings that apply to an item with the given settings of its own and the given tags.
func Merge(own api.Settings, tags []Tag) Effective {
	e := Effective{From: map[string]string{}}
	e.fill(own, "")
	tags = slices.Clone(tags)
	slices.SortFunc(tags, func(a, b Tag) int { return cmp.Compare(a.Name, b.Name) })
	for _, t := range tags {
		e.fill(t.Settings, t.Name)
	}
	return e
}

// fill sets the fields that are not set yet. An interval and a schedule both define when to check, so they count as one
// setting.
func (e *Effective) fill(s api.Settings, from string) {
	if e.Interval != nil || e.Schedule != nil {
		s.Interval, s.Schedule = nil, nil
	}
	form.Merge(&e.Settings, s, func(path string, fits bool) {
		if fits {
			e.From[path] = from
		} else {
			e.Over = append(e.Over, strings.TrimPrefix(path, FieldSetting("")))
		}
	})
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

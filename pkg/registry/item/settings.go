package item

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/policy/options"
)

// Settings are a person's changes to an item. Fields that are not set change nothing.
type Settings struct {
	Tags    []string // the complete list of tags, as [options.Tags] returns it; if nil, the item keeps its tags
	Add     string   // a tag to add
	Drop    string   // a tag to remove
	Options options.Edit
	Paused  *bool
	// Replan causes the next check to be planned again, even if the item does not change. It is set when the options
	// of a tag have changed.
	Replan bool
}

// Zero reports whether the settings change nothing.
func (s Settings) Zero() bool { return reflect.ValueOf(s).IsZero() }

// Apply changes an item and returns a description of the changes; "" if nothing has changed.
func (s Settings) Apply(it *Item) string {
	var said []string
	tags := it.Tags
	if s.Tags != nil {
		tags = s.Tags
	}
	if s.Add != "" && !slices.Contains(tags, s.Add) && len(tags) < options.MaxTags {
		tags = append(slices.Clone(tags), s.Add)
		slices.Sort(tags)
	}
	if s.Drop != "" {
		tags = slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return tag == s.Drop })
	}
	if !slices.Equal(tags, it.Tags) {
		it.Tags = tags
		said = append(said, "tags: "+strings.Join(tags, ", "))
	}
	if o := s.Options.Apply(it.Options); !reflect.DeepEqual(o, it.Options) {
		it.Options = o
		said = append(said, "options of its own: "+set(o))
	}
	if s.Paused != nil && *s.Paused != it.Paused {
		if it.Paused = *s.Paused; it.Paused {
			said = append(said, "paused")
		} else {
			said = append(said, "resumed")
		}
	}
	return strings.Join(said, "; ")
}

// set returns the names of the options that are set.
func set(o options.Options) string {
	own := options.Merge(o, nil).From
	var names []string
	for _, field := range options.Fields {
		if _, ok := own[field]; ok {
			names = append(names, field)
		}
	}
	if o.Watch != nil {
		for _, name := range slices.Sorted(maps.Keys(o.Watch.Fields)) {
			names = append(names, options.FieldSetting(name))
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
